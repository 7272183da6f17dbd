//! The command under attack, in a project and a home of its own.
//!
//! A case must not see the machine on which it runs, or its result would depend
//! on it. A place is a temporary directory:
//!
//! ```text
//! project/   the working directory, a repository after `init`
//! home/      HOME: the user's files, and the sessions that a command stores
//! outside/   what no command may read; the target of links
//! managed/   ASIDE_MANAGED_DIR, which is not created
//! ```
//!
//! The environment has `PATH` and these directories, and nothing else. Git has
//! a fixed author and fixed dates, so that a commit has the same id in every
//! run.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tempfile::TempDir;

/// No command takes longer; one that does hangs.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// The built program.
#[derive(Clone, Debug)]
pub(super) struct Aside {
    /// The path of the debug build.
    program: PathBuf,
}

/// A directory with a project, a home, and a place outside of both.
#[derive(Debug)]
pub(super) struct Place {
    /// The command that is run in the place.
    aside: Aside,
    /// Removed with the place.
    _directory: TempDir,
    /// The canonical path of the directory, as a temporary directory may be a
    /// link.
    root: PathBuf,
}

/// The result of a command.
#[derive(Debug)]
pub(super) struct Ran {
    /// `None` if a signal ended the command, or it hung.
    pub(super) code: Option<i32>,
    /// Everything that was written.
    pub(super) stdout: Vec<u8>,
    /// As stdout. It is a pipe even if stdout is a terminal.
    pub(super) stderr: Vec<u8>,
    /// The command was killed after `TIME_LIMIT`.
    hung: bool,
    /// The time from the start of the process to its end.
    elapsed: Duration,
    /// The time that it may take, if that is less than `TIME_LIMIT`.
    pub(super) limit: Option<Duration>,
}

impl Aside {
    /// Returns the command at this path, which is not checked.
    pub(super) fn new(program: &Path) -> Self {
        let program = program.to_owned();
        Self { program }
    }

    /// Makes a place with an empty project.
    pub(super) fn place(&self) -> Result<Place> {
        let directory = tempfile::tempdir().context("failed to make a directory")?;
        let root = directory.path().canonicalize()?;
        for name in ["project", "home", "outside"] {
            fs::create_dir(root.join(name))?;
        }
        let aside = self.clone();
        Ok(Place {
            aside,
            _directory: directory,
            root,
        })
    }
}

impl Place {
    /// Returns the path of something in the place.
    pub(super) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    /// Returns a path in a directory that exists.
    fn new_path(&self, name: impl AsRef<Path>) -> Result<PathBuf> {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
        Ok(path)
    }

    /// Writes a file, and the directories that it is in.
    pub(super) fn write(
        &self,
        name: impl AsRef<Path>,
        content: impl AsRef<[u8]>,
    ) -> Result<PathBuf> {
        let path = self.new_path(name)?;
        fs::write(&path, content).with_context(|| format!("failed to write {}", path.display()))?;
        Ok(path)
    }

    /// Makes a symbolic link, and the directories that it is in.
    pub(super) fn link(&self, target: impl AsRef<Path>, name: impl AsRef<Path>) -> Result<()> {
        let path = self.new_path(name)?;
        std::os::unix::fs::symlink(target, &path)
            .with_context(|| format!("failed to link {}", path.display()))
    }

    /// Runs git in the project.
    ///
    /// A failing git command is no error, since many hostile names and values
    /// are refused by git itself. The configuration of the system is not read.
    pub(super) fn git(&self, arguments: &[impl AsRef<OsStr>]) -> Result<Ran> {
        let environment = [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_DATE", "2001-02-03T04:05:06Z"),
            ("GIT_COMMITTER_DATE", "2001-02-03T04:05:06Z"),
            ("GIT_AUTHOR_NAME", "Ada"),
            ("GIT_AUTHOR_EMAIL", "ada@example.org"),
            ("GIT_COMMITTER_NAME", "Ada"),
            ("GIT_COMMITTER_EMAIL", "ada@example.org"),
        ];
        Ran::of(self.program("git", arguments).envs(environment))
    }

