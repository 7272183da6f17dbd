//! A file tree in its own directory, and tools that work in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aside_agent::{Tool, ToolOutput};
use aside_messages::wire::{ContentBlock, RawJson};
use aside_tools::{Glob, Grep, Read, Workspace};

/// Base64 of a PNG of one pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(crate) struct Tree {
    _directory: tempfile::TempDir,
    root: PathBuf,
}

/// The standard library cannot remove trees this deep.
impl Drop for Tree {
    fn drop(&mut self) {
        let removed = std::process::Command::new("rm").arg("-rf").arg(&self.root).status();
        assert!(removed.unwrap().success());
    }
}

impl Tree {
    /// Creates a tree with one line per file: `path = text` (with the escapes
    /// `\n` and `\r` as in Rust), `path -> target` for a link (ROOT is the
    /// tree's directory), `path/` for a directory.
    pub(crate) fn new(text: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let tree = Self { _directory: directory, root };
        fs::create_dir(tree.path("project")).unwrap();
        for line in text.lines().map(str::trim).filter(|it| !it.is_empty()) {
            tree.make(line);
        }
        tree
    }

    fn make(&self, line: &str) {
        let at = |path: &str| {
            let at = self.path(path);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            at
        };
        if let Some((path, text)) = line.split_once(" = ") {
            fs::write(at(path), text.replace("\\n", "\n").replace("\\r", "\r")).unwrap();
        } else if let Some((path, target)) = line.split_once(" -> ") {
            let target = target.replace("ROOT", self.root.to_str().unwrap());
            std::os::unix::fs::symlink(target, at(path)).unwrap();
        } else {
            let path = line.strip_suffix('/').expect("a line of a tree");
            fs::create_dir_all(at(path)).unwrap();
        }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(path), bytes).unwrap();
    }

    /// Nests directories called `d`. Their path may be longer than the system
    /// takes at once.
    pub(crate) fn nest(&self, path: &str, levels: usize) {
        const STEP: usize = 100;
        let (below, above) = (self.path("nest-below"), self.path("nest-above"));
        fs::create_dir(&below).unwrap();
        for _ in 0..levels / STEP {
            let deep = above.join(["d"; STEP].join("/"));
            fs::create_dir_all(deep.parent().unwrap()).unwrap();
            fs::rename(&below, &deep).unwrap();
            fs::rename(&above, &below).unwrap();
        }
        fs::rename(&below, self.path(path)).unwrap();
    }

    /// Returns the workspace for the directory `project`, and `more` if it
    /// exists.
    pub(crate) fn workspace(&self) -> Workspace {
        let more = self.path("more");
        Workspace::new(self.path("project"), more.is_dir().then_some(more))
    }

    pub(crate) fn call(&self, name: &str, input: &str) -> ToolOutput {
        call_in(self.workspace(), name, &self.filled(input))
    }

    /// Returns a call's result as text, one block per line, with `error: `
    /// before a failure.
    pub(crate) fn result(&self, name: &str, input: &str) -> String {
        let result = text_of(&self.call(name, input));
        result.replace(self.root.to_str().unwrap(), "ROOT")
    }

    #[track_caller]
    pub(crate) fn check(&self, name: &str, input: &str, expected: &str) {
        assert_eq!(self.result(name, input), expected, "{name} {input}");
    }

    fn filled(&self, text: &str) -> String {
        text.replace("ROOT", self.root.to_str().unwrap())
    }
}

pub(crate) fn call_in(workspace: Workspace, name: &str, input: &str) -> ToolOutput {
    let workspace = Arc::new(workspace);
    let tool: Box<dyn Tool> = match name {
        "Read" => Box::new(Read::new(workspace)),
        "Glob" => Box::new(Glob::new(workspace)),
        _ => Box::new(Grep::new(workspace)),
    };
    assert_eq!(tool.name(), name);
    call(&*tool, input)
}

pub(crate) fn call(tool: &dyn Tool, input: &str) -> ToolOutput {
    let input = RawJson::parse(input).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(tool.call(&input))
}

pub(crate) fn text_of(output: &ToolOutput) -> String {
    let error = if output.is_error { "error: " } else { "" };
    let blocks = output.content.iter().map(|block| match block {
        ContentBlock::Text(text) => text.text.to_string(),
        other => serde_json::to_string(other).unwrap(),
    });
    format!("{error}{}", blocks.collect::<Vec<_>>().join("\n"))
}

pub(crate) fn make_fifo(at: &Path) {
    let made = std::process::Command::new("mkfifo").arg(at).status();
    assert!(made.unwrap().success());
}
