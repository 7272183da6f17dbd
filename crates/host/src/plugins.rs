//! Plugins that the user installed: which of them a session has, and their hooks.
//!
//! Claude Code writes `plugins/installed_plugins.json` into its configuration directory:
//!
//! ```json
//! {"version": 2, "plugins": {"tools@team": [{"scope": "user", "installPath": "/home/ada/p/tools"}]}}
//! ```
//!
//! The setting `enabledPlugins`, `{"tools@team": true}`, switches them on.

use std::path::{Path, PathBuf};

use aside_claudemd::Plugin;
use aside_diagnostic::Diagnostic;
use aside_user_files::open::Fence;
use serde_json::Value;

use crate::settings::{Hook, Settings, hooks, read_present};

/// The file of installed plugins, in the user's configuration.
const INSTALLED: &str = "plugins/installed_plugins.json";

/// Returns the plugins that are enabled and installed for the user or for this project,
/// in the order of their names. `config` is the user's configuration. A file that cannot
/// be read is reported; parts of another form are left out.
pub(crate) fn plugins(
    settings: &Settings,
    config: &Path,
    cwd: &Path,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Plugin> {
    let enabled = settings.enabled_plugins.iter();
    let mut enabled = enabled.filter(|(_, is_on)| **is_on).peekable();
    if enabled.peek().is_none() {
        return Vec::new();
    }
    let path = config.join(INSTALLED);
    let installed = read_present::<Value>(&path, None, diagnostics).unwrap_or_default();
    let found = enabled.filter_map(|(id, _)| {
        let installs = &installed["plugins"][id.as_str()];
        // Version 1 has one installation, version 2 a list.
        let list = installs.as_array().map(Vec::as_slice);
        let mut list = list.unwrap_or(std::slice::from_ref(installs)).iter();
        let name = id.split('@').next().unwrap_or_default().to_owned();
        let path = list.find_map(|install| install_path(install, cwd))?;
        Some(Plugin { name, path })
    });
    found.collect()
}

/// Returns the directory of an installation that holds in `cwd`.
fn install_path(install: &Value, cwd: &Path) -> Option<PathBuf> {
    let project = install["projectPath"].as_str();
    let holds = project.is_none_or(|project| cwd.starts_with(project));
    let path = PathBuf::from(install["installPath"].as_str()?);
    (holds && path.is_absolute()).then_some(path)
}

/// Returns the hooks of a plugin, which are listed and never run.
pub(crate) fn plugin_hooks(plugin: &Plugin, diagnostics: &mut Vec<Diagnostic>) -> Vec<Hook> {
    let path = plugin.path.join("hooks/hooks.json");
    let fence = Fence::around([&plugin.path]);
    let file = read_present::<Value>(&path, Some(&fence), diagnostics).unwrap_or_default();
    hooks(&file["hooks"], &path.to_string_lossy())
}
