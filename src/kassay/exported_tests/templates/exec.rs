use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

const COMMAND: &[&str] = &@COMMAND@;

type Rows = BTreeMap<String, Vec<String>>;

#[test]
fn @NAME@() {
@BODY@
}

/// Asks one process of the program about groups, in kassay's adapter protocol, and returns its answer to the last group.
fn assign(groups: &[String]) -> Result<Rows, String> {
    let mut lines = String::from("{\"kassay\": 1}\n");
    for (at, group) in groups.iter().enumerate() {
        lines += &format!("{{\"seq\": {}, \"assignor\": {}, \"group\": {group}}}\n", at + 1, @ASSIGNOR@);
    }
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let started = Command::new(COMMAND[0]).args(&COMMAND[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let _ = send.send(started.and_then(|mut program| {
            program.stdin.take().unwrap().write_all(lines.as_bytes())?;
            program.wait_with_output()
        }));
    });
    let output = receive.recv_timeout(Duration::from_secs(10)).map_err(|_| "no answer within 10 seconds")?.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("the program ended with {}", output.status));
    }
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap_or("")).map_err(|error| error.to_string())?;
    let Some(assignment) = last["assignment"].as_object() else { return Err(format!("no assignment: {last}")) };
    let mut rows = Rows::new();
    for (owner, given) in assignment {
        list(&mut rows, owner, given);
    }
    for (owner, given) in last["revoked"].as_object().into_iter().flatten() {
        list(&mut rows, &format!("{owner} revoked"), given);
    }
    if last["probing"] == true {
        rows.insert("probing".to_string(), vec!["yes".to_string()]);
    }
    Ok(rows)
}

/// Adds partitions such as t0-0, tasks by role, or connectors and their tasks.
fn list(rows: &mut Rows, owner: &str, given: &serde_json::Value) {
    let name = |item: &serde_json::Value| match item.as_array() {
        Some(pair) => format!("{}-{}", pair[0].as_str().unwrap(), pair[1]),
        None => item.as_str().unwrap().to_string(),
    };
    let names = |items: &serde_json::Value| -> Vec<String> { items.as_array().into_iter().flatten().map(name).collect() };
    if given.is_array() {
        rows.insert(owner.to_string(), names(given));
    } else if given.get("connectors").is_some() {
        rows.insert(owner.to_string(), [names(&given["connectors"]), names(&given["tasks"])].concat());
    } else {
        for (role, items) in given.as_object().unwrap() {
            rows.insert(format!("{owner} {role}"), names(items));
        }
    }
}
@HELPERS@
