//! All features. Every scenario names those that it shows, and
//! `docs/scenarios.md` is the matrix of both.

use schemars::JsonSchema;
use serde::Deserialize;

/// Declares features with their names and descriptions.
macro_rules! features {
    ($($feature:ident $name:literal $about:literal,)*) => {
        /// A feature that a scenario shows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
        pub enum Feature {
            $(#[doc = $about] #[serde(rename = $name)] $feature,)*
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
                    $(Self::$feature => $about,)*
                }
            }
        }
    };
}

features! {
    AddedDirectories "added_directories" "Directories that are added to the session.",
    AgentPrompt "agent_prompt"
        "The prompt of an agent, which replaces the default or is appended to it.",
    Attachments "attachments" "Messages of the harness to the model.",
    Attribution "attribution" "The block that names the client.",
    Boundaries "boundaries" "Entries before a boundary, which are no longer sent.",
    CacheSwitches "cache_switches" "Switches and allowlists of the cache.",
    CallerMarkers "caller_markers" "Cache markers of the caller, within the limit of four.",
    Classic "classic" "The classic layout.",
    Compaction "compaction" "A session that continues after compaction.",
    Coordinator "coordinator" "Coordinator mode.",
    CustomPrompt "custom_prompt" "Prompts that replace the default or are appended.",
    DateChange "date_change" "A session that is longer than a day.",
    DeferredTools "deferred_tools" "Tools that are loaded on demand.",
    Determinism "determinism" "A fixed order for unordered inputs.",
    DynamicSections "dynamic_sections"
        "Sections of the dynamic zone, and how a session replaces them.",
    EntryIds "entry_ids" "Entries with visible ids.",
    Excludes "excludes" "Instruction files that are not loaded.",
    FilesThatChange "files_that_change"
        "Skills, agents and instruction files that change during a session.",
    GitStatus "git_status" "The state of a repository.",
    GlobalScope "global_scope" "A static zone with global scope.",
    HomeFiles "home_files" "The user's own instruction files, settings and reminders.",
    Hooks "hooks" "Messages of hooks.",
    Imports "imports" "Instruction files that import others.",
    InstructionFiles "instruction_files"
        "Instruction files, from the administrator's to the nested ones.",
    Language "language" "The language of the answers.",
    Layered "layered" "Special cases of the layered layout.",
    ManagedFiles "managed_files" "The administrator's files and settings.",
    McpTools "mcp_tools" "Tools of MCP servers, including servers that connect and disconnect.",
    Media "media" "Images and documents, and their limit.",
    NestedMemory "nested_memory" "Instruction files that load when a path is touched.",
    OutputStyle "output_style" "The style of the answers.",
    OwnTools "own_tools" "The session of `aside run`, with Aside's own tools.",
    PathRules "path_rules" "Rules that wait for a path.",
    Providers "providers" "The wires of other providers.",
    Queued "queued" "Messages that arrive while the model works.",
    ReminderFiles "reminder_files" "Reminders in files.",
    Reminders "reminders" "Reminders: ephemeral, persistent, and their schedules.",
    Repairs "repairs" "Repairs of conversations that the API would refuse.",
    Resume "resume" "A resumed session that continues with the same bytes.",
    Settings "settings" "Settings of the user, the project and the administrator.",
    SimpleMode "simple_mode" "Simple mode.",
    Smooshing "smooshing" "Reminders next to tool results, which move into them.",
    Snip "snip" "Entries that the model removes from its conversation.",
    Spoofing "spoofing" "Text that imitates a reminder, a boundary or an end.",
    Symlinks "symlinks" "Symbolic links in trees.",
    Thinking "thinking" "Thinking that is sent back.",
    ToolUse "tool_use" "Calls of tools and their results.",
    Ttl "ttl" "The lifetime of cache entries.",
    UncachedSections "uncached_sections"
        "Sections of the prompt that are computed for every request.",
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
