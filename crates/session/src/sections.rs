//! The sections in a session's prompt: default ones, configured ones, and the
//! values to compute them from.

use std::future::{self, Future};
use std::path::PathBuf;
use std::time::Duration;

use aside_diagnostic::Diagnostic;
use aside_git_context::repository_root;
use aside_prompt_sections::{
    BuiltinTools, ComputeError, DynamicSection, Environment, Model, OutsideText, Registry,
    StaticInputs,
};

use crate::config::SessionConfig;
use crate::kinds;
use crate::on_disk::OnDisk;
use crate::section_values::SectionValues;
use crate::tools::{SessionTool, ToolOrigin};

/// How long a section may take. If it has no text by then, it is left out of
/// the session's prompt.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// The sections in a session's prompt, and the values to compute them from.
#[derive(Debug)]
pub(crate) struct Sections {
    /// The sections and their cached texts.
    pub(crate) registry: Registry,
    /// The values that follow from the state, shared with the registry.
    pub(crate) values: SectionValues,
}

impl Sections {
    /// Registers the default sections, changed as configured; none is computed
    /// yet. A section that cannot be registered is reported.
    ///
    /// Applies, in this order: default sections, values from configuration and
    /// state, sections that the caller replaces, sections that it removes.
    pub(crate) fn new(
        config: &SessionConfig,
        tools: &[SessionTool],
        disk: &OnDisk,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let values = SectionValues::new(config, tools, disk);
        let builtin = tools.iter().filter(|tool| tool.origin == ToolOrigin::Builtin);
        let mut registry = Registry::standard(StaticInputs {
            product: config.product,
            tools: BuiltinTools::from_names(builtin.map(|tool| tool.tool.name.as_str())),
            coding: config.coding,
        });
        let (cwd, environment) = (config.cwd.clone(), environment(config));
        registry
            .provide_with(move || {
                let is_git_repository = repository_root(&cwd).is_some();
                future::ready(Ok(Some(Environment { is_git_repository, ..environment.clone() })))
            })
            .expect("the standard registry has an environment section");
        provide(&mut registry, config.memory_directory.clone());
        provide(&mut registry, config.language.clone());
        provide(&mut registry, config.output_style.clone());
        values.provide_to(&mut registry).expect("the standard registry has every default section");
        let replaced = config
            .sections
            .iter()
            .cloned()
            .map(|section| registry.set(section.around(within_limit)));
        let mut faults: Vec<_> = replaced.filter_map(Result::err).collect();
        let removed = config.removed_sections.iter();
        faults.extend(removed.filter_map(|name| registry.remove(name).err()));
        diagnostics.extend(faults.into_iter().map(|it| kinds::SECTION.diagnostic(it)));
        Self { registry, values }
    }
}

/// Sets a default section's value, if there is one.
fn provide<T>(registry: &mut Registry, value: Option<T>)
where
    T: DynamicSection + Clone + Sync,
{
    if let Some(value) = value {
        registry.provide(value).expect("the standard registry has every default section");
    }
}

/// Returns the environment section's input. Only the file system says whether the directory is in
/// a repository.
fn environment(config: &SessionConfig) -> Environment {
    let directory = |path: &PathBuf| OutsideText::new(path.to_string_lossy());
    Environment {
        working_directory: directory(&config.cwd),
        is_git_repository: false,
        additional_directories: config.additional_directories.iter().map(directory).collect(),
        platform: config.platform.clone(),
        shell: config.shell.as_deref().map(OutsideText::from),
        os_version: config.os_version.as_deref().map(OutsideText::from),
        model: Some(Model::from_id(&config.model)),
    }
}

/// Waits for a section for at most [`TIME_LIMIT`].
///
/// # Errors
///
/// The computation failed, or took too long. It is dropped then.
async fn within_limit<T>(
    computation: impl Future<Output = Result<T, ComputeError>>,
) -> Result<T, ComputeError> {
    match tokio::time::timeout(TIME_LIMIT, computation).await {
        Ok(computed) => computed,
        Err(_) => Err(format!("no text within {} s", TIME_LIMIT.as_secs()).into()),
    }
}
