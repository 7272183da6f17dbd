//! Records as JSON Lines, one file for each session.
//!
//! `aside cache explain` reads this form, and so does `aside serve --replay`. A
//! record is one line, so if a full disk cuts the file, one exchange is lost.
//!
//! ```json
//! {"t":1764028800.5,"body":{…},"provider":"anthropic","model":"claude-opus-5-5",
//!  "session":"1764028800-0001","id":"msg_1","headers":{"request-id":"req_1"},"usage":{…},
//!  "status":200,"path":"/v1/messages","latency_ms":812.5,"complete":true,
//!  "response":{"content":[…],"stop_reason":"end_turn"}}
//! ```
//!
//! On Unix, files are created with mode 0600, and the directory with mode 0700.
//! Nothing is synchronized to disk: if the system crashes, a record that was
//! just written can be lost.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::value::RawValue;

use super::finished::Finished;
use crate::buffers::Buffers;
use crate::object::Object;
use crate::redact::{Recorded, Texts, texts};

/// About how many bytes a line has besides the request.
const LINE_BYTES: usize = 16 << 10;

/// Writes records into a directory.
#[derive(Debug)]
pub(crate) struct Recorder {
    /// Where the files are; without a directory, nothing is written.
    directory: Option<PathBuf>,
    texts: Texts,
    /// For the lines.
    buffers: Buffers,
}

/// Why a record was not written.
#[derive(Debug, thiserror::Error)]
#[error("write {}: {source}", .path.display())]
pub struct RecordError {
    /// The directory that was refused, or the file that was not written.
    path: PathBuf,
    source: io::Error,
}

/// A response as the Messages API has it, and `aside serve --replay` reads it.
#[derive(Serialize)]
struct Response<'a> {
    content: Vec<Box<RawValue>>,
    stop_reason: Option<&'a str>,
    /// The items that a request with `previous_response_id` continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Box<RawValue>>,
}

impl Recorder {
    /// Creates the directory, only for this user. One that exists keeps its
    /// permissions; if all users may write to it, it is refused.
    pub(crate) fn new(directory: Option<PathBuf>, texts: Texts) -> Result<Self, RecordError> {
        if let Some(path) = &directory {
            create(path).map_err(|source| RecordError { path: path.clone(), source })?;
        }
        Ok(Self { directory, texts, buffers: Buffers::default() })
    }

    pub(crate) fn texts(&self) -> Texts {
        self.texts
    }

