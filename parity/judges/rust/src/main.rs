//! Play tapes of wrong assignors to the judge in Rust.

use kassay_fixtures::{run, Assignment, Group, Target};
use serde::Deserialize;
use std::{collections::VecDeque, env, fs, sync::Mutex, thread, time::Duration};

/// What was answered to the group that `print` tells.
#[derive(Deserialize)]
struct Said {
    print: String,
    #[serde(default)]
    why: String,
    #[serde(default)]
    answer: Assignment,
}

#[derive(Deserialize)]
struct Tape {
    name: String,
    exact: String,
    aims: Vec<String>,
    can: Vec<String>,
    limits: Vec<String>,
    cooperative: bool,
    asked: VecDeque<Said>,
}

/// Answers as a tape does, in its order; of what the judge does not ask about it plays nothing.
fn playing(asked: VecDeque<Said>) -> impl Fn(Group) -> Result<Assignment, String> {
    let tape = Mutex::new(asked);
    move |group| {
        let topics = group.topics.iter().map(|t| format!("{} {}", t.name, t.partitions));
        let members = group.members.iter().map(|m| {
            let count: usize = m.owned.values().map(Vec::len).sum();
            format!("{} {} {count}", m.id, m.generation)
        });
        let wanted = topics.chain(members).collect::<Vec<_>>().join("; ");
        let mut left = tape.lock().map_err(|_| "the tape is torn")?;
        let at = left.iter().position(|said| said.print == wanted);
        let at = at.ok_or(format!("is asked about {wanted}, which is not on the tape"))?;
        let said = left.drain(..=at).next_back().ok_or("the tape is empty")?;
        drop(left);
        match said.why.as_str() {
            "" => Ok(said.answer),
            "never" => {
                thread::sleep(Duration::from_secs(60));
                Err(said.why)
            }
            _ => Err(said.why),
        }
    }
}

fn main() {
    let text = fs::read_to_string(env::var("KASSAY_TAPES").expect("KASSAY_TAPES names the tapes")).expect("tapes");
    let tapes: Vec<Tape> = text.lines().map(|line| serde_json::from_str(line).expect("a tape")).collect();
    let words = |words: Vec<String>| -> &'static [&'static str] {
        Vec::leak(words.into_iter().map(|word| &*word.leak()).collect())
    };
    let targets = tapes.into_iter().map(|tape| Target {
        aims: words(tape.aims),
        can: words(tape.can),
        limits: words(tape.limits),
        cooperative: tape.cooperative,
        exact: tape.exact.leak(),
        ..Target::new(tape.name.leak(), playing(tape.asked))
    });
    run(targets.collect()).exit()
}
