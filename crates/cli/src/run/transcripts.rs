//! Session transcripts, `~/.aside/sessions/<project>/<id>.jsonl`, with reports
//! to the user.

use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, anyhow};
use aside_diagnostic::{Diagnostic, Location};
use aside_host::{Invocation, project_dir};
use aside_transcript::{Contents, ResumedSession, SessionFile, SessionStore, Torn, resume};
use uuid::Uuid;

use crate::Failure;
use crate::kinds;
use crate::output;

/// Returns the store for the project that `cwd` belongs to.
///
/// `ASIDE_DIR` replaces `~/.aside`. This creates nothing.
///
/// # Errors
/// Fails when there is neither a home nor `ASIDE_DIR` as an absolute path, or
/// when the home is no directory.
pub(crate) fn store(invocation: &Invocation, cwd: &Path) -> anyhow::Result<SessionStore> {
    let root = invocation.host.variables.aside_dir().ok_or_else(|| {
        anyhow!(
            "failed to find a place for sessions: neither HOME nor ASIDE_DIR is an absolute path"
        )
    })?;
    let home = invocation.host.dirs().home;
    if let Some(home) = home.filter(|home| root.starts_with(home) && !home.is_dir()) {
        let home = home.display();
        return Err(anyhow!("failed to find a place for sessions: HOME is no directory: {home}"));
    }
    Ok(SessionStore::new(root, project_dir(cwd)))
}

/// Creates a new session's transcript.
///
/// # Errors
/// When a session already has this id, this is a usage error.
pub(super) fn create(store: &SessionStore, id: Uuid) -> Result<SessionFile, Failure> {
    if store.path(id).exists() {
        let message = format!("the session {id} exists: continue it with --resume {id}");
        return Err(Failure::usage(anyhow!(message)));
    }
    let created = store.create(id).and_then(|file| {
        // Later sessions derive their cache lifetime from this.
        store.record_start(SystemTime::now())?;
        Ok(file)
    });
    Ok(created.context("failed to create the session")?)
}

/// Opens a session to continue it, and removes an incomplete last line from the
/// file. The session is `None` when the transcript has no record yet.
pub(super) fn open(
    store: &SessionStore,
    id: Uuid,
) -> anyhow::Result<(SessionFile, Option<ResumedSession>)> {
    let opened = store.open(id);
    let (transcript, contents) = opened.with_context(|| failed(store, id))?;
    Ok((transcript, read_back(store, id, &contents, "removed")?))
}

/// Reads a session without changing its transcript, so that a run may write it
/// at the same time.
pub(super) fn read(store: &SessionStore, id: Uuid) -> anyhow::Result<Option<ResumedSession>> {
    let contents = store.read(id).with_context(|| failed(store, id))?;
    read_back(store, id, &contents, "left out")
}

fn failed(store: &SessionStore, id: Uuid) -> String {
    if store.path(id).exists() {
        format!("failed to resume {id}")
    } else {
        format!("failed to resume {id}: this directory has no such session")
    }
}

/// Reads a session back from its contents, and [reports](report) on them.
fn read_back(
    store: &SessionStore,
    id: Uuid,
    contents: &Contents,
    fate: &str,
) -> anyhow::Result<Option<ResumedSession>> {
    let path = store.path(id);
    report(contents, &path, fate);
    resume(contents, id).with_context(|| format!("failed to resume {id}: {}", path.display()))
}

/// Reports an incomplete last line, which is `fate` (`removed` or `left out`),
/// and repairs.
pub(crate) fn report(contents: &Contents, path: &Path, fate: &str) {
    if let Some(Torn { line, bytes }) = contents.torn {
        let message = format!("an incomplete line of {bytes} bytes is {fate}");
        let place = Location::new(path).line(line);
        output::report(&kinds::TORN_LINE.diagnostic(message).at(place));
    }
    for fault in &contents.diagnostics {
        output::report(&Diagnostic::from(fault).at(path));
    }
}
