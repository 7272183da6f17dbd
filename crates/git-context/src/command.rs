//! Finding git and building its commands, in an environment that a repository
//! cannot influence.
//!
//! A repository is data from outside: it may contain a program named `git`,
//! filters that run programs, and a configuration that names another work tree.
//! So this looks for the program outside the repository only, and outside the
//! one that the process was started in, whose files may be read elsewhere: a
//! checked-out revision, for example. It passes a command only the variables
//! set here.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use crate::filters_off::FiltersOff;
use crate::hardening::{INHERITED, SENTINEL, SETTINGS, VARIABLES, WITHOUT_USER_CONFIG};
use crate::layout::Layout;
use crate::{GitError, GitOptions, UserConfig, repository_root};

/// A git to run in one directory. No other part of this crate reads the
/// environment, and git gets no variables except those set here.
#[derive(Debug)]
pub(crate) struct Git {
    /// An absolute path.
    program: PathBuf,
    cwd: PathBuf,
    /// All variables of a command, except those for its filters.
    environment: Vec<(OsString, OsString)>,
    /// Whether git reads the configuration of user and system.
    user_config: UserConfig,
}

impl Git {
    /// Finds the git to start in a directory of the project at `root`. If this
    /// is a repository, it has its work tree there.
    ///
    /// # Errors
    ///
    /// No directory in `PATH` outside these repositories has the program.
    pub(crate) fn find(
        cwd: PathBuf,
        root: &Path,
        layout: Option<&Layout>,
        options: &GitOptions,
    ) -> Result<Self, GitError> {
        // One inside the root is excluded with it.
        let elsewhere = env::current_dir().ok().filter(|it| !it.starts_with(root));
        let started_in = elsewhere.and_then(|it| repository_root(&it));
        let repositories: Vec<&Path> = [root].into_iter().chain(started_in.as_deref()).collect();
        let path = directories_outside(&repositories, &env::var_os("PATH").unwrap_or_default());
        let program = find_program(&options.program, &path)
            .ok_or_else(|| GitError::git_not_found(&options.program))?;
        let mut environment: Vec<(OsString, OsString)> = INHERITED
            .iter()
            .filter_map(|name| Some((name.into(), env::var_os(name)?)))
            .filter(|(_, value)| Path::new(value).is_absolute())
            .collect();
        if options.user_config == UserConfig::Ignore {
            environment.retain(|(name, _)| name != "XDG_CONFIG_HOME");
            environment.extend(owned(WITHOUT_USER_CONFIG));
        }
        // An empty list would mean the current directory.
        if let Ok(path) = env::join_paths(path)
            && !path.is_empty()
        {
            environment.push(("PATH".into(), path));
        }
        environment.extend(owned(VARIABLES));
        // The repository's configuration may name another work tree, such as
        // the user's home, whose file names the status would list.
        if layout.is_some() {
            environment.push(("GIT_WORK_TREE".into(), root.into()));
        }
        Ok(Self { program, cwd, environment, user_config: options.user_config })
    }

    /// Returns the user and system files that this git takes configuration
    /// from, whether or not they exist. `None` if only git knows them.
    ///
    /// They are known on Linux only, for a program in a `bin` directory.
    pub(crate) fn outer_config_files(&self) -> Option<Vec<PathBuf>> {
        if self.user_config == UserConfig::Ignore {
            return Some(Vec::new());
        }
        // On other systems, vendors add files of their own.
        if !cfg!(target_os = "linux") {
            return None;
        }
        let variable = |name: &str| {
            let mut variables = self.environment.iter();
            variables.find_map(|(key, value)| (key == name).then(|| Path::new(value)))
        };
        let mut files = vec![PathBuf::from("/etc/gitconfig")];
        for program in [&self.program, &self.program.canonicalize().ok()?] {
            let directory = program.parent().filter(|it| it.ends_with("bin"))?;
            files.push(directory.parent()?.join("etc/gitconfig"));
        }
        if let Some(home) = variable("HOME") {
            files.push(home.join(".gitconfig"));
            files.push(home.join(".config/git/config"));
        }
        if let Some(directory) = variable("XDG_CONFIG_HOME") {
            files.push(directory.join("git/config"));
        }
        Some(files)
    }

