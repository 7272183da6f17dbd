//! Skills, agents and instruction files as they are on disk when a request is made.

use std::path::Path;
use std::sync::Arc;

use aside_attachments::cadence::CadenceState;
use aside_attachments::{AgentListing, NestedMemory, Skill};
use aside_cache_split::Layout;
use aside_claudemd::agents::AgentFile;
use aside_claudemd::skills::{ReleasedSkills, SkillFile};
use aside_claudemd::{ChangedFile, Changes, Memory, MemoryFile};
use aside_diagnostic::Diagnostic;
use aside_prompt_sections::SESSION_SECTIONS;

use crate::config::SessionConfig;
use crate::gather::is_reported;
use crate::kinds;
use crate::live_settings::{LiveSettings, ResponseSettings};
use crate::read_state::KnownFile;

/// How the model gets a skill's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SkillAccess {
    /// By a tool that calls skills.
    Tool,
    /// By reading its file.
    File,
}

/// Returns an instruction file's text as the model gets it.
pub(crate) fn text_in(file: &MemoryFile, layout: Layout) -> String {
    match layout {
        Layout::Layered => file.guarded_text(SESSION_SECTIONS).into_owned(),
        Layout::Classic => file.text.to_string(),
    }
}

/// The skills and agents that a session announces, and the instruction files that are not as they
/// were when it began. A session reads them when it opens and in
/// [`Session::refresh`](crate::Session::refresh).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OnDisk {
    /// The skills that the model may call, nearest to the working directory first.
    pub skills: Vec<SkillFile>,
    /// Skills that wait for a path.
    waiting: Vec<SkillFile>,
    /// The skills that a file released since the conversation began.
    pub(crate) released: ReleasedSkills,
    /// The agents, nearest to the working directory first.
    pub agents: Vec<AgentFile>,
    /// The instruction files that changed.
    pub changed: Changes,
    /// The settings, if they are read again.
    pub(crate) settings: Option<ResponseSettings>,
    /// Faults in skill and agent files, and new ones in instruction files.
    pub diagnostics: Vec<Diagnostic>,
    /// False if a resumed session has not read the files yet.
    pub(crate) is_read: bool,
}

impl OnDisk {
    /// Reads the files, off the runtime if there is one. `reads` are the files that the model has read:
    /// the skills next to them count too. `released` is what the last call left. Without a `memory` no instruction file is
    /// compared, and without `settings` none are read.
    pub(crate) async fn read(
        config: &SessionConfig,
        mut memory: Option<Memory>,
        reads: Arc<Vec<Arc<KnownFile>>>,
        mut released: ReleasedSkills,
        settings: Option<Arc<dyn LiveSettings>>,
    ) -> Self {
        let loader = config.memory.clone();
        let cwd = config.cwd.clone();
        let (has_skills, has_agents) = (config.file_skills, config.file_agents);
        let read = move || {
            let reads = reads.iter().map(|it| it.read.path.as_path());
            let (mut skills, mut agents) = loader.definitions(&cwd, reads, &mut released);
            skills.skills.retain(|it| has_skills && !it.disable_model_invocation);
            let (waiting, offered) = skills.skills.into_iter().partition(|it| it.is_waiting);
            agents.agents.retain(|_| has_agents);
            let settings = settings.map(|it| it.read());
            if let (Some(memory), Some(settings)) = (&mut memory, &settings) {
                memory.set_excludes(&settings.instructions);
            }
            let changed = memory.map(|it| it.changed()).unwrap_or_default();
            let faults = skills.diagnostics.iter().chain(&agents.diagnostics);
            let faults = faults.chain(&changed.diagnostics);
            Self {
                diagnostics: faults.filter(is_reported).cloned().collect(),
                skills: offered,
                waiting,
                released,
                agents: agents.agents,
                changed,
                settings,
                is_read: true,
            }
        };
        if tokio::runtime::Handle::try_current().is_err() {
            return read();
        }
        tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Self {
            diagnostics: vec![kinds::INSTRUCTION_FILES.diagnostic(error)],
            ..Self::default()
        })
    }

    /// Returns the skills to announce, with their files' paths if the model has to read these.
    /// A skill that was `announced` is not withdrawn because the file that released it is forgotten.
    /// `are_withdrawn` is as for [`OnDisk::announced_agents`].
    pub(crate) fn announced_skills(
        &self,
        announced: &CadenceState,
        access: SkillAccess,
        are_withdrawn: bool,
    ) -> Option<Vec<Skill>> {
        let skill = |it: &SkillFile| Skill {
            name: it.name.clone(),
            description: it.description.clone(),
            path: match access {
                SkillAccess::Tool => None,
                SkillAccess::File => Some(it.path.to_string_lossy().into_owned()),
            },
        };
        let is_known = !self.skills.is_empty() || (self.is_read && are_withdrawn);
        let waiting = self.waiting.iter().filter(|it| announced.has_announced_skill(&it.name));
        is_known.then(|| self.skills.iter().chain(waiting).map(skill).collect())
    }

    /// Returns the agents to announce. Without any, this is `None`, so that agents from another
    /// source are not withdrawn, unless `are_withdrawn`: those announced are from files.
    pub(crate) fn announced_agents(&self, are_withdrawn: bool) -> Option<Vec<AgentListing>> {
        let agent = |it: &AgentFile| AgentListing {
            agent_type: it.name.clone(),
            description: it.description.clone(),
        };
        let is_known = !self.agents.is_empty() || (self.is_read && are_withdrawn);
        is_known.then(|| self.agents.iter().map(agent).collect())
    }

    /// Returns true if this instruction file has changed.
    pub(crate) fn has_changed(&self, path: &Path) -> bool {
        self.changed.files.iter().any(|it| it.now.path == path)
    }

    /// Returns the changed instruction files, under the first message's paths, and what became of
    /// those `announced` before: a file can be again as it was, and a new one can be gone.
    pub(crate) fn announced_changes<'a>(
        &self,
        memory: &Memory,
        layout: Layout,
        announced: impl Iterator<Item = &'a str>,
    ) -> Vec<NestedMemory> {
        let path_of = |file: &MemoryFile| match (layout, &file.trigger) {
            (Layout::Layered, None) => memory.shown_path(file),
            _ => file.path.to_string_lossy().into_owned(),
        };
        let loaded = memory.files().iter().chain(memory.nested());
        let change = |it: &ChangedFile| NestedMemory {
            path: path_of(&it.now),
            content: text_in(&it.now, layout),
            before: Some(text_in(&it.before, layout)),
            is_unused: it.is_unused,
        };
        let mut changes: Vec<NestedMemory> = self.changed.files.iter().map(change).collect();
        let changed = &self.changed;
        for path in announced {
            let as_before = loaded.clone().find(|it| path_of(it) == path);
            // A file that is new since the session began may be an import of one that is refused.
            let is_known = match as_before {
                Some(file) => !changed.unknown.contains(&file.path),
                None => changed.is_whole,
            };
            if !is_known || changes.iter().any(|it| it.path == path) {
                continue;
            }
            let text = as_before.map_or(String::new(), |it| text_in(it, layout));
            changes.push(NestedMemory {
                path: path.to_owned(),
                content: text.clone(),
                before: Some(text),
                // It may be there, and no file imports it any more.
                is_unused: as_before.is_none(),
            });
        }
        changes
    }
}
