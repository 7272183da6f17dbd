//! The cost of one more turn of `aside run` in a session of 100, 400 and 1,600
//! turns, on every wire, against writing the same requests with serde: `cargo
//! bench --package aside --bench turns`, with `-- chat` for one wire.
//!
//! A server on loopback calls the tool Read in every response, with a file that
//! the session has not read yet. The cost of a turn is the difference between a
//! session and one of half its length, divided by the number of additional
//! turns. It is counted in instructions in user space, by `perf` or, without it,
//! by cachegrind; and in CPU time in user space and in the system. The system's
//! time includes the copy of the bytes into the socket and the calls for files
//! and the transcript. If neither program is on the `PATH`, only the times are
//! printed.
//!
//! A session of 1,600 turns does not fit the window of the models of chat and
//! Gemini, so compaction is off there. On the other wires it is on, and never
//! needed.
//!
//! The server is a proxy for OpenAI's Responses, because any other host is
//! treated as a server of Chat Completions.
//!
//! Left out: the server, which is this program, and the start of the process and
//! of the session, which both lengths have.
#![expect(clippy::print_stdout, reason = "figures are for whoever runs this")]

#[expect(dead_code, reason = "the guards count a process alone")]
mod counted;
mod serde_only;
mod server;
mod wire;
mod wire_name;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use counted::{Cost, Counter};
use server::Server;
use wire_name::Wire;

/// The lengths of the sessions, in turns.
const LENGTHS: [usize; 3] = [100, 400, 1_600];

/// The number of files: each turn reads a new one.
const FILES: usize = LENGTHS[2];

/// The argument with which this program only writes requests with serde.
const SERDE: &str = "--write-with-serde";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, turns] = &arguments[..]
        && first == SERDE
    {
        return serde_only::run(turns.parse()?);
    }
    // `cargo test --all-targets` also runs this program, and measures nothing.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let counter = Counter::find();
    let wanted = arguments.iter().find(|argument| !argument.starts_with('-'));
    println!("instructions by {counter}; times per turn, in milliseconds");
    println!("{:<16} {:>6} {:>14} {:>8} {:>8}", "", "turns", "instructions", "user", "system");
    for wire in Wire::ALL {
        if wanted.is_none_or(|wanted| wanted == wire.name()) {
            for turns in LENGTHS {
                let cost = |turns| session(wire, turns, counter);
                show(wire.name(), turns, per_turn(turns, cost)?);
            }
        }
    }
    for turns in LENGTHS {
        let cost = |turns: usize| {
            let mut command = Command::new(std::env::current_exe()?);
            command.args([SERDE, &turns.to_string()]);
            counter.run(&command)
        };
        show("serde, messages", turns, per_turn(turns, cost)?);
    }
    Ok(())
}

/// Returns the cost of a turn in the second half of a session.
fn per_turn(
    turns: usize,
    cost: impl Fn(usize) -> Result<Cost, Box<dyn Error>>,
) -> Result<Cost, Box<dyn Error>> {
    let (half, whole) = (cost(turns / 2)?, cost(turns)?);
    Ok(whole.minus(half).divided_by((turns - turns / 2) as f64))
}

fn show(name: &str, turns: usize, cost: Cost) {
    let instructions = cost.instructions.map_or("-".to_owned(), |it| format!("{it:.0}"));
    let [user, system] = [cost.user, cost.system].map(|seconds| seconds * 1e3);
    println!("{name:<16} {turns:>6} {instructions:>14} {user:>8.3} {system:>8.3}");
}

/// Runs a session of this number of turns.
fn session(wire: Wire, turns: usize, counter: Counter) -> Result<Cost, Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    make_project(place.path())?;
    let server = Server::start(wire, 0..turns)?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    command
        .args(["run", "Go on.", "--date", "2026-01-31", "--bare"])
        .args(wire.arguments())
        .current_dir(place.path().join("project"))
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", place.path().join("home"))
        .envs(wire.variables(server.url()));
    let cost = counter.run(&command)?;
    server.finish()?;
    Ok(cost)
}

fn make_project(place: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(place.join("home"))?;
    let project = place.join("project");
    fs::create_dir_all(&project)?;
    for file in 0..FILES {
        fs::write(project.join(format!("{file}.txt")), server::text(file))?;
    }
    Ok(())
}
