//! Writing of the actual requests as the expected ones. Links are not followed,
//! and files of requests that are no longer made are removed.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use similar::{Algorithm, TextDiff};

use crate::case::Case;
use crate::own_file;
use crate::play::play;

/// The time limit of a diff; after that the diff is longer than necessary.
const MAX_DIFF_TIME: Duration = Duration::from_secs(2);

/// A file of expected bytes that was written or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blessed {
    /// The path of the file.
    pub path: PathBuf,
    /// The earlier contents, if the file existed.
    pub before: Option<Vec<u8>>,
    /// The new contents, if the file exists.
    pub after: Option<Vec<u8>>,
}

/// Writes the bytes of every request to its file and removes files without a
/// turn. Returns the changes.
///
/// # Errors
///
/// The scenario cannot be played, a file cannot be written, or a link is in the
/// place of one.
pub async fn bless(case: &Case) -> Result<Vec<Blessed>> {
    let mut changed = Vec::new();
    let played = play(case).await?;
    let mut files = Vec::new();
    if case.has_bytes() {
        let bytes = played.bytes().into_iter().zip(1..);
        files.extend(bytes.map(|(bytes, request)| (case.expected_path(request), bytes)));
    }
    if case.has_text() {
        let texts = played.texts(case).into_iter().zip(1..);
        files.extend(texts.map(|(text, request)| (case.text_path(request), text.into_bytes())));
    }
    for (path, bytes) in files {
        let before = own_file::read(&path)?;
        if before.as_ref() != Some(&bytes) {
            own_file::write(&path, &bytes)?;
            let after = Some(bytes);
            changed.push(Blessed {
                path,
                before,
                after,
            });
        }
    }
    for path in case.surplus()? {
        let before = own_file::read(&path)?;
        own_file::remove(&path)?;
        changed.push(Blessed {
            path,
            before,
            after: None,
        });
    }
    Ok(changed)
}

impl Blessed {
    /// Returns the difference if the file existed before and still exists, else
    /// an empty text.
    #[must_use]
    pub fn diff(&self) -> String {
        let (Some(before), Some(after)) = (&self.before, &self.after) else {
            return String::new();
        };
        let is_json = self.path.extension().is_some_and(|end| end == "json");
        let lines = |bytes: &[u8]| match is_json {
            true => readable(bytes),
            false => String::from_utf8_lossy(bytes).into_owned(),
        };
        let (before, after) = (lines(before), lines(after));
        let mut config = TextDiff::configure();
        config.algorithm(Algorithm::Myers).timeout(MAX_DIFF_TIME);
        let diff = config.diff_lines(&before, &after);
        diff.unified_diff().context_radius(2).to_string()
    }
}

impl fmt::Display for Blessed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = match self.after {
            Some(_) => "wrote",
            None => "removed",
        };
        write!(f, "{done} {}", self.path.display())
    }
}

/// Returns the JSON with one token a line, so that a diff is short.
fn readable(json: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(json)
        .replace("\",\"", "\",\n\"")
        .replace("},{", "},\n{")
        .replace("\\n", "\\n\n");
    text.push('\n');
    text
}
