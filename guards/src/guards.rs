//! What is guarded. A figure per byte is the difference of a large and a small input, divided by the
//! bytes between them, so that the start of the process is not in it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use crate::process::{alone_in, instructions};
use crate::{inputs, turns};

/// A name in `limits.toml`, and its count.
type Guard = (&'static str, fn(&Path) -> Result<f64>);

pub(crate) const ALL: [Guard; 7] = [
    ("render", render),
    ("check-per-byte", check),
    ("convert-per-byte", convert),
    ("explain-interleaved-per-byte", explain),
    ("touch-with-2000-rules", touch),
    ("turn-at-100", |program| turns::cost(program, 100)),
    ("turn-at-1600", |program| turns::cost(program, 1_600)),
];

/// Sizes of the small and the large input, in bytes.
const SIZES: [usize; 2] = [100_000, 600_000];

/// `aside render` in a small repository, without its three git commands.
fn render(program: &Path) -> Result<f64> {
    let place = tempfile::tempdir()?;
    for file in 0..20 {
        fs::write(place.path().join(format!("f{file:02}.rs")), "fn f() {}\n")?;
    }
    fs::write(place.path().join("CLAUDE.md"), "Build with make.\n")?;
    let identity = ["-c", "user.name=Mia", "-c", "user.email=mia@example.com"];
    for arguments in [
        &["init", "-q", "-b", "main", "--template="][..],
        &["add", "-A"],
        &[&identity[..], &["commit", "-q", "-m", "everything"]].concat(),
    ] {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(place.path());
        let status = git.stdout(Stdio::null()).status()?;
        ensure!(status.success(), "git {arguments:?}: {status}");
    }
    let mut command = Command::new(program);
    command.args(["render", "Explain the build"]);
    instructions(alone_in(&mut command, place.path()))
}

fn check(program: &Path) -> Result<f64> {
    per_byte(program, &["check"], inputs::body)
}

fn convert(program: &Path) -> Result<f64> {
    per_byte(program, &["convert", "--to", "openai"], inputs::body)
}

fn explain(program: &Path) -> Result<f64> {
    per_byte(program, &["cache", "explain"], inputs::interleaved_log)
}

/// `aside memory --touch` in a project with 2,000 rules, one of which matches. The start of the
/// process is that of `aside memory` in a project without rules, and is subtracted.
fn touch(program: &Path) -> Result<f64> {
    let cost = |rules: usize| {
        let place = tempfile::tempdir()?;
        inputs::rules(place.path(), rules)?;
        let mut command = Command::new(program);
        command.args(["memory", "--touch", "src/part7/main.rs"]);
        instructions(alone_in(&mut command, place.path()))
    };
    Ok(cost(2_000)? - cost(0)?)
}

fn per_byte(program: &Path, arguments: &[&str], input: fn(usize) -> String) -> Result<f64> {
    let place = tempfile::tempdir()?;
    let file = place.path().join("input.json");
    let mut counts = Vec::new();
    for size in SIZES {
        let text = input(size);
        fs::write(&file, &text)?;
        let mut command = Command::new(program);
        command.args(arguments).arg(&file);
        let count = instructions(alone_in(&mut command, place.path()))?;
        counts.push((count, text.len() as f64));
    }
    let [(small, fewer), (large, more)] = counts[..] else {
        unreachable!("there are two sizes");
    };
    Ok((large - small) / (more - fewer))
}
