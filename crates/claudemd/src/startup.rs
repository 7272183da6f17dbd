//! The order of the files that a session starts with, from low to high
//! precedence.

use std::path::{Path, PathBuf};

use crate::collect::{Candidate, Collector, Pass};
use crate::plain_path::plain;
use crate::rules::RulesDir;
use crate::{Additional, AgentsMd, LoadReason, MemoryFile, MemoryKind, Mode};

pub(crate) fn collect(pass: &mut Collector<'_>) {
    let setting = pass.setting;
    let loader = &setting.loader;
    if loader.mode == Mode::Full {
        managed(pass);
        user(pass);
        let mut ancestors: Vec<_> = setting.cwd.ancestors().collect();
        ancestors.reverse();
        for dir in ancestors {
            directory(pass, dir);
        }
    }
    let additional = match loader.mode {
        Mode::Full => loader.additional == Additional::Always,
        Mode::Bare => true,
        Mode::Off => false,
    };
    if additional {
        for dir in &loader.additional_dirs {
            directory(pass, &plain(&setting.cwd.join(dir)));
        }
    }
}

fn managed(pass: &mut Collector<'_>) {
    let loader = &pass.setting.loader;
    if let Some(text) = &loader.managed_text
        && !text.trim().is_empty()
    {
        let trimmed = text.trim();
        let file = MemoryFile {
            path: PathBuf::from("managed-settings.json#claudeMd"),
            kind: MemoryKind::Managed,
            rule: false,
            reason: start(pass),
            parent: None,
            globs: Vec::new(),
            trigger: None,
            bytes: trimmed.len(),
            differs_from_disk: trimmed != text,
            text: trimmed.to_owned(),
        };
        pass.text(file);
    }
    if let Some(dir) = &loader.dirs.managed {
        file(pass, dir.join("CLAUDE.md"), MemoryKind::Managed);
        pass.rules(&RulesDir {
            dir: dir.join(".claude/rules"),
            kind: MemoryKind::Managed,
            base: pass.setting.root.clone(),
        });
    }
}

fn user(pass: &mut Collector<'_>) {
    let loader = &pass.setting.loader;
    if let Some(dir) = &loader.dirs.config
        && loader.sources.user
    {
        file(pass, dir.join("CLAUDE.md"), MemoryKind::User);
        pass.rules(&RulesDir {
            dir: dir.join("rules"),
            kind: MemoryKind::User,
            base: pass.setting.root.clone(),
        });
    }
}

/// The files of one directory of a project.
pub(crate) fn directory(pass: &mut Collector<'_>, dir: &Path) {
    let loader = &pass.setting.loader;
    if loader.sources.project {
        let found = file(pass, dir.join("CLAUDE.md"), MemoryKind::Project);
        if !found && loader.agents_md == AgentsMd::Read {
            file(pass, dir.join("AGENTS.md"), MemoryKind::Project);
        }
        file(pass, dir.join(".claude/CLAUDE.md"), MemoryKind::Project);
        pass.rules(&RulesDir {
            dir: dir.join(".claude/rules"),
            kind: MemoryKind::Project,
            base: dir.to_owned(),
        });
    }
    if loader.sources.local {
        file(pass, dir.join("CLAUDE.local.md"), MemoryKind::Local);
    }
}

/// Gives one file, and says whether it is there.
fn file(pass: &mut Collector<'_>, path: PathBuf, kind: MemoryKind) -> bool {
    let reason = start(pass);
    pass.file(Candidate {
        path,
        kind,
        rule: false,
        reason,
        globs: Vec::new(),
        import: None,
    })
}

fn start(pass: &Collector<'_>) -> LoadReason {
    match pass.pass {
        Pass::Start(reason) => reason,
        Pass::Touch(_) => LoadReason::NestedTraversal,
    }
}
