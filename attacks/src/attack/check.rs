//! What to expect from a command, and from files after it.

use std::fs;
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;
use walkdir::WalkDir;

use super::command::Ran;
use super::judge::terminal_controls;
use super::place::Place;
use super::template::Scope;

/// What has to be true after a command.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Check {
    /// The command ended by itself and in time, without a panic.
    Ends,
    /// The exit code is 0.
    Succeeds,
    /// The exit code is another one.
    Fails,
    /// A text is neither in the output nor in the files that were written.
    Without {
        text: String,
        /// Directories with these files. A link is not followed.
        #[serde(default)]
        files: Vec<String>,
        /// A text to remove first, such as a path that may be shown.
        #[serde(default)]
        except: String,
    },
    /// A stream has no characters that control a terminal.
    NoControls(Stream),
    /// A path does not exist.
    Missing(String),
    /// A judge's control: the inner check does not hold.
    Not(Box<Check>),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

impl Check {
    /// Returns a finding if it does not hold.
    pub(super) fn finding(
        &self,
        ran: &Ran,
        place: &Place,
        scope: &mut Scope,
    ) -> Result<Option<String>> {
        Ok(match self {
            Self::Ends => ran.fault(),
            Self::Succeeds if ran.code == Some(0) => None,
            Self::Succeeds => {
                Some(format!("exit code {:?} instead of 0: {}", ran.code, ran.text()))
            }
            Self::Fails => (ran.code == Some(0)).then(|| "is accepted".to_owned()),
            Self::Without { text, files, except } => {
                let (wanted, except) = (scope.text(text)?, scope.text(except)?);
                let mut text = ran.text();
                for directory in files {
                    text += &contents(&place.path(directory))?;
                }
                if !except.is_empty() {
                    text = text.replace(&except, "");
                }
                text.contains(&wanted).then(|| format!("shows {wanted:?}"))
            }
            Self::NoControls(stream) => {
                let bytes = match stream {
                    Stream::Stdout => &ran.stdout,
                    Stream::Stderr => &ran.stderr,
                };
                let text = String::from_utf8_lossy(bytes);
                let is_bad = |line: &&str| !terminal_controls(line.as_bytes()).is_empty();
                let line = text.lines().find(is_bad).map(str::to_owned);
                let found = line.or((!terminal_controls(bytes).is_empty()).then(String::new));
                found.map(|line| format!("{stream:?}: {line:?}"))
            }
            Self::Missing(path) => {
                let path = scope.text(path)?;
                place.path(&path).exists().then(|| format!("{path} exists"))
            }
            Self::Not(check) => match check.finding(ran, place, scope)? {
                Some(_) => None,
                None => Some(format!("the control is not seen: {check:?}")),
            },
        })
    }
}

/// Returns the text in all files below a directory; nothing if it is a link.
pub(super) fn contents(directory: &Path) -> Result<String> {
    let mut text = String::new();
    // The walk would follow a link that it starts from.
    if !directory.is_symlink() {
        for file in WalkDir::new(directory).into_iter().flatten() {
            if file.file_type().is_file() {
                text += &String::from_utf8_lossy(&fs::read(file.path())?);
            }
        }
    }
    Ok(text)
}
