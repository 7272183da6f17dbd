use std::path::PathBuf;

use aside_cache_split::Layout;
use aside_claudemd::{Loader, Memory};
use aside_git_context::GitSnapshot;
use aside_messages::conversation::{EntryDraft, Origin};
use aside_messages::{Layer, REMINDER_TAG, neutralize};
use aside_prompt_sections::{
    Boundary, BuiltinTools, ContextEntry, DynamicSection, Environment, Language, MemoryDirectory,
    Model, OutputStyle, Registry, Resolved, SessionDate, StaticInputs, SystemPrompt,
    session_context, simple_prompt,
};

use crate::config::{Git, PromptMode, SessionConfig};
use crate::diagnostic::{Area, Diagnostic};
use crate::tools::{SessionTool, ToolOrigin, arrange};

/// What a session found when it opened. It stays as it is for the session.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The sections of the system prompt; `None` in simple mode.
    pub sections: Option<Resolved>,
    /// The instruction files; `None` where the working directory is gone.
    pub memory: Option<Memory>,
    /// The state of the repository; `None` outside one.
    pub git: Option<GitSnapshot>,
    /// The day on which the session began.
    pub date: SessionDate,
    /// The layout of its requests.
    pub layout: Layout,
    /// The tools, in the order in which they are sent.
    pub tools: Vec<SessionTool>,
}

/// Gathers three ways at once: prompt sections, instruction files, git.
pub(crate) async fn gather(config: &SessionConfig, diagnostics: &mut Vec<Diagnostic>) -> Opened {
    let tools = arrange(config.tools.clone(), diagnostics);
    let loader = match config.mode {
        PromptMode::Full => config.memory.clone(),
        PromptMode::Simple => config.memory.clone().at_most(aside_claudemd::Mode::Bare),
    };
    let (sections, (memory, memory_faults), (git, git_faults)) = tokio::join!(
        sections(config, &tools),
        memory(loader, config.cwd.clone()),
        git(config),
    );
    if config.cwd.to_str().is_none() {
        let fault = format!(
            "{}: not UTF-8, told with replacements",
            config.cwd.display()
        );
        diagnostics.push(Diagnostic::new(Area::Prompt, fault));
    }
    diagnostics.extend(memory_faults);
    diagnostics.extend(git_faults);
    for fault in sections.iter().flat_map(Resolved::diagnostics) {
        diagnostics.push(Diagnostic::new(Area::Prompt, fault));
    }
    Opened {
        sections,
        memory,
        git,
        date: config.date,
        layout: config.layout,
        tools,
    }
}

async fn sections(config: &SessionConfig, tools: &[SessionTool]) -> Option<Resolved> {
    if config.mode == PromptMode::Simple {
        return None;
    }
    let builtin = tools
        .iter()
        .filter(|tool| tool.origin == ToolOrigin::Builtin);
    let mut registry = Registry::standard(StaticInputs {
        product: config.product,
        tools: BuiltinTools::from_names(builtin.map(|tool| tool.tool.name.as_str())),
        coding: config.coding,
    });
    provide(&mut registry, Some(environment(config)));
    provide(
        &mut registry,
        config.memory_directory.as_ref().map(memory_directory),
    );
    provide(&mut registry, config.language.as_ref().map(language));
    provide(
        &mut registry,
        config.output_style.as_ref().map(output_style),
    );
    Some(registry.resolve().await)
}

fn provide<T>(registry: &mut Registry, value: Option<T>)
where
    T: DynamicSection + Clone + Sync,
{
    if let Some(value) = value {
        registry
            .provide(value)
            .expect("the standard registry has every default section");
    }
}

fn memory_directory(directory: &MemoryDirectory) -> MemoryDirectory {
    MemoryDirectory {
        path: safe(&directory.path),
    }
}

fn language(language: &Language) -> Language {
    Language {
        name: safe(&language.name),
    }
}

fn output_style(style: &OutputStyle) -> OutputStyle {
    OutputStyle {
        name: safe(&style.name),
        instructions: safe(&style.instructions),
    }
}

/// Text from outside: in the system prompt it must not read as a reminder.
fn safe(text: &str) -> String {
    neutralize(text, &[REMINDER_TAG]).into_owned()
}

fn environment(config: &SessionConfig) -> Environment {
    let directory = |path: &PathBuf| safe(&path.to_string_lossy());
    Environment {
        working_directory: directory(&config.cwd),
        is_git_repository: aside_git_context::repository_root(&config.cwd).is_some(),
        additional_directories: config
            .additional_directories
            .iter()
            .map(directory)
            .collect(),
        platform: config.platform.clone(),
        shell: config.shell.as_deref().map(safe),
        os_version: config.os_version.as_deref().map(safe),
        model: Some(Model::from_id(safe(&config.model))),
    }
}

