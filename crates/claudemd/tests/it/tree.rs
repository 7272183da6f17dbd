//! A tree of files as text, and the loaded files as text.
//!
//! A tree has a line for each file: `path = text` (`\n` is a new line),
//! `path -> target` for a link, `path/` for a directory, `path |` for a FIFO.
//!
//! The expected text begins with the files that a session in `cwd` starts with,
//! one line per file: kind, reason, path, and `< parent` for an import; then a
//! line `skip path: reason` for each skipped file. Further lines are commands,
//! each followed by the files that it loads and skips: `touch path`, `compact`,
//! `write path = text`, `remove path`. `ROOT` is the directory around the tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aside_claudemd::{Dirs, Loader, Memory, MemoryFile};

pub(crate) struct Tree {
    dir: tempfile::TempDir,
    root: PathBuf,
}

/// Loads `tree` from `cwd` with default options.
#[track_caller]
pub(crate) fn check(tree: &str, cwd: &str, expected: &str) {
    check_with(tree, cwd, |loader| loader, expected);
}

/// Loads `tree` from `cwd` with options.
#[track_caller]
pub(crate) fn check_with(
    tree: &str,
    cwd: &str,
    options: impl FnOnce(Loader) -> Loader,
    expected: &str,
) {
    Tree::new(tree).check(cwd, options, expected);
}

/// The standard library cannot remove trees this deep.
impl Drop for Tree {
    fn drop(&mut self) {
        let removed = std::process::Command::new("rm").arg("-rf").arg(&self.root).status();
        assert!(removed.unwrap().success());
    }
}

impl Tree {
    pub(crate) fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let tree = Self { dir, root };
        for line in lines(text) {
            tree.make(line);
        }
        tree
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        assert!(self.dir.path().exists());
        self.root.join(path)
    }

    /// Creates a directory with nested directories called `d`. Their path may
    /// be longer than a system call takes.
    pub(crate) fn nest(&self, path: &str, levels: usize) {
        const STEP: usize = 100;
        let (below, above) = (self.path("nest-below"), self.path("nest-above"));
        fs::create_dir(&below).unwrap();
        for _ in 0..levels / STEP {
            let deep = above.join(["d"; STEP].join("/"));
            fs::create_dir_all(deep.parent().unwrap()).unwrap();
            fs::rename(&below, &deep).unwrap();
            fs::rename(&above, &below).unwrap();
        }
        fs::rename(&below, self.path(path)).unwrap();
    }

    fn make(&self, line: &str) {
        let filled = |text: &str| text.replace("ROOT", self.root.to_str().unwrap());
        let at = |path: &str| {
            let at = self.path(path);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            at
        };
        if let Some((path, text)) = line.split_once(" =") {
            let text = text.trim_start_matches(' ').replace("\\n", "\n");
            fs::write(at(path), filled(&text)).unwrap();
        } else if let Some((path, target)) = line.split_once(" -> ") {
            std::os::unix::fs::symlink(filled(target), at(path)).unwrap();
        } else if let Some(path) = line.strip_suffix(" |") {
            make_fifo(&at(path));
        } else {
            let path = line.strip_suffix('/').expect("a line of a tree");
            fs::create_dir_all(at(path)).unwrap();
        }
    }

    pub(crate) fn dirs(&self) -> Dirs {
        Dirs {
            home: Some(self.path("home")),
            config: Some(self.path("home/.claude")),
            managed: Some(self.path("managed")),
        }
    }

    pub(crate) fn load(&self, cwd: &str, options: impl FnOnce(Loader) -> Loader) -> Memory {
        let cwd = self.path(cwd);
        options(Loader::new(self.dirs())).load(&cwd).unwrap()
    }

    #[track_caller]
    pub(crate) fn check(&self, cwd: &str, options: impl FnOnce(Loader) -> Loader, expected: &str) {
        let expected = expected.replace("ROOT", self.root.to_str().unwrap());
        let expected: Vec<&str> = lines(&expected).collect();
        let mut memory = self.load(cwd, options);
        let mut skipped = 0;
        let mut actual = self.describe(memory.files(), &memory, &mut skipped);
        for line in &expected {
            let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
            let loaded = match command {
                "touch" => memory.touch(self.path(rest)),
                "compact" => {
                    memory.after_compact();
                    skipped = 0;
                    memory.files().to_vec()
                }
                "write" => {
                    self.make(rest);
                    Vec::new()
                }
                "remove" => {
                    fs::remove_file(self.path(rest)).unwrap();
                    Vec::new()
                }
                _ => continue,
            };
            actual.push((*line).to_owned());
            actual.extend(self.describe(&loaded, &memory, &mut skipped));
        }
        pretty(&expected.join("\n"), &actual.join("\n"));
    }

    fn describe(&self, files: &[MemoryFile], memory: &Memory, skipped: &mut usize) -> Vec<String> {
        let root = format!("{}/", self.root.display());
        let short = |text: String| text.replace(&root, "");
        let inside = |path: &Path| path.starts_with(&self.root) || !path.is_absolute();
        let mut lines = Vec::new();
        for file in files.iter().filter(|file| inside(&file.path)) {
            let (kind, reason) = (file.kind.as_str(), file.reason.as_str());
            let mut line = format!("{kind} {reason} {}", file.path.display());
            if let Some(parent) = &file.parent {
                line.push_str(&format!(" < {}", parent.display()));
            }
            lines.push(short(line));
        }
        for skip in &memory.skipped()[*skipped..] {
            if inside(&skip.path) {
                lines.push(short(format!("skip {}: {}", skip.path.display(), skip.reason)));
            }
        }
        *skipped = memory.skipped().len();
        lines
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

#[track_caller]
fn pretty(expected: &str, actual: &str) {
    assert!(expected == actual, "\nexpected:\n{expected}\n\nactual:\n{actual}\n");
}

fn make_fifo(at: &Path) {
    let status = std::process::Command::new("mkfifo").arg(at).status();
    assert!(status.unwrap().success());
}

/// Returns this thread's CPU time during a run, so that other programs on the
/// machine do not count, as far as the system measures it.
pub(crate) fn busy_time<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let busy = || {
        let stat = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds = stat.split_whitespace().next()?.parse().ok()?;
        Some(Duration::from_nanos(nanoseconds))
    };
    let (start, before) = (Instant::now(), busy());
    let result = run();
    let time = busy().zip(before).map(|(after, before)| after - before);
    (result, time.unwrap_or_else(|| start.elapsed()))
}
