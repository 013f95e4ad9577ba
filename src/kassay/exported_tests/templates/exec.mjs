import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const command = @COMMAND@

test(@NAME@, () => {
@BODY@
})

// asks one process of the program about groups, in kassay's adapter protocol, and returns its answer to the last group
function assign (...groups) {
  const requests = groups.map((group, at) => `{"seq": ${at + 1}, "assignor": ${@ASSIGNOR@}, "group": ${group}}`)
  const input = ['{"kassay": 1}', ...requests, ''].join('\n')
  const run = spawnSync(command[0], command.slice(1), { input, encoding: 'utf8', timeout: 10_000 })
  if (run.error || run.status !== 0) throw run.error ?? new Error(`the program ended with ${run.status ?? run.signal}: ${run.stderr}`)
  const last = JSON.parse(run.stdout.trim().split('\n').at(-1))
  if (!last.assignment) throw new Error(`no assignment: ${JSON.stringify(last)}`)
  const rows = new Map()
  for (const [owner, given] of Object.entries(last.assignment)) list(rows, owner, given)
  for (const [owner, given] of Object.entries(last.revoked ?? {})) list(rows, `${owner} revoked`, given)
  if (last.probing) rows.set('probing', ['yes'])
  return rows
}

// adds partitions such as t0-0, tasks by role, or connectors and their tasks
function list (rows, owner, given) {
  const names = items => items.map(item => Array.isArray(item) ? `${item[0]}-${item[1]}` : item)
  if (Array.isArray(given)) rows.set(owner, names(given))
  else if (given.connectors) rows.set(owner, names([...given.connectors, ...given.tasks]))
  else for (const [role, items] of Object.entries(given)) rows.set(`${owner} ${role}`, names(items))
}
@HELPERS@