    /// Builds a command.
    ///
    /// It starts no pager, takes no locks, reads no input, and its output is
    /// piped. Settings are passed as `GIT_CONFIG_KEY_n` and
    /// `GIT_CONFIG_VALUE_n`; to recognize a git that does not know these, a
    /// sentinel is among them.
    pub(crate) fn command(
        &self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        filters: &FiltersOff,
    ) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["--no-pager", "--no-optional-locks"]);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command
            .args(&filters.arguments)
            .args(arguments)
            .current_dir(&self.cwd)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(ceiling) = &filters.ceiling {
            command.env("GIT_CEILING_DIRECTORIES", ceiling);
        }
        let settings = filters.settings.iter().map(|(key, value)| (key.as_os_str(), *value));
        let mut count = 0;
        for (key, value) in [(OsStr::new(SENTINEL), "false")].into_iter().chain(settings) {
            command.env(format!("GIT_CONFIG_KEY_{count}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
            count += 1;
        }
        command.env("GIT_CONFIG_COUNT", count.to_string());
        command
    }
}

fn owned(variables: &[(&str, &str)]) -> impl Iterator<Item = (OsString, OsString)> {
    variables.iter().map(|(name, value)| (name.into(), value.into()))
}

/// Returns the directories in a `PATH` without the relative ones: a program that starts in a
/// repository would be looked up there. An empty directory is the current one.
///
/// ```
/// let path = std::env::join_paths(["", "bin", "/usr/bin"])?;
/// let mut directories = aside_git_context::absolute_directories(&path);
/// # #[cfg(unix)]
/// assert!(directories.by_ref().eq([std::path::Path::new("/usr/bin")]));
/// # Ok::<(), std::env::JoinPathsError>(())
/// ```
pub fn absolute_directories(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    env::split_paths(path).filter(|directory| directory.is_absolute())
}

/// Returns the directories in a `PATH` except those inside these repositories,
/// which may hold their own `git`. The directories are resolved:
/// `/proc/self/cwd` depends on the process.
fn directories_outside(repositories: &[&Path], path: &OsStr) -> Vec<PathBuf> {
    absolute_directories(path)
        .filter_map(|directory| {
            let canonical = directory.canonicalize().ok()?;
            let kept = if cfg!(windows) {
                // Not every Windows program accepts the canonical form.
                directory
            } else {
                canonical.clone()
            };
            let is_inside = repositories.iter().any(|root| canonical.starts_with(root));
            (!is_inside).then_some(kept)
        })
        .collect()
}

/// Returns the path of the program, if it is executable. A name is looked up in
/// `directories`, a path is used as is. The system does not search, because it
/// would begin inside the repository.
fn find_program(program: &Path, directories: &[PathBuf]) -> Option<PathBuf> {
    let is_bare_name = program.file_name() == Some(program.as_os_str());
    if !is_bare_name {
        return std::path::absolute(program).ok().filter(|path| is_executable(path));
    }
    let mut name = program.as_os_str().to_owned();
    if program.extension().is_none() {
        name.push(env::consts::EXE_SUFFIX);
    }
    directories.iter().map(|directory| directory.join(&name)).find(|path| is_executable(path))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn directories_of_the_repository_are_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let outside = directory.path().canonicalize().unwrap();
        let root = outside.join("work");
        let bin = root.join("node_modules/.bin");
        fs::create_dir_all(&bin).unwrap();
        let beside = outside.join("work-bin");
        fs::create_dir(&beside).unwrap();
        symlink(&bin, outside.join("into")).unwrap();
        symlink(&beside, root.join("out")).unwrap();
        let path = env::join_paths([
            &root,
            &bin,
            &outside.join("into"),
            &outside.join("work-bin/../work"),
            &outside.join("missing"),
            Path::new("."),
            Path::new(""),
            &root.join("out"),
        ]);
        let path = path.unwrap();
        assert_eq!(directories_outside(&[&root], &path), std::slice::from_ref(&beside));
        assert!(directories_outside(&[&root, &beside], &path).is_empty());
    }
}