    /// Returns the directory, if records are written.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Appends a line to a file, `FILE.jsonl`: its session's, or the one for
    /// requests that belong to none. The file is opened for each record, so you
    /// may move or delete a session while the proxy runs.
    pub(crate) fn write(
        &self,
        file: &str,
        session: Option<&str>,
        finished: &Finished,
    ) -> Result<(), RecordError> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        let path = directory.join(format!("{file}.jsonl"));
        let line = self.line(session, finished);
        let written = line.and_then(|line| append(&path, &self.buffers.freeze(line)));
        written.map_err(|source| RecordError { path, source })
    }

    /// Writes an exchange, which has no secrets, as one line. Texts are left
    /// out if they are redacted.
    ///
    /// `t`, in seconds since 1970, and `body`, as sent to the upstream, are the plain form, which
    /// `aside cache explain` reads; it ignores the other keys. `model` and `id` are the response's;
    /// `status` and `latency_ms` are absent if no response began, `response` if no content was read.
    fn line(&self, session: Option<&str>, finished: &Finished) -> io::Result<Vec<u8>> {
        let observed = &finished.observed;
        // To look for bytes that are not UTF-8 takes longer than to see that there are none.
        let text = str::from_utf8(&finished.body).map(Cow::Borrowed);
        let text = text.unwrap_or_else(|_| String::from_utf8_lossy(&finished.body));
        let text = match self.texts {
            Texts::Kept => text,
            Texts::Redacted => texts(&text, Recorded::Request).into(),
        };
        let is_json = finished.is_clean || serde_json::from_str::<&RawValue>(&text).is_ok();
        let body = match self.texts {
            _ if is_json => text,
            Texts::Kept => serde_json::to_string(&text.replace(['\n', '\r'], " "))?.into(),
            Texts::Redacted => r#""""#.into(),
        };
        let block = |json: &str| {
            let json = match self.texts {
                Texts::Kept => json.to_owned(),
                Texts::Redacted => texts(json, Recorded::Block),
            };
            RawValue::from_string(json).ok()
        };
        let content = observed.content.iter().flatten();
        let response = Response {
            content: content.filter_map(|it| block(it.get())).collect(),
            stop_reason: observed.stop_reason.as_deref(),
            output: observed.output.as_deref().and_then(block),
        };
        let message = finished.error_message(self.texts);
        let error = observed.error.as_deref().map(|kind| match message {
            Some(message) => format!("{kind}: {message}"),
            None => kind.to_owned(),
        });
        let headers = finished.headers.iter();
        let headers = headers.fold(Object::default(), |it, (name, value)| it.with(name, value));
        let mut json = self.buffers.take(body.len() + LINE_BYTES);
        let seconds = serde_json::to_string(&finished.at.as_secs_f64())?;
        write!(json, r#"{{"t":{seconds},"body":{body}"#)?;
        let line = Object::after(json)
            .with("provider", finished.provider())
            .given("model", observed.model.as_ref())
            .given("session", session)
            .given("id", observed.id.as_ref())
            .with("headers", headers.end())
            .given("usage", observed.usage.as_ref())
            .given("status", finished.status)
            .with("path", &finished.path)
            .given("latency_ms", finished.latency.map(|it| it.as_secs_f64() * 1e3))
            .with("complete", finished.is_complete)
            .given("error", error)
            .given("response", observed.content.is_some().then_some(response));
        let mut json = line.into_bytes();
        // Between tokens a line break equals a space, and byte offsets do not change. A tool call's
        // input keeps the line breaks in its text.
        let mut from = 0;
        while let Some(at) = memchr::memchr2(b'\n', b'\r', &json[from..]) {
            from += at;
            json[from] = b' ';
        }
        json.push(b'\n');
        Ok(json)
    }
}

#[cfg(unix)]
fn create(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};

    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    match fs::metadata(path)?.permissions().mode() & 0o002 {
        0 => Ok(()),
        _ => Err(io::Error::other("other users may write to the directory")),
    }
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Appends to a regular file. A link or a FIFO that was there before the record
/// is not followed.
fn append(path: &Path, line: &[u8]) -> io::Result<()> {
    if path.symlink_metadata().is_ok_and(|it| !it.is_file()) {
        return Err(io::Error::other("not a regular file"));
    }
    let mut file: File = options().open(path)?;
    file.write_all(line)?;
    file.flush()
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn only_regular_files_are_appended_to() {
        let folder = tempfile::tempdir().expect("a directory");
        let (file, link) = (folder.path().join("a"), folder.path().join("b"));
        append(&file, b"1\n").expect("a new file");
        append(&file, b"2\n").expect("the same file");
        symlink(&file, &link).expect("a link");
        let error = append(&link, b"3\n").expect_err("a link is refused");
        assert_eq!(error.to_string(), "not a regular file");
        assert_eq!(fs::read(&file).expect("the file"), b"1\n2\n");
    }

    #[test]
    fn a_directory_that_everybody_may_write_to_is_refused() {
        let folder = tempfile::tempdir().expect("a directory");
        for (mode, is_refused) in [(0o700, false), (0o775, false), (0o777, true)] {
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(folder.path(), permissions).expect("the mode is set");
            let recorder = Recorder::new(Some(folder.path().to_owned()), Texts::Kept);
            assert_eq!(recorder.is_err(), is_refused, "{mode:o}");
        }
    }
}
