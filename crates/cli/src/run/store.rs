//! Where the sessions are: `sessions/<project>/<id>.jsonl` below the directory
//! of Aside.

use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, anyhow};
use aside_transcript::{Contents, Torn, Transcript};
use uuid::Uuid;

use crate::output;

/// The transcript of a new session.
pub(super) fn create(directory: &Path, id: Uuid) -> anyhow::Result<Transcript> {
    let failed = || format!("failed to make {}", directory.display());
    make_private(directory).with_context(failed)?;
    Transcript::create(&path(directory, id)).context("failed to begin")
}

/// The transcript of a session that is to go on.
pub(super) fn open(directory: &Path, id: Uuid) -> anyhow::Result<(Transcript, Contents)> {
    let path = path(directory, id);
    let opened = Transcript::open(&path);
    let (transcript, contents) = opened.with_context(|| format!("failed to resume {id}"))?;
    tell(&path, &contents, "are cut off");
    Ok((transcript, contents))
}

/// What a session holds, which stays as it is. A line that broke off is as
/// good as not written.
pub(super) fn look(directory: &Path, id: Uuid) -> anyhow::Result<Contents> {
    let path = path(directory, id);
    let contents = aside_transcript::read(&path);
    let contents = contents.with_context(|| format!("failed to resume {id}"))?;
    tell(&path, &contents, "are left out");
    Ok(contents)
}

/// What is wrong with a transcript, and what becomes of a line that broke off.
fn tell(path: &Path, contents: &Contents, torn: &str) {
    let path = path.display();
    if let Some(Torn { line, bytes }) = contents.torn {
        let fault = format!("{path}:{line}: {bytes} bytes of a line that broke off {torn}");
        output::say("warning", &fault);
    }
    for fault in &contents.diagnostics {
        output::say("warning", &format!("{path}: {fault}"));
    }
}

/// Where the sessions of a project are.
pub(super) fn directory(root: Option<PathBuf>, project: &Path) -> anyhow::Result<PathBuf> {
    let root = root.ok_or_else(|| {
        anyhow!(
            "failed to find a place for sessions: neither HOME nor ASIDE_DIR is an absolute path"
        )
    })?;
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let project = project.to_string_lossy();
    let name: String = project.chars().map(plain).collect();
    // The end of a long path says most; the hash tells it from others.
    let from = name.len().saturating_sub(100);
    let hash = Uuid::new_v5(&Uuid::nil(), project.as_bytes()).simple();
    let name = format!("{}-{:.8}", &name[from..], hash.to_string());
    Ok(root.join("sessions").join(name))
}

fn path(directory: &Path, id: Uuid) -> PathBuf {
    directory.join(format!("{id}.jsonl"))
}

/// An id that no other session has: no two begin at the same moment in one
/// process, nor in one place with the same number of a process.
pub(super) fn new_id(directory: &Path) -> Uuid {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.unwrap_or(Duration::ZERO).as_nanos();
    let name = format!("{} {} {now}", directory.display(), std::process::id());
    Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes())
}

/// Makes directories into which nobody else can look.
fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_project_has_a_directory_of_its_own() {
        let of = |project: &str| {
            let found = directory(Some("/home/mia/.aside".into()), Path::new(project));
            found.unwrap().to_string_lossy().into_owned()
        };
        assert_eq!(
            of("/home/mia/shop/a b"),
            "/home/mia/.aside/sessions/-home-mia-shop-a-b-e0ff843b"
        );
        assert_ne!(of("/home/mia/shop/a b"), of("/home/mia/shop/a-b"));
        assert!(of(&"/文档/long".repeat(900)).len() < 200);
        assert!(directory(None, Path::new("/home/mia/shop")).is_err());
    }
}
