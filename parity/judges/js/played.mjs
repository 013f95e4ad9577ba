// Play tapes of wrong assignors to the judge in JavaScript.
import { readFileSync } from 'node:fs'
import { run } from '../fixtures/fixtures.mjs'

/** Answer as a tape does, in its order, to the first leader; to the others of the same group, and about what is no more on the tape, as before. */
function playing(asked) {
  let left = asked
  const heard = new Map()
  return ({ topics, members }, leader) => {
    const count = owned => Object.values(owned).reduce((sum, numbers) => sum + numbers.length, 0)
    const wanted = [...topics.map(t => `${t.name} ${t.partitions}`), ...members.map(m => `${m.id} ${m.generation} ${count(m.owned)}`)].join('; ')
    const key = JSON.stringify([topics, members])
    const next = members[0]?.id === leader && (left[0]?.print === wanted || !heard.has(key))
    const at = left.findIndex(said => said.print === wanted)
    const said = next ? left[at] : heard.get(key)
    if (!said) throw new Error(`is asked about ${wanted}, which is not on the tape`)
    if (next) left = left.slice(at + 1)
    heard.set(key, said)
    if (said.why === 'never') return new Promise(() => setTimeout(() => {}, 60000).unref())
    if (said.why) throw new Error(said.why)
    return said.answer
  }
}

for (const line of readFileSync(process.env.KASSAY_TAPES, 'utf8').trim().split('\n')) {
  const { asked, ...tape } = JSON.parse(line)
  await run({ ...tape, ask: playing(asked) })
}
