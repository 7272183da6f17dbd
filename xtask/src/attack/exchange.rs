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
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::Extent;
use super::command::{Aside, Place};
use super::outcome::Outcome;

/// The text of the files outside.
const SECRET: &str = "the-secret-of-the-exchange";
/// The text of the files of the project.
const INSIDE: &str = "text-of-the-project";
/// The files in each directory that is exchanged.
const FILES: usize = 40;

/// The longest time that a naive reader is given to be misled.
const NAIVE_TIME: Duration = Duration::from_secs(10);

/// A directory that the command reads files through.
struct Way {
    /// The directory below the project, and below `outside`.
    dir: &'static str,
    /// The start of the names of its files, and their ending.
    names: (&'static str, &'static str),
    /// The start of each file, such as the front matter that a reminder needs.
    header: &'static str,
    /// Writes the files that lead to the directory, and returns the arguments.
    arguments: fn(&Place) -> Result<Vec<String>>,
}

/// Returns a list of arguments.
fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|it| (*it).to_owned()).collect()
}

/// Front matter of a reminder that is due in every turn.
const TURN: &str = "---\nschedule: {kind: turn, turn_interval: 1}\n---\n";

/// The readers of the command: imports, rules, reminders, mentions, and the
/// tools `Read` and `Grep`.
const WAYS: &[Way] = &[
    Way {
        dir: "docs",
        names: ("f", ".md"),
        header: "",
        arguments: |place| {
            let imports = (0..FILES).map(|number| format!("@docs/f{number}.md\n"));
            place.write("project/CLAUDE.md", imports.collect::<String>())?;
            Ok(words(&["render", "go"]))
        },
    },
    Way {
        dir: ".claude/rules",
        names: ("f", ".md"),
        header: "",
        arguments: |_| Ok(words(&["render", "go"])),
    },
    Way {
        dir: ".aside/reminders",
        names: ("f", ".md"),
        header: TURN,
        arguments: |_| Ok(words(&["render", "go"])),
    },
    Way {
        dir: "mentioned",
        names: ("f", ".md"),
        header: "",
        arguments: |_| {
            let mentions = (0..FILES).map(|number| format!("@mentioned/f{number}.md "));
            Ok(vec!["render".to_owned(), mentions.collect()])
        },
    },
    Way {
        dir: "read",
        names: ("f", ".md"),
        header: "",
        arguments: |place| {
            let calls = (0..FILES).map(|number| {
                format!(r#"{{"type":"tool_use","id":"c{number}","name":"Read","input":{{"file_path":"read/f{number}.md"}}}}"#)
            });
            let search = r#"{"type":"tool_use","id":"g","name":"Grep","input":{"pattern":"secret|text","output_mode":"content"}}"#;
            let calls: Vec<_> = calls.chain([search.to_owned()]).collect();
            let cassette = format!(
                r#"{{"version":1,"answers":[{{"content":[{}],"stop_reason":"tool_use"}},{{"content":"Done."}}]}}"#,
                calls.join(",")
            );
            let file = place
                .write("cassette.json", cassette)?
                .to_string_lossy()
                .into_owned();
            Ok(vec![
                "run".to_owned(),
                "go".to_owned(),
                "--replay".to_owned(),
                file,
            ])
        },
    },
];

/// Runs the command 130 times for each way, or 12 times in the short form.
pub(super) fn run(aside: &Aside, extent: Extent) -> Result<Outcome> {
    // 26,000 files over all ways.
    let runs = match extent {
        Extent::Long => 130,
        Extent::Short => 12,
    };
    let mut outcome = Outcome::default();
    let mut read = 0;
    for way in WAYS {
        let place = aside.place()?;
        let outside = place.path(format!("outside/{}", way.dir));
        for number in 0..FILES {
            let name = format!("{}{number}{}", way.names.0, way.names.1);
            let file = |text: &str| format!("{}{text}\n", way.header);
            place.write(format!("project/{}/{name}", way.dir), file(INSIDE))?;
            place.write(outside.join(&name), file(SECRET))?;
        }
        let arguments = (way.arguments)(&place)?;
        let dir = place.path(format!("project/{}", way.dir));
        let exchange = Exchange::start(&dir, &outside)?;
        for _ in 0..runs {
            let ran = place.run(&arguments)?;
            outcome.tried(FILES);
            let sessions = sessions(&place)?;
            let text = ran.text() + &sessions;
            read += text.matches(INSIDE).count();
            if text.contains(SECRET) {
                outcome.breaks(format!("a file outside is read through {}", way.dir));
            }
            if let Some(fault) = ran.fault() {
                outcome.breaks(format!("{}: {fault}", way.dir));
            }
        }
        let exchanges = exchange.stop()?;
        outcome.note(format!("{}: {exchanges} exchanges in {runs} runs", way.dir));
    }
    outcome.note(format!("{read} files of the project were read meanwhile"));
    let naive = naive_reader(aside)?;
    outcome.note(format!(
        "a reader that checks a path and then opens it was led outside {naive} times"
    ));
    outcome.check((naive == 0).then(|| "the exchange never misleads a naive reader".to_owned()));
    Ok(outcome)
}

/// Returns the transcripts of all sessions, which contain the results of tools,
/// and removes them.
fn sessions(place: &Place) -> Result<String> {
    let dir = place.path("home/.aside/sessions");
    let mut text = String::new();
    for file in walkdir::WalkDir::new(&dir).into_iter().flatten() {
        if file.file_type().is_file() {
            text += &String::from_utf8_lossy(&fs::read(file.path())?);
        }
    }
    if dir.exists() {
        fs::remove_dir_all(dir)?;
    }
    Ok(text)
}

/// Exchanges a directory with a link until it is stopped.
struct Exchange {
    /// Ends with an error if an exchange fails.
    thread: thread::JoinHandle<Result<()>>,
    /// Set by `stop`. Both values live to the end of the process, as the thread
    /// may.
    stop: &'static AtomicBool,
    /// Exchanges so far.
    count: &'static AtomicUsize,
}

impl Exchange {
    /// Creates the link next to the directory, and starts the thread.
    fn start(dir: &Path, target: &Path) -> Result<Self> {
        let link = PathBuf::from(format!("{}.link", dir.display()));
        std::os::unix::fs::symlink(target, &link).context("failed to make a link")?;
        let (dir, stop) = (
            dir.to_owned(),
            &*Box::leak(Box::new(AtomicBool::new(false))),
        );
        let count = &*Box::leak(Box::new(AtomicUsize::new(0)));
        let thread = thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE)
                    .context("failed to exchange two names")?;
                count.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        });
        Ok(Self {
            thread,
            stop,
            count,
        })
    }

    /// Returns the number of exchanges.
    fn stop(self) -> Result<usize> {
        self.stop.store(true, Ordering::Relaxed);
        match self.thread.join() {
            Ok(done) => done?,
            Err(_) => anyhow::bail!("the exchanging thread panicked"),
        }
        Ok(self.count.load(Ordering::Relaxed))
    }
}

/// Reads as a program with the gap does: resolves a path, checks that it is
/// inside, and opens it. Returns how often that gave a file outside.
///
/// It ends after three successes or after `NAIVE_TIME`.
fn naive_reader(aside: &Aside) -> Result<usize> {
    let place = aside.place()?;
    place.write("project/docs/f.md", INSIDE)?;
    place.write("outside/f.md", SECRET)?;
    let (project, dir) = (place.path("project"), place.path("project/docs"));
    let exchange = Exchange::start(&dir, &place.path("outside"))?;
    let (mut misled, start) = (0, Instant::now());
    while misled < 3 && start.elapsed() < NAIVE_TIME {
        let path = dir.join("f.md");
        let is_inside = path.canonicalize().is_ok_and(|it| it.starts_with(&project));
        if is_inside && fs::read_to_string(&path).is_ok_and(|it| it == SECRET) {
            misled += 1;
        }
    }
    exchange.stop()?;
    Ok(misled)
}
