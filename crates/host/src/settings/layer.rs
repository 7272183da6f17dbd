//! The settings layers, and which keys each of them may set.
//!
//! A key in a layer that may not set it is left out and reported. A repository is not trusted: its
//! `env` could send API keys to another server, and its lifetimes could raise its users' costs.

use std::sync::Arc;

use serde_json::Value;

use super::hooks::hooks;
use super::keys::Keys;
use super::{SettingPlaces, Settings};

/// The settings layers, from low to high precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// `settings.json` in the user's configuration.
    User,
    /// `.claude/settings.json` in the project, which is part of the repository.
    Project,
    /// `.claude/settings.local.json` in the project, which normally is not.
    Local,
    /// The argument to `--settings`.
    CommandLine,
    /// `managed-settings.json` in the administrator's directory.
    Managed,
}

impl Layer {
    /// Returns true if the settings come with a repository.
    ///
    /// The local file counts too: a repository may have one.
    pub(super) fn is_of_project(self) -> bool {
        matches!(self, Self::Project | Self::Local)
    }
}

/// A key in a layer that may not set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfPlace {
    /// The key, such as `cache.prefix`.
    pub(super) key: &'static str,
    /// Which layers may set the key, as a phrase for the diagnostic, such as "the administrator".
    pub(super) counts_in: &'static str,
}

/// For keys that a project must not set: variables for a process that holds API keys, and paths
/// outside the project.
const NOT_OF_PROJECT: &str = "the user, the administrator and the command line";

/// For MCP servers: a project's need an approval.
const SERVERS_NOT_OF_PROJECT: &str =
    "the user, the administrator and the command line, and otherwise in .mcp.json,";

/// The cache lifetime that a project may set.
const SHORTEST: &str = "5m";
/// For lifetimes: a project may set the shortest one, which costs nothing extra.
const LONGER_NOT_OF_PROJECT: &str =
    "the user, the administrator and the command line, unless it is 5m,";

impl Settings {
    /// Merges a layer over the lower ones. `place` is the file or the command line.
    ///
    /// Add layers in ascending precedence. Keys that the layer may not set are returned and change
    /// nothing, in the order of the checks below.
    pub(super) fn add(&mut self, layer: Layer, mut keys: Keys, place: &str) -> Vec<OutOfPlace> {
        let mut out_of_place = Vec::new();
        let mut refuse = |present, key, counts_in| {
            if present {
                out_of_place.push(OutOfPlace { key, counts_in });
            }
        };
        if layer != Layer::Managed {
            refuse(take(&mut keys.claude_md), "claudeMd", "the administrator");
        }
        if layer.is_of_project() {
            refuse(take(&mut keys.auto_memory_directory), "autoMemoryDirectory", NOT_OF_PROJECT);
            refuse(take(&mut keys.models), "models", NOT_OF_PROJECT);
            refuse(take(&mut keys.env), "env", NOT_OF_PROJECT);
            refuse(take(&mut keys.mcp_servers), "mcpServers", SERVERS_NOT_OF_PROJECT);
            // A project may reduce costs for its users, never increase them, except for the shared
            // prefix, which its sessions soon win back.
            for (value, key) in [
                (&mut keys.prompt_cache_ttl, "promptCacheTtl"),
                (&mut keys.subagent_prompt_cache_ttl, "subagentPromptCacheTtl"),
            ] {
                let given = value.take_if(|value| value != SHORTEST);
                refuse(given.is_some(), key, LONGER_NOT_OF_PROJECT);
            }
            let given = take(&mut keys.prompt_cache_ttl_allowlist);
            refuse(given, "promptCacheTtlAllowlist", NOT_OF_PROJECT);
            refuse(take(&mut keys.cache.global_scope), "cache.globalScope", NOT_OF_PROJECT);
            refuse(take(&mut keys.compaction), "compaction", NOT_OF_PROJECT);
            refuse(take(&mut keys.clear_tool_uses), "clearToolUses", NOT_OF_PROJECT);
            refuse(take(&mut keys.betas), "betas", NOT_OF_PROJECT);
        }
        self.put_over(keys, place);
        out_of_place
    }

