use schemars::JsonSchema;
use serde::Deserialize;

/// Names, and what each is about.
macro_rules! features {
    ($($(#[doc = $about:literal])+ $feature:ident = $name:literal,)*) => {
        /// What a scenario can be there to show.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
        pub enum Feature {
            $($(#[doc = $about])+ #[serde(rename = $name)] $feature,)*
        }

        impl Feature {
            /// All of them, by name.
            pub const ALL: &[Self] = &[$(Self::$feature),*];

            /// Its name in a scenario.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$feature => $name,)*
                }
            }

            /// What it is about.
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
    #[doc = "The prompt of an agent, in place of the default or behind it."]
    AgentPrompt = "agent_prompt",
    #[doc = "What the harness tells the model."]
    Attachments = "attachments",
    #[doc = "The block that says who asks."]
    Attribution = "attribution",
    #[doc = "What stands before a boundary is no longer sent."]
    Boundaries = "boundaries",
    #[doc = "Switches and allowlists that decide about the cache."]
    CacheSwitches = "cache_switches",
    #[doc = "Cache markers of the caller's, within the budget."]
    CallerMarkers = "caller_markers",
    #[doc = "The classic layout."]
    Classic = "classic",
    #[doc = "A session that is compacted goes on."]
    Compaction = "compaction",
    #[doc = "Coordinator mode."]
    Coordinator = "coordinator",
    #[doc = "Prompts that replace the default or come last."]
    CustomPrompt = "custom_prompt",
    #[doc = "A session that is longer than a day."]
    DateChange = "date_change",
    #[doc = "Tools that are loaded on demand."]
    DeferredTools = "deferred_tools",
    #[doc = "What could come in any order comes in one."]
    Determinism = "determinism",
    #[doc = "Entries that bear their ids."]
    EntryIds = "entry_ids",
    #[doc = "Instruction files that are not loaded."]
    Excludes = "excludes",
    #[doc = "The state of a repository."]
    GitStatus = "git_status",
    #[doc = "A static zone that all share."]
    GlobalScope = "global_scope",
    #[doc = "The user's own instruction files, settings and reminders."]
    HomeFiles = "home_files",
    #[doc = "What hooks say."]
    Hooks = "hooks",
    #[doc = "Instruction files that import others."]
    Imports = "imports",
    #[doc = "Instruction files, from the administrator's to the nested ones."]
    InstructionFiles = "instruction_files",
    #[doc = "The language of the answers."]
    Language = "language",
    #[doc = "The layered layout, more than by default."]
    Layered = "layered",
    #[doc = "The administrator's files and settings."]
    ManagedFiles = "managed_files",
    #[doc = "Tools of MCP servers, also ones that come and go."]
    McpTools = "mcp_tools",
    #[doc = "Images and documents, and how many of them."]
    Media = "media",
    #[doc = "Instruction files that load when a path is touched."]
    NestedMemory = "nested_memory",
    #[doc = "The style of the answers."]
    OutputStyle = "output_style",
    #[doc = "Rules that wait for a path."]
    PathRules = "path_rules",
    #[doc = "The wires of other providers."]
    Providers = "providers",
    #[doc = "Messages that arrive while the model works."]
    Queued = "queued",
    #[doc = "Reminders in files."]
    ReminderFiles = "reminder_files",
    #[doc = "Reminders: ephemeral, persistent, and when each fires."]
    Reminders = "reminders",
    #[doc = "Conversations that the API would refuse."]
    Repairs = "repairs",
    #[doc = "A session that is read back goes on with the same bytes."]
    Resume = "resume",
    #[doc = "Settings of the user, the project and the administrator."]
    Settings = "settings",
    #[doc = "Simple mode."]
    SimpleMode = "simple_mode",
    #[doc = "Reminders beside results of tools move into them."]
    Smooshing = "smooshing",
    #[doc = "What the model takes out of its conversation."]
    Snip = "snip",
    #[doc = "Text that would pass for a reminder, a boundary or an end."]
    Spoofing = "spoofing",
    #[doc = "Symbolic links in trees."]
    Symlinks = "symlinks",
    #[doc = "Thinking that is sent back."]
    Thinking = "thinking",
    #[doc = "Calls of tools and their results."]
    ToolUse = "tool_use",
    #[doc = "How long cache entries live."]
    Ttl = "ttl",
    #[doc = "Sections of the prompt that are computed for every request."]
    UncachedSections = "uncached_sections",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_stand_by_name_each_once() {
        let names: Vec<_> = Feature::ALL.iter().map(|it| it.name()).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
    }
}
