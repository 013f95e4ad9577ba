//! A range assignor.
use std::collections::{BTreeMap, HashMap};

/// Shares each topic out to those that read it, in the order of their ids.
pub fn assign(
    reads: HashMap<String, Vec<String>>,
    counts: HashMap<String, i32>,
) -> BTreeMap<String, BTreeMap<String, Vec<i32>>> {
    let mut given: BTreeMap<String, BTreeMap<String, Vec<i32>>> = BTreeMap::new();
    for (topic, count) in counts {
        let mut readers: Vec<&String> = reads
            .iter()
            .filter(|(_, topics)| topics.contains(&topic))
            .map(|(id, _)| id)
            .collect();
        readers.sort();
        for number in 0..if readers.is_empty() { 0 } else { count } {
            let id = readers[number as usize * readers.len() / count as usize];
            let topics = given.entry(id.clone()).or_default();
            topics.entry(topic.clone()).or_default().push(number);
        }
    }
    given
}
