//! All features. Every scenario names those that it shows, and
//! `docs/scenarios.md` is the matrix of both.

use schemars::JsonSchema;
use serde::Deserialize;

/// Declares features with their names and descriptions.
macro_rules! features {
    ($($(#[doc = $about:literal])+ $feature:ident = $name:literal,)*) => {
        /// A feature that a scenario shows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
        pub enum Feature {
            $($(#[doc = $about])+ #[serde(rename = $name)] $feature,)*
        }

        impl Feature {
            /// All features, sorted by name.
            pub const ALL: &[Self] = &[$(Self::$feature),*];

            /// Returns its name in a scenario.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$feature => $name,)*
                }
            }

            /// Returns its description.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$feature => concat!($($about),+),)*
                }
            }
        }
    };
}

features! {
    #[doc = "Directories that are added to the session."]
    AddedDirectories = "added_directories",
    #[doc = "The prompt of an agent, which replaces the default or is appended to it."]
    AgentPrompt = "agent_prompt",
    #[doc = "Messages of the harness to the model."]
    Attachments = "attachments",
    #[doc = "The block that names the client."]
    Attribution = "attribution",
    #[doc = "Entries before a boundary, which are no longer sent."]
    Boundaries = "boundaries",
    #[doc = "Switches and allowlists of the cache."]
    CacheSwitches = "cache_switches",
    #[doc = "Cache markers of the caller, within the limit of four."]
    CallerMarkers = "caller_markers",
    #[doc = "The classic layout."]
    Classic = "classic",
    #[doc = "A session that continues after compaction."]
    Compaction = "compaction",
    #[doc = "Coordinator mode."]
    Coordinator = "coordinator",
    #[doc = "Prompts that replace the default or are appended."]
    CustomPrompt = "custom_prompt",
    #[doc = "A session that is longer than a day."]
    DateChange = "date_change",
    #[doc = "Tools that are loaded on demand."]
    DeferredTools = "deferred_tools",
    #[doc = "A fixed order for unordered inputs."]
    Determinism = "determinism",
    #[doc = "Sections of the dynamic zone, and how a session replaces them."]
    DynamicSections = "dynamic_sections",
    #[doc = "Entries with visible ids."]
    EntryIds = "entry_ids",
    #[doc = "Instruction files that are not loaded."]
    Excludes = "excludes",
    #[doc = "Skills, agents and instruction files that change during a session."]
    FilesThatChange = "files_that_change",
    #[doc = "The state of a repository."]
    GitStatus = "git_status",
    #[doc = "A static zone with global scope."]
    GlobalScope = "global_scope",
    #[doc = "The user's own instruction files, settings and reminders."]
    HomeFiles = "home_files",
    #[doc = "Messages of hooks."]
    Hooks = "hooks",
    #[doc = "Instruction files that import others."]
    Imports = "imports",
    #[doc = "Instruction files, from the administrator's to the nested ones."]
    InstructionFiles = "instruction_files",
    #[doc = "The language of the answers."]
    Language = "language",
    #[doc = "Special cases of the layered layout."]
    Layered = "layered",
    #[doc = "The administrator's files and settings."]
    ManagedFiles = "managed_files",
    #[doc = "Tools of MCP servers, including servers that connect and disconnect."]
    McpTools = "mcp_tools",
    #[doc = "Images and documents, and their limit."]
    Media = "media",
    #[doc = "Instruction files that load when a path is touched."]
    NestedMemory = "nested_memory",
    #[doc = "The style of the answers."]
    OutputStyle = "output_style",
    #[doc = "The session of `aside run`, with Aside's own tools."]
    OwnTools = "own_tools",
    #[doc = "Rules that wait for a path."]
    PathRules = "path_rules",
    #[doc = "The wires of other providers."]
    Providers = "providers",
    #[doc = "Messages that arrive while the model works."]
    Queued = "queued",
    #[doc = "Reminders in files."]
    ReminderFiles = "reminder_files",
    #[doc = "Reminders: ephemeral, persistent, and their schedules."]
    Reminders = "reminders",
    #[doc = "Repairs of conversations that the API would refuse."]
    Repairs = "repairs",
    #[doc = "A resumed session that continues with the same bytes."]
    Resume = "resume",
    #[doc = "Settings of the user, the project and the administrator."]
    Settings = "settings",
    #[doc = "Simple mode."]
    SimpleMode = "simple_mode",
    #[doc = "Reminders next to tool results, which move into them."]
    Smooshing = "smooshing",
    #[doc = "Entries that the model removes from its conversation."]
    Snip = "snip",
    #[doc = "Text that imitates a reminder, a boundary or an end."]
    Spoofing = "spoofing",
    #[doc = "Symbolic links in trees."]
    Symlinks = "symlinks",
    #[doc = "Thinking that is sent back."]
    Thinking = "thinking",
    #[doc = "Calls of tools and their results."]
    ToolUse = "tool_use",
    #[doc = "The lifetime of cache entries."]
    Ttl = "ttl",
    #[doc = "Sections of the prompt that are computed for every request."]
    UncachedSections = "uncached_sections",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_ordered_and_unique() {
        let names: Vec<_> = Feature::ALL.iter().map(|it| it.name()).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
    }
}
