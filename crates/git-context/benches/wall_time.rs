//! A snapshot takes hardly longer than `git status --short` alone, in a
//! repository with 100,000 files and more changes than are kept. Prints both
//! times and their ratio.
#![expect(clippy::print_stdout, reason = "figures are for whoever runs this")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use aside_git_context::{GitOptions, Status, UserConfig, snapshot};

const DIRECTORIES: usize = 1_000;
const FILES_PER_DIRECTORY: usize = 100;
const UNTRACKED_FILES: usize = 5_000;
const ROUNDS: usize = 30;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo test --all-targets` runs this too, and wants no figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let directory = tempfile::tempdir()?;
    let cwd = directory.path();
    make_repository(cwd)?;
    let options = GitOptions {
        user_config: UserConfig::Ignore,
        time_limit: Duration::from_secs(60),
        ..GitOptions::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut alone = Vec::new();
    let mut whole = Vec::new();
    // By turns, so that other load on the machine falls on both.
    for _ in 0..ROUNDS {
        let start = Instant::now();
        git(cwd, &["--no-optional-locks", "status", "--short"])?;
        alone.push(start.elapsed());

        let start = Instant::now();
        let taken = runtime.block_on(snapshot(cwd, &options))?;
        whole.push(start.elapsed());
        let taken = taken.ok_or("no repository")?;
        assert_eq!(taken.diagnostics, []);
        assert!(matches!(taken.status, Some(Status::Truncated { .. })));
    }
    let (alone, whole) = (median(alone), median(whole));
    println!("git status --short   {alone:?}");
    println!("snapshot             {whole:?}");
    println!("ratio                {:.2}", whole.as_secs_f64() / alone.as_secs_f64());
    Ok(())
}

fn make_repository(cwd: &Path) -> Result<(), Box<dyn Error>> {
    for directory in 0..DIRECTORIES {
        let directory = cwd.join(format!("d{directory:04}"));
        fs::create_dir(&directory)?;
        for file in 0..FILES_PER_DIRECTORY {
            fs::write(directory.join(format!("f{file:03}")), format!("{file}\n"))?;
        }
    }
    git(cwd, &["init", "-q", "-b", "main", "--template="])?;
    git(cwd, &["add", "-A"])?;
    git(cwd, &["commit", "-q", "-m", "everything"])?;
    // Files as old as the index would be read again each time.
    std::thread::sleep(Duration::from_secs(1));
    git(cwd, &["update-index", "-q", "--refresh"])?;
    fs::write(cwd.join("d0500/f050"), "changed\n")?;
    for file in 0..UNTRACKED_FILES {
        fs::write(cwd.join(format!("untracked{file:04}")), "")?;
    }
    Ok(())
}

fn git(cwd: &Path, arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let status = Command::new("git")
        .args(arguments)
        .current_dir(cwd)
        .stdout(Stdio::null())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "Ada")
        .env("GIT_AUTHOR_EMAIL", "ada@example.org")
        .env("GIT_AUTHOR_DATE", "2001-02-03T04:05:06Z")
        .env("GIT_COMMITTER_NAME", "Ada")
        .env("GIT_COMMITTER_EMAIL", "ada@example.org")
        .env("GIT_COMMITTER_DATE", "2001-02-03T04:05:06Z")
        .status()?;
    if status.success() { Ok(()) } else { Err(format!("git {arguments:?}: {status}").into()) }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
