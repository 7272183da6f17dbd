//! A directory that is exchanged for a link to the outside while the command
//! reads files through it gives the file of the project or an error, never the
//! file outside.
//!
//! The attacker is a program of the repository that runs at the same time, such
//! as a build. A check of the path followed by an open has a gap, in which the
//! directory can become a link. The promise is number 2 of `docs/security.md`.
//!
//! A second thread exchanges the directory with a link continuously and
//! atomically (`renameat2` with `RENAME_EXCHANGE`), while the command reads 40
//! files through it. An attempt is one file of one run; it is broken if the
//! secret is in the output or in a stored session. How often the gap would be
//! hit depends on the machine, so a reader with the gap is run as a control and
//! has to be led outside.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::Extent;
use super::case::Class;
use super::check::contents;
use super::command::Aside;
use super::outcome::Outcome;
use super::player::Player;

/// The longest time that a naive reader is given to be misled.
const NAIVE_TIME: Duration = Duration::from_secs(10);

/// Runs the command 130 times for each case, or 12 times in the short form.
pub(super) fn run(aside: &Aside, extent: Extent) -> Result<Outcome> {
    // 26,000 files over all cases.
    let runs = match extent {
        Extent::Long => 130,
        Extent::Short => 12,
    };
    let class = Class::read("exchange")?;
    let mut outcome = Outcome::default();
    let mut read = 0;
    for case in &class.cases {
        for scope in class.scopes(case, extent)? {
            let mut player = Player::play(aside, &class, case, scope)?;
            let place = &player.place;
            let files: usize = player.scope.text("${files}")?.parse()?;
            let (inside, secret) = (
                player.scope.text("${inside}")?,
                player.scope.text("${secret}")?,
            );
            let directory = place.path(format!("project/{}", case.name));
            let outside = place.path(format!("outside/{}", case.name));
            let exchange = Exchange::start(&directory, &outside)?;
            for _ in 0..runs {
                let ran = place.run(&player.arguments)?;
                outcome.tried(files);
                // Transcripts contain the results of tools.
                let sessions = place.path("home/.aside/sessions");
                let text = ran.text() + &contents(&sessions)?;
                let _ = fs::remove_dir_all(sessions);
                read += text.matches(&inside).count();
                if text.contains(&secret) {
                    outcome.breaks(format!("a file outside is read through {}", case.name));
                }
                if let Some(fault) = ran.fault() {
                    outcome.breaks(format!("{}: {fault}", case.name));
                }
            }
            let exchanges = exchange.stop()?;
            outcome.note(format!(
                "{}: {exchanges} exchanges in {runs} runs",
                case.name
            ));
        }
    }
    outcome.note(format!("{read} files of the project were read meanwhile"));
    let naive = naive_reader(aside)?;
    outcome.note(format!(
        "a reader that checks a path and then opens it was led outside {naive} times"
    ));
    outcome.check((naive == 0).then(|| "the exchange never misleads a naive reader".to_owned()));
    Ok(outcome)
}

/// Exchanges a directory with a link until it is stopped.
struct Exchange {
    /// Returns the number of exchanges, or the error of one that failed.
    thread: thread::JoinHandle<Result<usize>>,
    stop: Arc<AtomicBool>,
}

impl Exchange {
    /// Creates the link next to the directory, and starts the thread.
    fn start(directory: &Path, target: &Path) -> Result<Self> {
        let link = PathBuf::from(format!("{}.link", directory.display()));
        std::os::unix::fs::symlink(target, &link).context("failed to make a link")?;
        let stop = Arc::new(AtomicBool::new(false));
        let (directory, stopped) = (directory.to_owned(), stop.clone());
        let thread = thread::spawn(move || {
            let mut count = 0;
            while !stopped.load(Ordering::Relaxed) {
                renameat_with(CWD, &directory, CWD, &link, RenameFlags::EXCHANGE)
                    .context("failed to exchange two names")?;
                count += 1;
            }
            Ok(count)
        });
        Ok(Self { thread, stop })
    }

    /// Returns the number of exchanges.
    fn stop(self) -> Result<usize> {
        self.stop.store(true, Ordering::Relaxed);
        let joined = self.thread.join();
        joined.map_err(|_| anyhow!("the exchanging thread panicked"))?
    }
}

/// Reads as a program with the gap does: resolves a path, checks that it is
/// inside, and opens it. Returns how often that gave a file outside.
///
/// It ends after three successes or after `NAIVE_TIME`.
fn naive_reader(aside: &Aside) -> Result<usize> {
    let place = aside.place()?;
    place.write("project/docs/f.md", "inside")?;
    place.write("outside/f.md", "outside")?;
    let (project, dir) = (place.path("project"), place.path("project/docs"));
    let exchange = Exchange::start(&dir, &place.path("outside"))?;
    let (mut misled, start) = (0, Instant::now());
    while misled < 3 && start.elapsed() < NAIVE_TIME {
        let path = dir.join("f.md");
        let is_inside = path.canonicalize().is_ok_and(|it| it.starts_with(&project));
        if is_inside && fs::read_to_string(&path).is_ok_and(|it| it == "outside") {
            misled += 1;
        }
    }
    exchange.stop()?;
    Ok(misled)
}
