//! A whole `aside render` takes hardly longer than `git status --short` alone
//! in a repository of 12,000 files, and in a small one at most 1.5 times as
//! long as a program that does nothing but start the five git commands of the
//! snapshot at once and wait for them, which is the floor:
//! `cargo bench --package aside --bench render`, with `-- DIRECTORY` in the one
//! that is named. Prints the times and their ratios to both.
#![expect(clippy::print_stdout, reason = "figures are for whoever runs this")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const DIRECTORIES: usize = 600;
const FILES_PER_DIRECTORY: usize = 20;
const ROUNDS: usize = 40;
const ROUNDS_IN_SMALL: usize = 200;

/// The commands of the snapshot, without their hardening.
const FIVE: [&[&str]; 5] = [
    &["symbolic-ref", "--quiet", "HEAD"],
    &["rev-parse", "--verify", "--quiet", "origin/HEAD"],
    &["--no-optional-locks", "status", "--short"],
    &["--no-optional-locks", "log", "--oneline", "-n", "5"],
    &["config", "user.name"],
];

/// Makes this the program of the floor.
const START_FIVE: &str = "--start-five-in";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [START_FIVE, directory] = &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return start_five(Path::new(directory));
    }
    // `cargo test --all-targets` runs this too, and wants no figures.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    if let Some(directory) = arguments.iter().find(|argument| !argument.starts_with('-')) {
        return measure(Path::new(directory), ROUNDS);
    }
    for (directories, rounds) in [(1, ROUNDS_IN_SMALL), (DIRECTORIES, ROUNDS)] {
        let made = tempfile::tempdir()?;
        make_repository(made.path(), directories)?;
        println!("{} files", directories * FILES_PER_DIRECTORY);
        measure(made.path(), rounds)?;
    }
    Ok(())
}

fn measure(cwd: &Path, rounds: usize) -> Result<(), Box<dyn Error>> {
    let mut times: [Vec<Duration>; 3] = Default::default();
    // By turns, so that whatever else the machine does falls on all.
    for _ in 0..rounds {
        times[0].push(timed(|| render(cwd))?);
        times[1].push(timed(|| git(cwd, FIVE[2]))?);
        times[2].push(timed(|| five_at_once(cwd))?);
    }
    let [whole, status, five] = times.map(median);
    let show = |name: &str, time: Duration| {
        let ratio = |to: Duration| time.as_secs_f64() / to.as_secs_f64();
        let (to_status, to_five) = (ratio(status), ratio(five));
        println!("{name:<20} {time:>10.2?} {to_status:>8.2} {to_five:>8.2}");
    };
    println!(
        "{:<20} {:>10} {:>8} {:>8}",
        "", "median", "/ status", "/ five"
    );
    show("git status --short", status);
    show("five git commands", five);
    show("aside render", whole);
    Ok(())
}

fn timed(run: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn render(cwd: &Path) -> Result<(), Box<dyn Error>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    command
        .args(["render", "Explain the build", "--cwd"])
        .arg(cwd);
    succeed(command.stdout(Stdio::null()))
}

/// Like `aside`, in a process of its own.
fn five_at_once(cwd: &Path) -> Result<(), Box<dyn Error>> {
    let program = std::env::current_exe()?;
    succeed(Command::new(program).arg(START_FIVE).arg(cwd))
}

fn start_five(cwd: &Path) -> Result<(), Box<dyn Error>> {
    let started: Result<Vec<_>, _> = FIVE
        .iter()
        .map(|arguments| git_command(cwd, arguments).spawn())
        .collect();
    for mut child in started? {
        // No remote and no name are ordinary answers.
        child.wait()?;
    }
    Ok(())
}

fn git(cwd: &Path, arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    succeed(&mut git_command(cwd, arguments))
}

fn succeed(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command.status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?}: {status}").into())
    }
}

fn git_command(cwd: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args(arguments)
        .current_dir(cwd)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

fn make_repository(cwd: &Path, directories: usize) -> Result<(), Box<dyn Error>> {
    for directory in 0..directories {
        let directory = cwd.join(format!("d{:02}/e{:02}", directory / 25, directory % 25));
        fs::create_dir_all(&directory)?;
        for file in 0..FILES_PER_DIRECTORY {
            let text = format!("fn f{file}() {{}}\n").repeat(20 * file + 1);
            fs::write(directory.join(format!("f{file:02}.rs")), text)?;
        }
    }
    fs::write(cwd.join("CLAUDE.md"), "Build with make.\n")?;
    git(cwd, &["init", "-q", "-b", "main", "--template="])?;
    git(cwd, &["add", "-A"])?;
    let identity = ["-c", "user.name=Mia", "-c", "user.email=mia@example.com"];
    git(
        cwd,
        &[&identity[..], &["commit", "-q", "-m", "everything"]].concat(),
    )?;
    // Files as old as the index would be read again each time.
    std::thread::sleep(Duration::from_secs(1));
    git(cwd, &["update-index", "-q", "--refresh"])?;
    fs::write(cwd.join("d00/e00/f00.rs"), "changed\n")?;
    Ok(())
}
