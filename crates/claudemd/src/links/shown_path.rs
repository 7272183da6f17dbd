//! Paths that are the same for two clones of a project.

use std::path::{Path, PathBuf};

use aside_text::one_line;

use crate::setting::Setting;

/// Returns an instruction file's path as the model reads it in the layered layout: from the
/// project's root (`docs/build.md`), in the user's configuration as `~/.claude/CLAUDE.md` whatever
/// the real directory, below the home as `~/notes.md`, among the administrator's files as
/// `managed/CLAUDE.md`, and otherwise in full.
pub(crate) fn shown_path(path: &Path, setting: &Setting) -> String {
    let dirs = &setting.loader.dirs;
    let below = |dir: &Path| path.strip_prefix(dir).ok().map(Path::to_owned);
    let in_dir = |dir: &Option<PathBuf>, name: &str| {
        let rest = below(dir.as_deref()?)?;
        Some(Path::new(name).join(rest))
    };
    // The model's notes are in a directory named after the project's.
    let notes = setting.loader.auto_memory.as_deref().and_then(below);
    let shown = notes
        .map(|rest| Path::new("memory").join(rest))
        .or_else(|| below(&setting.root))
        .or_else(|| in_dir(&dirs.config, "~/.claude"))
        .or_else(|| in_dir(&dirs.managed, "managed"))
        .or_else(|| in_dir(&dirs.home, "~"))
        .unwrap_or_else(|| path.to_owned());
    // Instructions have the same path on Windows and on Unix.
    let text = shown.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    one_line(&text).into_owned()
}
