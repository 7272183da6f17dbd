//! Texts that people wrote, in which a path stays as written.
//!
//! Such a path is the same in every checkout. All other paths in a request are
//! the machine's own, and get a placeholder.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use aside_messages::conversation::EntryId;
use aside_messages::encode::SourceSpan;
use aside_messages::{REMINDER_TAG, Source, neutralize, one_line};
use aside_prompt_sections::{SESSION_SECTIONS, names};

use crate::format::{Scenario, ScenarioEvent};
use crate::pin::{AGENTS, SKILLS};
use crate::sourced::Authors;
use crate::stage::Stage;
use crate::stand_ins::{KeptLines, escaped};
use crate::world::World;

/// The sections that name directories of the machine.
const WITH_PATHS: [&str; 5] =
    [names::ENVIRONMENT, names::MEMORY, names::SCRATCHPAD, names::SIMPLE, names::SYSTEM_CONTEXT];

/// The label of a mentioned file: a call with its path, then the result.
const FILE: &str = "attachment file";

#[derive(Debug)]
pub(crate) struct Authored {
    /// Lines in texts that also have paths of the machine, such as those in
    /// headers.
    pub(crate) lines: KeptLines,
    /// Entries in the scenario.
    entries: HashSet<EntryId>,
    /// The start of each skill's line, up to the path of its file, as JSON
    /// writes it.
    skills: Vec<Vec<u8>>,
}

impl Authored {
    /// `skills` are the names of those that a request may list.
    pub(crate) fn new(
        scenario: &Scenario,
        stage: &Stage,
        skills: &BTreeSet<String>,
        world: &World,
    ) -> Self {
        let memory = stage.session.context().memory.iter();
        let loaded = memory.flat_map(|it| it.files().iter().chain(it.nested()));
        let of_files = loaded
            .flat_map(|it| [it.text.to_string(), it.guarded_text(SESSION_SECTIONS).into_owned()]);
        let sections = scenario.sections.iter().flatten().filter_map(|it| it.text.clone());
        let changed = scenario.turns.iter().flatten().flatten().filter_map(|event| match event {
            ScenarioEvent::Sections(texts) => Some(texts.values().flatten().cloned()),
            _ => None,
        });
        let reminders = stage.reminders.iter().cloned();
        let texts = of_files.chain(sections).chain(changed.flatten()).chain(reminders);
        let texts: Vec<_> = texts.map(|it| neutralize(&it, &[REMINDER_TAG]).into_owned()).collect();
        Self {
            lines: world.kept_lines(texts.iter().flat_map(|it| it.lines())),
            entries: stage.written.clone(),
            skills: skills.iter().map(|it| escaped(&format!("\n- {} (", one_line(it)))).collect(),
        }
    }

    /// Returns the ranges of a body in which every path stays.
    pub(crate) fn ranges(
        &self,
        body: &[u8],
        spans: &[SourceSpan],
        authors: &Authors,
    ) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        for SourceSpan { range, source, .. } in spans {
            if !self.is_authored(source, authors) {
                continue;
            }
            let mut start = range.start;
            if authors.of_source(source) == Some(SKILLS) {
                let heads = self.skills.iter();
                let paths = heads.flat_map(|head| {
                    let found = memchr::memmem::find_iter(&body[range.clone()], head);
                    found.map(|at| range.start + at + head.len())
                });
                let mut paths: Vec<_> = paths.collect();
                paths.sort_unstable();
                for path in paths {
                    ranges.push(start..path);
                    start = path + 1;
                }
            }
            ranges.push(start..range.end);
        }
        ranges
    }

    fn is_authored(&self, source: &Source, authors: &Authors) -> bool {
        match source {
            Source::Section { name } => !WITH_PATHS.contains(&&**name),
            Source::Entry { id, part } => match authors.of_source(source) {
                _ if self.entries.contains(id) => true,
                None | Some(AGENTS | SKILLS) => true,
                Some(FILE) => *part > 0,
                Some(_) => false,
            },
            Source::Tool { .. } => true,
            _ => false,
        }
    }
}
