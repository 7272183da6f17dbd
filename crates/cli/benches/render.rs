//! A whole `aside render` against a program that only starts the same git
//! commands and waits for them, in a repository of 20 files and in one of
//! 12,000: `cargo bench --package aside --bench render`, with `-- DIRECTORY`
//! for a repository of your own.
//!
//! `aside render` includes the start of the process, the arguments, settings,
//! instruction files, its three git commands with their hardening, and writing
//! the body. The floor has the same three commands without the hardening, and
//! the start of a program of the standard library alone; so it is the commands
//! and an empty process. Both include their child processes.
//!
//! The goal, 1.3 times the floor, is reached with 12,000 files (1.15 to 1.2) and
//! not with 20 (1.7 to 1.8). There, in ms, as medians of 200 runs on two cores:
//!
//! ```text
//! git's commands, with their hardening or without   4.7
//! an empty process                                  1.1
//! more to start ours (`aside --version`)            0.9
//! the rest of ours                                  3.8
//! aside render                                     10.5
//! ```
//!
//! The start of ours is the relocation of the program and the parser of the
//! arguments. The rest is about 5 million instructions that nothing hides:
//! before git starts, the links in the repository and in the search path are
//! followed, so that no program of the repository is run (350 calls of the
//! system); the three commands are started one after another; and the body is
//! written after the last one has ended. Instruction files are read meanwhile.
//!
//! Prints instructions in user space (`perf`, else cachegrind, else none), time
//! of the processor in user space and in the system, which holds starting and
//! ending processes, and the elapsed time, each with its ratio to the floor.
//! The processor's time comes from `/proc` and is missing elsewhere.
#![expect(clippy::print_stdout, reason = "figures are for whoever runs this")]

#[path = "turns/counted.rs"]
#[expect(dead_code, reason = "only the instructions are of use for one process")]
mod counted;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use counted::Counter;

const DIRECTORIES: usize = 600;
const FILES_PER_DIRECTORY: usize = 20;
const ROUNDS: usize = 40;
const ROUNDS_IN_SMALL: usize = 200;

/// The commands of the snapshot, without their hardening.
const COMMANDS: [&[&str]; 3] = [
    &["status", "--short", "--no-branch", "--no-ahead-behind", "--ignore-submodules=dirty"],
    &["log", "--oneline", "-n", "5", "--no-decorate"],
    &["config", "-z", "--show-scope", "--get-regexp", r"^(user\.name$|filter\.)"],
];

/// The argument with which this program is the floor.
const START_IN: &str = "--start-commands-in";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [START_IN, directory] = &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return start_commands(Path::new(directory));
    }
    // `cargo test --all-targets` also runs this program, and measures nothing.
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

/// The cost of one run.
#[derive(Clone, Default)]
struct Cost {
    instructions: Option<f64>,
    processor: Option<f64>,
    elapsed: f64,
}

fn measure(cwd: &Path, rounds: usize) -> Result<(), Box<dyn Error>> {
    let mut commands = [render(cwd), floor(cwd)?];
    let mut costs = [Cost::default(), Cost::default()];
    let mut elapsed: [Vec<Duration>; 2] = Default::default();
    let mut processor = [Duration::ZERO; 2];
    // Alternating, so that the load of the machine falls on both.
    for _ in 0..rounds {
        for (index, command) in commands.iter_mut().enumerate() {
            let (before, start) = (children_time(), Instant::now());
            succeed(command)?;
            elapsed[index].push(start.elapsed());
            processor[index] += children_time().saturating_sub(before);
        }
    }
    let counter = Counter::find();
    for (index, command) in commands.iter().enumerate() {
        let time = processor[index].as_secs_f64() * 1e3 / rounds as f64;
        costs[index] = Cost {
            instructions: counter.instructions(command).ok().map(|it| it / 1e6),
            processor: (time > 0.0).then_some(time),
            elapsed: median(&mut elapsed[index]).as_secs_f64() * 1e3,
        };
    }
    let [ours, floor] = costs;
    println!("{:<24} {:>8} {:>8} {:>8}", "", "render", "floor", "ratio");
    show("million instructions", ours.instructions, floor.instructions);
    show("processor, ms", ours.processor, floor.processor);
    show("elapsed (median), ms", Some(ours.elapsed), Some(floor.elapsed));
    Ok(())
}

fn show(name: &str, ours: Option<f64>, floor: Option<f64>) {
    if let Some((ours, floor)) = ours.zip(floor) {
        let ratio = ours / floor;
        println!("{name:<24} {ours:>8.2} {floor:>8.2} {ratio:>8.2}");
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Returns the time of the processor of all child processes that have ended,
/// to a tick of 10 ms; zero where it is not known.
fn children_time() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, which may have spaces, is in parentheses.
    let fields = text.rsplit(')').next().unwrap_or_default().split(' ');
    let ticks = fields.skip(14).take(2).flat_map(str::parse::<u64>);
    Duration::from_millis(10 * ticks.sum::<u64>())
}

fn render(cwd: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    command.args(["render", "Explain the build", "--cwd"]);
    command.arg(cwd).stdout(Stdio::null());
    command
}

/// Returns the command of the floor: this program in a process of its own, like `aside`.
fn floor(cwd: &Path) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(START_IN).arg(cwd);
    Ok(command)
}

fn start_commands(cwd: &Path) -> Result<(), Box<dyn Error>> {
    let started: Result<Vec<_>, _> =
        COMMANDS.iter().map(|arguments| git_command(cwd, arguments).spawn()).collect();
    for mut child in started? {
        // A name that is not set is an ordinary result, with another exit code.
        child.wait()?;
    }
    Ok(())
}

fn git(cwd: &Path, arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    succeed(&mut git_command(cwd, arguments))
}

fn succeed(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

fn git_command(cwd: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args(["--no-optional-locks"])
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
    git(cwd, &[&identity[..], &["commit", "-q", "-m", "everything"]].concat())?;
    // Files as old as the index would be read again each time.
    std::thread::sleep(Duration::from_secs(1));
    git(cwd, &["update-index", "-q", "--refresh"])?;
    fs::write(cwd.join("d00/e00/f00.rs"), "changed\n")?;
    Ok(())
}
