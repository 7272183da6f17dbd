//! The sections of a session's prompt: the default ones, those of the
//! configuration, and the values that they are computed from.

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use aside_diagnostic::Diagnostic;
use aside_prompt_sections::{
    BuiltinTools, ComputeError, DynamicSection, Environment, Model, OutsideText, Registry,
    StaticInputs,
};

use crate::config::SessionConfig;
use crate::kinds;
use crate::on_disk::OnDisk;
use crate::section_values::SectionValues;
use crate::tools::{SessionTool, ToolOrigin};

/// The time limit of a section. One that has no text by then is left out of the
/// session's prompt.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// The sections of a session's prompt, and the values that they are computed
/// from.
#[derive(Debug)]
pub(crate) struct Sections {
    /// The sections and their cached texts.
    pub(crate) registry: Registry,
    /// The values that follow from the state, shared with the registry.
    pub(crate) values: SectionValues,
}

impl Sections {
    /// Creates the sections, none of which is computed yet.
    pub(crate) fn new(
        config: &SessionConfig,
        tools: &[SessionTool],
        disk: &OnDisk,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let values = SectionValues::new(config, tools, disk);
        let registry = registry(config, tools, &values, diagnostics);
        Self { registry, values }
    }
}

/// Returns the registry with the default sections changed as configured. A
/// section that cannot be registered is reported.
///
/// The steps are, in this order: the default sections, the values of the
/// configuration and of the state, the sections that the caller replaces, those
/// that it removes.
fn registry(
    config: &SessionConfig,
    tools: &[SessionTool],
    values: &SectionValues,
    diagnostics: &mut Vec<Diagnostic>,
) -> Registry {
    let builtin = tools
        .iter()
        .filter(|tool| tool.origin == ToolOrigin::Builtin);
    let mut registry = Registry::standard(StaticInputs {
        product: config.product,
        tools: BuiltinTools::from_names(builtin.map(|tool| tool.tool.name.as_str())),
        coding: config.coding,
    });
    let place = Place::of(config);
    registry
        .provide_with(move || within_limit(environment(place.clone())))
        .expect("the standard registry has an environment section");
    provide(&mut registry, config.memory_directory.clone());
    provide(&mut registry, config.language.clone());
    provide(&mut registry, config.output_style.clone());
    values
        .provide_to(&mut registry)
        .expect("the standard registry has every default section");
    let replaced = config
        .sections
        .iter()
        .cloned()
        .map(|section| registry.set(section.around(within_limit)));
    let mut faults: Vec<_> = replaced.filter_map(Result::err).collect();
    let removed = config.removed_sections.iter();
    faults.extend(removed.filter_map(|name| registry.remove(name).err()));
    diagnostics.extend(faults.into_iter().map(|it| kinds::SECTION.diagnostic(it)));
    registry
}

/// Sets the value of a default section, if there is one.
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

/// The inputs of the environment section.
#[derive(Clone)]
struct Place {
    /// The directory whose repository is looked up.
    cwd: PathBuf,
    /// The section without the answer to that.
    environment: Environment,
}

impl Place {
    fn of(config: &SessionConfig) -> Self {
        let directory = |path: &PathBuf| OutsideText::new(path.to_string_lossy());
        let environment = Environment {
            working_directory: directory(&config.cwd),
            is_git_repository: false,
            additional_directories: config
                .additional_directories
                .iter()
                .map(directory)
                .collect(),
            platform: config.platform.clone(),
            shell: config.shell.as_deref().map(OutsideText::from),
            os_version: config.os_version.as_deref().map(OutsideText::from),
            model: Some(Model::from_id(&config.model)),
        };
        Self {
            cwd: config.cwd.clone(),
            environment,
        }
    }
}

/// Computes the input of the environment section: whether the directory is in a
/// repository is read from the file system.
async fn environment(place: Place) -> Result<Option<Environment>, ComputeError> {
    Ok(Some(Environment {
        is_git_repository: aside_git_context::repository_root(&place.cwd).is_some(),
        ..place.environment
    }))
}

/// Waits for a section for at most [`TIME_LIMIT`].
///
/// # Errors
///
/// That of the computation, or that it took too long. The computation is
/// dropped then.
async fn within_limit<T>(
    computation: impl Future<Output = Result<T, ComputeError>>,
) -> Result<T, ComputeError> {
    match tokio::time::timeout(TIME_LIMIT, computation).await {
        Ok(computed) => computed,
        Err(_) => Err(format!("no text within {} s", TIME_LIMIT.as_secs()).into()),
    }
}
