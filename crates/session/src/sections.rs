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
use crate::tools::{SessionTool, ToolOrigin};

/// A section that has no text by then is left out of the session's prompt.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// The sections of the session, none of which is computed yet.
pub(crate) fn registry(
    config: &SessionConfig,
    tools: &[SessionTool],
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
    for section in config.sections.iter().cloned() {
        if let Err(error) = registry.register(section.around(within_limit)) {
            diagnostics.push(kinds::SECTION.diagnostic(error));
        }
    }
    registry
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

/// What the environment section is made from.
#[derive(Clone)]
struct Place {
    cwd: PathBuf,
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

async fn environment(place: Place) -> Result<Option<Environment>, ComputeError> {
    Ok(Some(Environment {
        is_git_repository: aside_git_context::repository_root(&place.cwd).is_some(),
        ..place.environment
    }))
}

async fn within_limit<T>(
    computation: impl Future<Output = Result<T, ComputeError>>,
) -> Result<T, ComputeError> {
    match tokio::time::timeout(TIME_LIMIT, computation).await {
        Ok(computed) => computed,
        Err(_) => Err(format!("no text within {} s", TIME_LIMIT.as_secs()).into()),
    }
}