    /// Merges keys: a single value replaces the lower one, lists are appended, variables are
    /// replaced one by one.
    fn put_over(&mut self, higher: Keys, place: &str) {
        let mut put = Put { place, places: &mut self.places };
        put.key(
            &mut self.include_git_instructions,
            higher.include_git_instructions,
            "includeGitInstructions",
        );
        put.key(&mut self.claude_md, higher.claude_md, "claudeMd");
        put.key(&mut self.auto_memory_enabled, higher.auto_memory_enabled, "autoMemoryEnabled");
        put.key(
            &mut self.auto_memory_directory,
            higher.auto_memory_directory,
            "autoMemoryDirectory",
        );
        put.key(&mut self.output_style, higher.output_style, "outputStyle");
        put.key(&mut self.language, higher.language, "language");
        put.key(&mut self.models, higher.models, "models");
        put.key(&mut self.prompt_cache_ttl, higher.prompt_cache_ttl, "promptCacheTtl");
        put.key(
            &mut self.subagent_prompt_cache_ttl,
            higher.subagent_prompt_cache_ttl,
            "subagentPromptCacheTtl",
        );
        put.key(&mut self.cache_prefix, higher.cache.prefix, "cache.prefix");
        put.key(&mut self.global_scope, higher.cache.global_scope, "cache.globalScope");
        let (ours, compaction) = (&mut self.compaction, higher.compaction);
        put.key(&mut ours.enabled, compaction.enabled, "compaction.enabled");
        put.key(&mut ours.at, compaction.at, "compaction.at");
        put.key(&mut ours.method, compaction.method, "compaction.method");
        put.key(&mut ours.instructions, compaction.instructions, "compaction.instructions");
        let (ours, clear) = (&mut self.clear_tool_uses, higher.clear_tool_uses);
        put.key(&mut ours.trigger, clear.trigger, "clearToolUses.trigger");
        put.key(&mut ours.keep, clear.keep, "clearToolUses.keep");
        put.key(&mut ours.at_least, clear.at_least, "clearToolUses.atLeast");
        self.betas.extend(higher.betas.unwrap_or_default());
        let allowlist = higher.prompt_cache_ttl_allowlist;
        self.prompt_cache_ttl_allowlist.extend(allowlist.unwrap_or_default());
        for exclude in higher.claude_md_excludes.unwrap_or_default() {
            let excludes = &mut self.places.excludes;
            excludes.insert(exclude.clone(), place.to_owned());
            self.claude_md_excludes.push(exclude);
        }
        for (plugin, is_on) in higher.enabled_plugins.iter().filter_map(Value::as_object).flatten()
        {
            let is_on = is_on.as_bool().unwrap_or(false);
            self.enabled_plugins.insert(plugin.clone(), is_on);
        }
        if let Some(value) = &higher.hooks {
            Arc::make_mut(&mut self.hooks).extend(hooks(value, place));
        }
        self.mcp_servers.extend(higher.mcp_servers.unwrap_or_default());
        for (name, value) in higher.env.unwrap_or_default() {
            let variables = &mut self.places.variables;
            variables.insert(name.clone(), place.to_owned());
            self.env.insert(name, value.0);
        }
    }
}

/// Takes keys out. Returns true if there were any.
fn take<T: Default + PartialEq>(keys: &mut T) -> bool {
    std::mem::take(keys) != T::default()
}

/// Merges keys over others, and records where they come from.
struct Put<'a> {
    place: &'a str,
    places: &'a mut SettingPlaces,
}

impl Put<'_> {
    /// Replaces a value and its place, unless the higher layer has none.
    fn key<T>(&mut self, to: &mut Option<T>, higher: Option<T>, key: &'static str) {
        if higher.is_some() {
            *to = higher;
            self.places.keys.insert(key, self.place.to_owned());
        }
    }
}
