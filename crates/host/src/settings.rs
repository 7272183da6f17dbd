use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use aside_agent::{Area, Diagnostic};
use serde::Deserialize;

/// More than any settings file has.
const MAX_BYTES: u64 = 1024 * 1024;

/// The keys of `settings.json` that Aside honours. Everything else in the
/// files is left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// `includeGitInstructions`: whether the model is told the git status.
    pub include_git_instructions: Option<bool>,
    /// `claudeMdExcludes`: instruction files that are not loaded.
    pub claude_md_excludes: Vec<String>,
    /// `claudeMd`: instructions of the administrator. Counts in the managed
    /// settings only.
    pub claude_md: Option<String>,
}

/// Where settings are, from low to high precedence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// Of the user and of the directory that the session starts in.
    pub(crate) files: Vec<PathBuf>,
    /// Of the administrator.
    pub(crate) managed: Option<PathBuf>,
}

impl Settings {
    /// Reads every file that is there. Lists are joined, other keys are
    /// overridden by the file of higher precedence; a file that cannot be read
    /// is left out and told.
    pub(crate) fn read(places: &Places, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut settings = Self::default();
        for path in &places.files {
            let file = read_file(path, diagnostics);
            settings.override_with(Self {
                claude_md: None,
                ..file
            });
        }
        if let Some(path) = &places.managed {
            settings.override_with(read_file(path, diagnostics));
        }
        settings
    }

    fn override_with(&mut self, higher: Self) {
        self.claude_md_excludes.extend(higher.claude_md_excludes);
        self.include_git_instructions = higher
            .include_git_instructions
            .or(self.include_git_instructions);
        self.claude_md = higher.claude_md.or(self.claude_md.take());
    }
}

fn read_file(path: &Path, diagnostics: &mut Vec<Diagnostic>) -> Settings {
    let read = match read_text(path) {
        Ok(text) => serde_json::from_slice(&text).map_err(|error| error.to_string()),
        Err(error) if is_absence(&error) => return Settings::default(),
        Err(error) => Err(error.to_string()),
    };
    read.unwrap_or_else(|error: String| {
        let message = format!("{}: {error}; the file is left out", path.display());
        diagnostics.push(Diagnostic {
            area: Area::Settings,
            message,
        });
        Settings::default()
    })
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Opens without waiting, since a project may have put a FIFO there.
fn read_text(path: &Path) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let file: File = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let mut text = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("more than 1 MiB"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Reads these files, lowest precedence first; the last one is managed.
    fn check(files: &[&str], expected: &Settings, told: &[&str]) {
        let directory = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for (index, text) in files.iter().enumerate() {
            let path = directory.path().join(index.to_string());
            fs::write(&path, text).unwrap();
            paths.push(path);
        }
        let managed = paths.pop();
        paths.insert(0, directory.path().join("absent"));
        let mut diagnostics = Vec::new();
        let read = Settings::read(
            &Places {
                files: paths,
                managed,
            },
            &mut diagnostics,
        );
        let prefix = format!("settings: {}/", directory.path().display());
        let diagnostics: Vec<_> = diagnostics
            .iter()
            .map(|it| it.to_string().replace(&prefix, ""))
            .collect();
        assert_eq!(&read, expected);
        assert_eq!(diagnostics, told);
    }

    #[test]
    fn lists_are_joined_and_other_keys_overridden() {
        check(
            &[
                r#"{"includeGitInstructions":true,"claudeMdExcludes":["a"],"claudeMd":"no","x":1}"#,
                r#"{"includeGitInstructions":false,"claudeMdExcludes":["b"]}"#,
                r#"{"claudeMd":"yes"}"#,
            ],
            &Settings {
                include_git_instructions: Some(false),
                claude_md_excludes: vec!["a".into(), "b".into()],
                claude_md: Some("yes".into()),
            },
            &[],
        );
    }

    #[test]
    fn a_broken_file_is_told_and_left_out() {
        check(
            &[
                "{\n  \"claudeMdExcludes\": 7\n}",
                r#"{"includeGitInstructions":false}"#,
                "{",
            ],
            &Settings {
                include_git_instructions: Some(false),
                ..Settings::default()
            },
            &[
                "0: invalid type: integer `7`, expected a sequence at line 2 column 23; the file is left out",
                "2: EOF while parsing an object at line 1 column 1; the file is left out",
            ],
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_fifo_is_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("settings.json");
        let made = std::process::Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap();
        assert!(made.success());
        assert_eq!(read_text(&path).unwrap_err().to_string(), "not a file");
    }
}
