// Package mine has a range assignor.
package mine

import "slices"

// Assign shares each topic out to those that read it, in the order of their ids.
func Assign(reads map[string][]string, counts map[string]int32) map[string]map[string][]int32 {
	given := map[string]map[string][]int32{}
	for topic, count := range counts {
		readers := []string{}
		for id, topics := range reads {
			if slices.Contains(topics, topic) {
				readers = append(readers, id)
			}
		}
		slices.Sort(readers)
		for number := range count {
			id := holder(readers, number, count)
			if id == "" {
				continue
			}
			if given[id] == nil {
				given[id] = map[string][]int32{}
			}
			given[id][topic] = append(given[id][topic], number)
		}
	}
	return given
}

func holder(readers []string, number, count int32) string {
	if len(readers) == 0 {
		return ""
	}
	return readers[number*int32(len(readers))/count]
}
