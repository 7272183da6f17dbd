//! Counts the pages in any PDF document, and takes pages out of it: `cargo
//! +nightly fuzz run pdf`.

#![no_main]

use std::fs;
use std::sync::{Arc, LazyLock};

use aside_agent::{Files, Tool, ToolOutput};
use aside_messages::wire::{ContentBlock, RawJson};
use aside_tools::{Read, Workspace};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

static PLACE: LazyLock<(TempDir, Runtime)> = LazyLock::new(|| {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let runtime = Builder::new_current_thread().build();
    (directory, runtime.expect("a runtime"))
});

const INPUT: &str = r#"{"file_path":"a.pdf","pages":"1-2"}"#;

fuzz_target!(|bytes: &[u8]| {
    let (directory, runtime) = &*PLACE;
    let workspace = Arc::new(Workspace::new(directory.path(), [""; 0]));
    let tool = Read::new(workspace.clone());
    let read = |document: &[u8]| -> ToolOutput {
        fs::write(directory.path().join("a.pdf"), document).expect("a file");
        // A mention counts the pages.
        let _ = workspace.mentioned("a.pdf", None);
        let input = RawJson::parse(INPUT).expect("JSON");
        runtime.block_on(tool.call(&input))
    };
    let output = read(&[b"%PDF-1.5\n", bytes].concat());
    let is_document = matches!(output.content[..], [ContentBlock::Document(_)]);
    assert!(output.is_error || is_document);
});