    /// Makes the project a repository with a commit.
    ///
    /// The commit has one file, `a`. No template is copied, so the repository
    /// has no hooks.
    pub(super) fn init(&self) -> Result<()> {
        self.git(&["init", "-q", "-b", "main", "--template="])?;
        self.write("project/a", "one\n")?;
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "-m", "first"])?;
        Ok(())
    }

    /// Returns the command, to be run in the project with nothing of the
    /// caller's environment.
    pub(super) fn command(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        self.program(&self.aside.program, arguments)
    }

    /// Returns another program, such as a shell, to be run as the command is.
    pub(super) fn program(
        &self,
        program: impl AsRef<OsStr>,
        arguments: &[impl AsRef<OsStr>],
    ) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.path("project"))
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", self.path("home"))
            .env("ASIDE_MANAGED_DIR", self.path("managed"));
        command
    }

    /// Returns the path of the command.
    pub(super) fn aside_path(&self) -> &Path {
        &self.aside.program
    }

    /// Runs the command.
    pub(super) fn run(&self, arguments: &[impl AsRef<OsStr>]) -> Result<Ran> {
        Ran::of(&mut self.command(arguments))
    }
}

impl Ran {
    /// Runs a command to its end, or to the time limit.
    ///
    /// # Errors
    /// If the program cannot be started. A failing or hanging program is a
    /// `Ran`.
    pub(super) fn of(command: &mut Command) -> Result<Self> {
        Self::finish(command.stdout(Stdio::piped()))
    }

    /// Runs a command whose stdout is a terminal, which changes nothing in the
    /// bytes that it is given.
    ///
    /// The pseudo terminal is raw: it would else turn a line end into a
    /// carriage return and a line feed, which would be found as a control
    /// character. stderr stays a pipe.
    pub(super) fn on_terminal(command: &mut Command) -> Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let terminal = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
        let mut settings = tcgetattr(&terminal)?;
        settings.make_raw();
        tcsetattr(&terminal, OptionalActions::Now, &settings)?;
        let mut master = File::from(master);
        let reader = thread::spawn(move || {
            let mut bytes = Vec::new();
            // Reading ends with an error when the terminal is closed.
            let _ = master.read_to_end(&mut bytes);
            bytes
        });
        let ran = Self::finish(command.stdout(terminal));
        // A terminal ends when its last descriptor is closed.
        command.stdout(Stdio::null());
        let stdout = reader.join().unwrap_or_default();
        Ok(Self { stdout, ..ran? })
    }

    /// Runs a command with a closed stdin.
    fn finish(command: &mut Command) -> Result<Self> {
        let start = Instant::now();
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn();
        let child = child.with_context(|| format!("failed to run {command:?}"))?;
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait_with_output()));
        let in_time = receiver.recv_timeout(TIME_LIMIT);
        let hung = in_time.is_err();
        if hung {
            kill_process(id.context("a process has an id")?, Signal::KILL)?;
        }
        let output = in_time.or_else(|_| receiver.recv())??;
        Ok(Self {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: output.stderr,
            hung,
            elapsed: start.elapsed(),
            limit: None,
        })
    }

    /// Returns stdout and stderr as text.
    pub(super) fn text(&self) -> String {
        let stdout = String::from_utf8_lossy(&self.stdout);
        let stderr = String::from_utf8_lossy(&self.stderr);
        format!("{stdout}{stderr}")
    }

    /// Returns true if the command took longer than its limit.
    pub(super) fn is_slow(&self) -> bool {
        self.limit.is_some_and(|it| self.elapsed > it)
    }

    /// Returns a finding if the command hung, was slow, or ended by a panic or
    /// a signal.
    ///
    /// An exit code of 0, 1 or 2 is the command's own: success, a fault of the
    /// input, or a usage error.
    pub(super) fn fault(&self) -> Option<String> {
        let stderr = String::from_utf8_lossy(&self.stderr);
        let is_panic = self.code.is_none_or(|code| code > 2) || stderr.contains("panicked at");
        if self.hung {
            Some("hangs".to_owned())
        } else if is_panic {
            Some(format!("ends with {:?}: {stderr}", self.code))
        } else {
            self.is_slow().then(|| format!("takes {:?}", self.elapsed))
        }
    }
}
