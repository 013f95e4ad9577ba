/** Share each topic out to those that read it, in the order of their ids. */
export function assign(reads, counts) {
  const given = Object.fromEntries(Object.keys(reads).map(id => [id, {}]))
  for (const [topic, count] of Object.entries(counts)) {
    const readers = Object.keys(reads).filter(id => reads[id].includes(topic)).sort()
    for (let number = 0; readers.length && number < count; number++) {
      const id = readers[Math.floor((number * readers.length) / count)]
      ;(given[id][topic] ??= []).push(number)
    }
  }
  return given
}
