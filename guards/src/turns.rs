//! The cost of a turn of `aside run`, at the end of a long session in which each turn reads a new
//! file, against a server on loopback.
//!
//! The session is run once without being counted. Its copies are then resumed with a few turns and
//! with a few more; the difference is the cost of the additional turns.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, anyhow, ensure};

use crate::process::instructions;
use crate::server::{self, Server};
use crate::wire_name::Wire;

const SESSION: &str = "6f8d3f0e-5c1a-4b7e-9d2a-0b1c2d3e4f50";

/// The turns of the two resumed sessions.
const MORE: [usize; 2] = [4, 12];

/// Returns the instructions of a turn after this number of turns.
pub(crate) fn cost(program: &Path, turns: usize) -> Result<f64> {
    let place = tempfile::tempdir()?;
    let project = place.path().join("project");
    fs::create_dir_all(&project)?;
    for file in 0..turns + MORE[1] + 2 {
        fs::write(project.join(server::path(file)), server::text(file))?;
    }
    let home = place.path().join("home");
    fs::create_dir_all(&home)?;
    let begun = Server::start(Wire::Messages, 0..turns).map_err(failed)?;
    let mut first = run(program, &project, &home, begun.url());
    let status = first
        .args(["--session-id", SESSION])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    ensure!(status.success(), "{first:?}: {status}");
    begun.finish().map_err(failed)?;
    let mut counts = Vec::new();
    for more in MORE {
        let copy = place.path().join(format!("home-{more}"));
        let status = Command::new("cp").arg("-r").args([&home, &copy]).status()?;
        ensure!(status.success(), "cp: {status}");
        let server = Server::start(Wire::Messages, turns + 1..turns + 1 + more).map_err(failed)?;
        let mut resumed = run(program, &project, &copy, server.url());
        counts.push(instructions(resumed.args(["--resume", SESSION]))?);
        server.finish().map_err(failed)?;
    }
    Ok((counts[1] - counts[0]) / (MORE[1] - MORE[0]) as f64)
}

fn failed(error: impl ToString) -> anyhow::Error {
    anyhow!(error.to_string())
}

fn run(program: &Path, project: &Path, home: &Path, url: &str) -> Command {
    let mut command = Command::new(program);
    command
        .args(["run", "Go on.", "--date", "2026-01-31", "--bare"])
        .current_dir(project)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", home)
        .envs(Wire::Messages.variables(url))
        .args(Wire::Chat.arguments());
    command
}