/// Reads the files off the runtime: the loader is synchronous.
async fn memory(loader: Loader, cwd: PathBuf) -> (Option<Memory>, Vec<Diagnostic>) {
    let loaded = tokio::task::spawn_blocking(move || loader.load(&cwd)).await;
    match loaded {
        Ok(Ok(memory)) => {
            let fault = |fault: &aside_claudemd::Diagnostic| {
                let line = fault
                    .line
                    .map(|line| format!(":{line}"))
                    .unwrap_or_default();
                let message = format!("{}{line}: {}", fault.path.display(), fault.message);
                Diagnostic::new(Area::Memory, message)
            };
            let is_warning = |fault: &&aside_claudemd::Diagnostic| {
                fault.severity == aside_claudemd::Severity::Warning
            };
            let faults = memory
                .diagnostics()
                .iter()
                .filter(is_warning)
                .map(fault)
                .collect();
            (Some(memory), faults)
        }
        Ok(Err(error)) => (None, vec![Diagnostic::new(Area::Memory, error)]),
        Err(error) => (None, vec![Diagnostic::new(Area::Memory, error)]),
    }
}

async fn git(config: &SessionConfig) -> (Option<GitSnapshot>, Vec<Diagnostic>) {
    let (Git::Snapshot(options), PromptMode::Full) = (&config.git, config.mode) else {
        return (None, Vec::new());
    };
    match aside_git_context::snapshot(&config.cwd, options).await {
        Ok(Some(snapshot)) => {
            let fault = |fault| Diagnostic::new(Area::Git, fault);
            let faults = snapshot.diagnostics.iter().map(fault).collect();
            // Where no command answered, there is nothing to tell.
            let says_something = snapshot.branch.is_some()
                || snapshot.status.is_some()
                || snapshot.commits.is_some();
            (says_something.then_some(snapshot), faults)
        }
        Ok(None) => (None, Vec::new()),
        Err(error) => (None, vec![Diagnostic::new(Area::Git, error)]),
    }
}

impl Opened {
    /// The default system prompt of the session, in simple mode the simple one.
    pub(crate) fn prompt(&self, config: &SessionConfig) -> SystemPrompt {
        let Some(sections) = &self.sections else {
            let cwd = safe(&config.cwd.to_string_lossy());
            return simple_prompt(config.product, &cwd, self.date);
        };
        let boundary = match self.layout {
            Layout::Layered => Boundary::Marked,
            Layout::Classic if config.global_scope => Boundary::Marked,
            Layout::Classic => Boundary::Absent,
        };
        sections.prompt(boundary)
    }

    /// What the classic layout has at the end of the system prompt.
    pub(crate) fn system_context(&self) -> Vec<ContextEntry> {
        let git = self
            .git
            .as_ref()
            .map(|git| ContextEntry::git_status(safe(&git.render())));
        git.into_iter().collect()
    }

    /// What the model is told before the human's first word.
    pub(crate) fn first_entries(&self, prompt: &SystemPrompt) -> Vec<EntryDraft> {
        let reminder = |layer, body: String| EntryDraft::reminder(Origin::Context { layer }, body);
        let instructions = self.memory.as_ref().and_then(aside_claudemd::instructions);
        match (&self.sections, self.layout) {
            // In simple mode the date is in the prompt.
            (None, _) => instructions
                .map(|body| reminder(Layer::Project, body))
                .into_iter()
                .collect(),
            (Some(_), Layout::Layered) => {
                let git = self
                    .git
                    .as_ref()
                    .map(|git| ContextEntry::git_status(git.render()));
                let date = ContextEntry::current_date(self.date);
                let entries: Vec<_> = git.into_iter().chain([date]).collect();
                let session = session_context(&entries, prompt);
                let instructions = instructions.map(|body| reminder(Layer::Project, body));
                instructions
                    .into_iter()
                    .chain(session.map(|body| reminder(Layer::Session, body)))
                    .collect()
            }
            (Some(_), Layout::Classic) => {
                let date = self.date.to_string();
                let body = match &self.memory {
                    Some(memory) => aside_claudemd::user_context(memory, &date),
                    None => ContextEntry::current_date(self.date).text,
                };
                vec![reminder(Layer::Session, body)]
            }
        }
    }
}
