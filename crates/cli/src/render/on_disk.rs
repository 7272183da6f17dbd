//! Which files and settings the next session uses: skills, agents, the output
//! style and hooks.

use std::path::Path;

use aside_host::Hook;
use aside_inspect::DiskSource;
use aside_models::{estimate, find};
use aside_session::OnDisk;

use super::next::Next;

/// Lists them with their files, and the tokens that their texts take in the
/// request.
pub(super) fn sources(next: &Next) -> Vec<DiskSource> {
    let tokenizer = find(next.session.model()).facts.estimated_tokenizer();
    let source = |kind, name: &str, path: &Path, text: &str| DiskSource {
        kind,
        name: name.to_owned(),
        file: path.to_string_lossy().into_owned(),
        tokens: Some(estimate(text, tokenizer).tokens()),
        command: None,
    };
    let OnDisk { skills, agents, .. } = next.session.on_disk();
    let listed = |name: &str, description: &str| format!("- {name}: {description}\n");
    let skills = skills.iter().map(|it| {
        let text = listed(&it.name, &it.description);
        source("skill", &it.name, &it.path, &text)
    });
    let agents = agents.iter().map(|it| {
        let text = listed(&it.name, &it.description);
        source("agent", &it.name, &it.path, &text)
    });
    let style = next.session.output_style().zip(next.style_file.as_ref());
    let style = style.map(|(style, path)| {
        let text = style.instructions.raw();
        source("output style", style.name.raw(), path, text)
    });
    let hooks = next.hooks.iter().map(|hook: &Hook| DiskSource {
        kind: "hook",
        name: hook.name(),
        file: hook.place.clone(),
        tokens: None,
        command: Some(hook.command.clone()),
    });
    skills.chain(agents).chain(style).chain(hooks).collect()
}
