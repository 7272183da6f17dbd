//! Inputs of any size: bodies, logs, and a project with rules.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

/// The number of sessions in a log, whose requests alternate.
const SESSIONS: usize = 8;

/// The turns between two requests of a session in the log.
const STEP: usize = 2;

/// Returns the messages of a call and its result, each with a comma before it.
fn turn(session: usize, number: usize) -> String {
    let line = "    let value = map.get(\\\"key\\\").copied(); // a line\\n";
    let result = line.repeat(12);
    let id = format!("toolu_{session}_{number}");
    format!(
        r#",{{"role":"assistant","content":[{{"type":"text","text":"I read it."}},{{"type":"tool_use","id":"{id}","name":"Read","input":{{"file_path":"/src/{number}.rs","limit":200}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":[{{"type":"text","text":"{result}"}}]}}]}}"#
    )
}

/// Returns the start of a body, up to the last message.
fn start(session: usize) -> String {
    let system = format!("You are careful, and number {session}. ").repeat(300);
    format!(
        r#"{{"model":"claude-opus-5-5","max_tokens":8192,"system":[{{"type":"text","text":"{system}"}}],"messages":[{{"role":"user","content":"Fix the tests"}}"#
    )
}

/// Returns a session of a coding agent with about this number of bytes.
pub(crate) fn body(bytes: usize) -> String {
    let mut body = start(0);
    for number in 0.. {
        if body.len() > bytes {
            break;
        }
        body += &turn(0, number);
    }
    body + "]}"
}

/// Returns a log of about this number of bytes, in which the requests of eight sessions alternate.
pub(crate) fn interleaved_log(bytes: usize) -> String {
    let mut log = String::new();
    let mut sessions: Vec<String> = (0..SESSIONS).map(start).collect();
    for number in 0.. {
        for (index, session) in sessions.iter_mut().enumerate() {
            if log.len() > bytes {
                return log;
            }
            for next in 0..STEP {
                *session += &turn(index, number * STEP + next);
            }
            let _ = writeln!(log, "{session}]}}");
        }
    }
    log
}

/// Writes a project with this number of rules, each for a directory of its own.
pub(crate) fn rules(project: &Path, count: usize) -> io::Result<()> {
    let directory = project.join(".claude/rules");
    fs::create_dir_all(&directory)?;
    fs::create_dir_all(project.join("src/part7"))?;
    fs::write(project.join("src/part7/main.rs"), "fn main() {}\n")?;
    fs::write(project.join("CLAUDE.md"), "Build with make.\n")?;
    for rule in 0..count {
        let text =
            format!("---\npaths: src/part{rule}/**/*.rs\n---\nPart {rule} has its own rule.\n");
        fs::write(directory.join(format!("part{rule}.md")), text)?;
    }
    Ok(())
}
