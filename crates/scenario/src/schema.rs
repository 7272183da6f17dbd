//! The JSON Schemas for files that people write, from their types, or from
//! mirrors of hand-written readers.

mod block;
mod describe;
mod entry;
mod reminder;
pub(crate) mod scenario;
mod script;
mod simulation;

use crate::format::Scenario;
use aside_session::SessionState;
use describe::Describe;
use schemars::{JsonSchema, generate::SchemaSettings};

/// A workspace file that is generated from the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Relative to the workspace.
    pub path: &'static str,
    /// Its contents.
    pub text: String,
}

/// Returns every generated file.
#[must_use]
pub fn generated_files() -> Vec<GeneratedFile> {
    vec![
        GeneratedFile {
            path: "crates/reminder/reminder.schema.json",
            text: schema::<reminder::ReminderFile>(),
        },
        GeneratedFile { path: "crates/agent/state.schema.json", text: schema::<SessionState>() },
        GeneratedFile { path: "crates/scenario/scenario.schema.json", text: schema::<Scenario>() },
        GeneratedFile { path: "crates/messages/entry.schema.json", text: schema::<entry::Entry>() },
        GeneratedFile {
            path: "crates/providers/script.schema.json",
            text: schema::<script::Script>(),
        },
        GeneratedFile {
            path: "crates/cli/simulation.schema.json",
            text: schema::<simulation::Simulation>(),
        },
    ]
}

fn schema<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .with_transform(Describe);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let json = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    json + "\n"
}
