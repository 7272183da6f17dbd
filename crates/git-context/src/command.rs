use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use crate::hardening::{INHERITED, SETTINGS, VARIABLES, WITHOUT_USER_CONFIG};
use crate::{Error, GitOptions, Query, UserConfig};

/// A setting that outranks those of all files.
pub(crate) type Setting = (String, &'static str);

/// A git that can be run in a directory. Nothing else in this crate looks at
/// the environment, and git sees only what is put together here.
#[derive(Debug)]
pub(crate) struct Git {
    program: PathBuf,
    cwd: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

impl Git {
    pub(crate) fn find(cwd: PathBuf, options: &GitOptions) -> Result<Self, Error> {
        let path = absolute_directories();
        let program = find_program(&options.program, &path)
            .ok_or_else(|| Error::git_not_found(&options.program))?;
        let mut environment: Vec<(OsString, OsString)> = INHERITED
            .iter()
            .filter_map(|name| Some((name.into(), env::var_os(name)?)))
            .filter(|(_, value)| Path::new(value).is_absolute())
            .collect();
        if options.user_config == UserConfig::Ignore {
            environment.retain(|(name, _)| name != "XDG_CONFIG_HOME");
            environment.extend(owned(WITHOUT_USER_CONFIG));
        }
        if let Ok(path) = env::join_paths(path) {
            environment.push(("PATH".into(), path));
        }
        environment.extend(owned(VARIABLES));
        Ok(Self {
            program,
            cwd,
            environment,
        })
    }

    /// The command of a query, with further settings.
    pub(crate) fn command(&self, query: Query, further: &[Setting]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(["--no-pager", "--no-optional-locks"])
            .args(query.arguments())
            .current_dir(&self.cwd)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let settings = SETTINGS
            .iter()
            .copied()
            .chain(further.iter().map(|(key, value)| (key.as_str(), *value)));
        let mut count = 0;
        for (key, value) in settings {
            command.env(format!("GIT_CONFIG_KEY_{count}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
            count += 1;
        }
        command.env("GIT_CONFIG_COUNT", count.to_string());
        command
    }
}

fn owned(variables: &[(&str, &str)]) -> impl Iterator<Item = (OsString, OsString)> {
    variables
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
}

/// The directories of `PATH`. A relative one is left out: it would be a
/// directory of the repository, with a `git` of its own perhaps.
fn absolute_directories() -> Vec<PathBuf> {
    env::var_os("PATH")
        .iter()
        .flat_map(env::split_paths)
        .filter(|directory| directory.is_absolute())
        .collect()
}

/// Where the program is. It is found here rather than by the system, which
/// would look from inside the repository.
fn find_program(program: &Path, directories: &[PathBuf]) -> Option<PathBuf> {
    let is_bare_name = program.file_name() == Some(program.as_os_str());
    if !is_bare_name {
        return std::path::absolute(program)
            .ok()
            .filter(|path| is_executable(path));
    }
    let mut name = program.as_os_str().to_owned();
    if program.extension().is_none() {
        name.push(env::consts::EXE_SUFFIX);
    }
    directories
        .iter()
        .map(|directory| directory.join(&name))
        .find(|path| is_executable(path))
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
