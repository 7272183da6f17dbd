//! The order of the files that a session starts with, from low to high
//! precedence.
//!
//! For a project at `/srv/app` and the working directory `/srv/app/src`:
//!
//! ```text
//! managed settings, CLAUDE.md and rules of the administrator
//! CLAUDE.md and rules of the user
//! /srv/CLAUDE.md  …  /srv/app/CLAUDE.md  …  /srv/app/src/CLAUDE.md  …
//! additional directories, if they are read
//! MEMORY.md
//! ```
//!
//! A later file has more weight with the model, so the more specific one is
//! later.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::candidate::Candidate;
use crate::collect::Collector;
use crate::discover::auto_memory;
use crate::discover::profile::GlobForm;
use crate::rules::RulesDir;
use crate::{AgentsMd, MemoryFile, MemoryKind, Mode, discover};

/// The path of the managed settings' inline text.
pub(crate) const MANAGED_TEXT: &str = "managed-settings.json#claudeMd";

/// Loads all files: the administrator's, the user's, those in the directories
/// from the root down, then the model's notes.
pub(crate) fn collect(pass: &mut Collector<'_>) {
    let setting = pass.setting;
    if !setting.loader.profile.is_claude() {
        if setting.loader.mode == Mode::Full {
            discover::start(pass);
        }
        return;
    }
    if setting.loader.mode == Mode::Full {
        managed(pass);
        user(pass);
        let mut ancestors: Vec<_> = setting.cwd.ancestors().collect();
        ancestors.reverse();
        for dir in ancestors {
            pass.in_outer_checkout = is_of_outer_checkout(pass, dir);
            project(pass, dir);
        }
        pass.in_outer_checkout = false;
    }
    for dir in setting.additional_dirs() {
        project(pass, &dir);
    }
    if let Some(path) = setting.notes()
        && setting.loader.sends_notes()
    {
        memory(pass, path);
    }
}

/// Loads the administrator's files.
///
/// The managed settings' inline text is loaded first. It is trimmed, and no
/// file is read for it.
fn managed(pass: &mut Collector<'_>) {
    let loader = &pass.setting.loader;
    if let Some(text) = loader.trimmed_managed_text() {
        pass.found.push(MemoryFile {
            path: PathBuf::from(MANAGED_TEXT),
            kind: MemoryKind::Managed,
            rule: false,
            reason: pass.reason(),
            parent: None,
            globs: Vec::new(),
            trigger: None,
            bytes: text.len(),
            differs_from_disk: false,
            text: text.into(),
        });
    }
    if let Some(dir) = &loader.dirs.managed {
        file(pass, dir.join("CLAUDE.md"), MemoryKind::Managed);
        rules(pass, dir.join(".claude/rules"), MemoryKind::Managed);
    }
}

/// Loads the user's files, unless that source is switched off or there is no
/// configuration directory.
fn user(pass: &mut Collector<'_>) {
    let loader = &pass.setting.loader;
    if let Some(dir) = &loader.dirs.config
        && loader.sources.user
    {
        file(pass, dir.join("CLAUDE.md"), MemoryKind::User);
        rules(pass, dir.join("rules"), MemoryKind::User);
    }
}

/// Loads rules that are not the project's and so are relative to its root, or to the working
/// directory.
fn rules(pass: &mut Collector<'_>, dir: PathBuf, kind: MemoryKind) {
    let base = match pass.setting.loader.profile.globs() {
        GlobForm::Rooted => &pass.setting.root,
        GlobForm::Gitignore => &pass.setting.cwd,
    };
    pass.start_rules(&RulesDir::new(dir, kind, base.clone()));
}

/// Loads the files in one project directory when a session starts.
fn project(pass: &mut Collector<'_>, dir: &Path) {
    directory(pass, dir, Collector::start_rules);
}

/// Loads the files in one project directory, with its rules in their place.
///
/// `rules` is called with the rules directory, after the shared files and
/// before `CLAUDE.local.md`: when a session starts it loads the rules without
/// `paths`, at a touch also those that match.
pub(crate) fn directory<'a>(
    pass: &mut Collector<'a>,
    dir: &Path,
    rules: impl FnOnce(&mut Collector<'a>, &RulesDir),
) {
    let loader = &pass.setting.loader;
    let above = pass.above(dir);
    let file = |pass: &mut Collector<'a>, name: &str, kind| {
        let candidate = Candidate {
            above: above.clone(),
            ..Candidate::new(dir.join(name), kind, pass.reason())
        };
        pass.file(candidate)
    };
    if loader.sources.project {
        let found = file(pass, "CLAUDE.md", MemoryKind::Project);
        if !found && loader.agents_md == AgentsMd::Read {
            file(pass, "AGENTS.md", MemoryKind::Project);
        }
        file(pass, ".claude/CLAUDE.md", MemoryKind::Project);
        let of_dir = dir.join(".claude/rules");
        rules(pass, &RulesDir::new(of_dir, MemoryKind::Project, dir.to_owned()));
        if pass.is_without_claude_md(dir) {
            file(pass, "AGENTS.md", MemoryKind::Project);
            file(pass, ".claude/AGENTS.md", MemoryKind::Project);
        }
    }
    if loader.sources.local {
        file(pass, "CLAUDE.local.md", MemoryKind::Local);
    }
}

/// Returns true if the checked-in files in `dir` belong to another checkout,
/// and this worktree has its own copies.
fn is_of_outer_checkout(pass: &Collector<'_>, dir: &Path) -> bool {
    let Some(outer) = &pass.setting.outer_checkout else {
        return false;
    };
    !dir.starts_with(&pass.setting.root)
        && fs::canonicalize(dir).is_ok_and(|dir| dir.starts_with(outer))
}

/// Loads the model's notes, truncated to the auto memory limits.
fn memory(pass: &mut Collector<'_>, path: PathBuf) {
    let candidate = Candidate::new(path, MemoryKind::AutoMemory, pass.reason());
    if let Ok(mut opened) = pass.open(candidate) {
        if let Some(cut) = auto_memory::cut(&opened.contents.text) {
            let contents = Arc::make_mut(&mut opened.contents);
            contents.text = cut.into();
            contents.differs = true;
        }
        pass.give(opened);
    }
}

/// Loads an administrator's or a user's file by its path.
fn file(pass: &mut Collector<'_>, path: PathBuf, kind: MemoryKind) {
    pass.file(Candidate::new(path, kind, pass.reason()));
}
