//! Projects, machines and tools for the traces.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use aside_claudemd::{Dirs, Loader};
use aside_git_context::{GitOptions, UserConfig};
use aside_messages::estimate_tokens;
use aside_messages::wire::{RawJson, Tool};
use aside_prompt_sections::OsKind;
use aside_session::{Git, SessionConfig, SessionTool, ToolOrigin};

use crate::traces::git::git;

const TOOLS: usize = 15;
const TOOL_TOKENS: u64 = 11_000;
const APPENDED_TOKENS: u64 = 9_500;
const INSTRUCTION_TOKENS: u64 = 2_500;
const PRIVATE_TOKENS: u64 = 300;

/// Returns a text with about this many tokens; another `seed` gives another
/// text.
pub(crate) fn text(seed: usize, tokens: u64) -> String {
    static KNOWN: Mutex<BTreeMap<(usize, u64), String>> = Mutex::new(BTreeMap::new());
    let key = (seed, tokens);
    if let Some(text) = KNOWN.lock().unwrap().get(&key) {
        return text.clone();
    }
    let text = write(seed, tokens);
    KNOWN.lock().unwrap().insert(key, text.clone());
    text
}

fn write(seed: usize, tokens: u64) -> String {
    const WORDS: [&str; 8] =
        ["module", "returns", "every", "parser", "before", "commit", "value", "tests"];
    let mut text = format!("Text {seed}:");
    let mut at = seed;
    let mut count = 0;
    while count < tokens {
        let start = text.len();
        for _ in 0..16 {
            at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push(' ');
            text.push_str(WORDS[(at >> 33) % WORDS.len()]);
        }
        count += estimate_tokens(&text[start..]).tokens();
    }
    text
}

/// Makes a clone of the project, with its repository.
pub(crate) fn make(cwd: &Path) {
    fs::create_dir_all(cwd.join("docs")).unwrap();
    let (first, second) = (text(1, INSTRUCTION_TOKENS / 2), text(2, INSTRUCTION_TOKENS / 2));
    fs::write(cwd.join("CLAUDE.md"), format!("{first}\n\n@docs/build.md\n")).unwrap();
    fs::write(cwd.join("docs/build.md"), second).unwrap();
    git(cwd, &["init", "--quiet", "--initial-branch", "main"]);
    git(cwd, &["add", "--all"]);
    git(cwd, &["commit", "--quiet", "--message", "one"]);
}

/// Makes a developer's home, with instructions for all projects.
pub(crate) fn make_home(home: &Path, developer: usize) {
    fs::create_dir_all(home.join(".claude")).unwrap();
    let file = home.join(".claude/CLAUDE.md");
    fs::write(file, text(100 + developer, PRIVATE_TOKENS)).unwrap();
}

/// Configures a session in a clone.
pub(crate) fn config(cwd: &Path, home: Option<&Path>, model: &str) -> SessionConfig {
    let dirs = Dirs {
        home: home.map(Path::to_owned),
        config: home.map(|home| home.join(".claude")),
        managed: None,
    };
    let date = "2026-01-31".parse().unwrap();
    let memory = Loader::new(dirs);
    let mut config = SessionConfig {
        model: model.to_owned(),
        tools: (0..TOOLS).map(|at| tool(at, ToolOrigin::Builtin)).collect(),
        git: Git::Snapshot(GitOptions { user_config: UserConfig::Ignore, ..GitOptions::default() }),
        reminders: Arc::default(),
        ..SessionConfig::new(cwd.to_owned(), OsKind::Linux, memory, date)
    };
    config.prompt.append = Some(text(3, APPENDED_TOKENS));
    config
}

/// Returns the tool with this number.
pub(crate) fn tool(number: usize, origin: ToolOrigin) -> SessionTool {
    let name = format!("Tool{number:02}");
    let description = text(200 + number, TOOL_TOKENS / TOOLS as u64 - 20);
    let schema = RawJson::parse(r#"{"type":"object"}"#).unwrap();
    SessionTool { origin, tool: Tool::new(name, description, schema) }
}
