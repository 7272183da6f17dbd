//! Integration tests through the public API.

mod context;
mod date;
mod dynamic_zone;
mod effective;
mod environment;
mod prompt;
mod registry;
mod resolve;
mod simple;
mod static_zone;
mod stored;

use aside_prompt_sections::{
    ASIDE, BuiltinTools, CodingInstructions, Environment, Model, OsKind, Registry, Resolved,
    StaticInputs,
};
use futures_util::FutureExt;

const INPUTS: StaticInputs = StaticInputs {
    product: &ASIDE,
    tools: BuiltinTools::ALL,
    coding: CodingInstructions::Included,
};

/// Resolves a registry in which no section waits.
fn resolve(registry: &Registry) -> Resolved {
    registry.resolve().now_or_never().expect("no section waits")
}

fn environment() -> Environment {
    Environment {
        working_directory: "/home/mia/shop".into(),
        is_git_repository: true,
        additional_directories: vec![],
        platform: OsKind::Linux,
        shell: Some("bash".into()),
        os_version: Some("Linux 6.8.0".into()),
        model: Some(Model::from_id("claude-sonnet-4-5-20250929")),
    }
}
