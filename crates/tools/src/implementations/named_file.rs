//! The file that a call names, for the loop to keep the order of calls for one file.

use std::path::PathBuf;

use aside_agent::FileUse;
use aside_messages::wire::RawJson;
use serde::Deserialize;

use crate::workspace::Workspace;

#[derive(Deserialize)]
struct Input {
    file_path: String,
}

pub(super) fn reads(workspace: &Workspace, input: &RawJson) -> Option<FileUse> {
    Some(FileUse { path: path(workspace, input)?, is_changed: false })
}

pub(super) fn changes(workspace: &Workspace, input: &RawJson) -> Option<FileUse> {
    Some(FileUse { path: path(workspace, input)?, is_changed: true })
}

/// Returns the path without links. A file that does not exist yet has the path as it was given.
fn path(workspace: &Workspace, input: &RawJson) -> Option<PathBuf> {
    let Input { file_path } = serde_json::from_str(input.get()).ok()?;
    let found = workspace.find(&file_path);
    Some(found.map_or_else(|_| workspace.cwd().join(&file_path), |place| place.resolved))
}
