//! Every flag, variable and setting that changes a request, with what it does
//! to the bytes. docs/settings.md has the table.

mod agreement;
mod differs;
use crate::support::clean;
mod place;
#[cfg(feature = "network")]
mod sends_nothing;
#[cfg(feature = "network")]
mod sent;
mod table;

use place::Effect::{Adds, Removes, Turns};
use place::Form::{Flags, Managed, Setting, Variable};
use place::{Form, Place};

const DATE: &[&str] = &["--date", "2026-01-31"];

#[test]
fn directories_and_sources() {
    let place = Place::new();
    let check = |effect, forms: &[Form]| place.check(DATE, effect, forms);
    check(Adds("Additional working directory"), &[Flags(&["--add-dir", "ROOT/more"])]);
    let added: &[&str] = &["--date", "2026-01-31", "--add-dir", "ROOT/more"];
    let all = Variable("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", "1");
    place.check(added, Adds("Of the added directory."), &[all]);
    check(Removes("Use tabs."), &[Flags(&["--cwd", "ROOT/more"])]);
    check(Removes("Of the user."), &[Flags(&["--setting-sources", "project,local"])]);
    check(
        Adds("# Language"),
        &[Flags(&["--settings", r#"{"language":"French"}"#]), Setting(r#"{"language":"French"}"#)],
    );
    check(Adds("Of another configuration."), &[Variable("CLAUDE_CONFIG_DIR", "ROOT/other-home")]);
    check(
        Adds("Of another administrator."),
        &[Variable("ASIDE_MANAGED_DIR", "ROOT/other-managed")],
    );
    check(
        Removes("Use tabs."),
        &[
            Variable("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1"),
            Setting(r#"{"env":{"CLAUDE_CODE_DISABLE_CLAUDE_MDS":"1"}}"#),
        ],
    );
}

#[test]
fn instruction_files_and_reminders() {
    let place = Place::new();
    let check = |effect, forms: &[Form]| place.check(DATE, effect, forms);
    check(Turns("Use tabs.", "For another agent."), &[Flags(&["--instructions", "gemini"])]);
    check(Removes("Use tabs."), &[Flags(&["--bare"])]);
    check(Adds("From outside."), &[Flags(&["--allow-external-imports"])]);
    check(Removes("Remember."), &[Flags(&["--no-project-reminders"])]);
    check(Removes("Local words."), &[Setting(r#"{"claudeMdExcludes":["**/CLAUDE.local.md"]}"#)]);
    check(Adds("Ours."), &[Managed(r#"{"claudeMd":"Ours."}"#)]);
    check(Adds("A note."), &[Setting(r#"{"autoMemoryDirectory":"ROOT/notes"}"#)]);
    // The same, switched off.
    let notes: &[&str] =
        &["--date", "2026-01-31", "--settings", r#"{"autoMemoryDirectory":"ROOT/notes"}"#];
    place.check(
        notes,
        Removes("A note."),
        &[
            Variable("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
            Setting(r#"{"autoMemoryEnabled":false}"#),
        ],
    );
}

#[test]
fn the_context_of_a_session() {
    let place = Place::new();
    let check = |effect, forms: &[Form]| place.check(DATE, effect, forms);
    check(
        Removes("gitStatus"),
        &[
            Variable("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "1"),
            Variable("CLAUDE_CODE_REMOTE", "1"),
            Setting(r#"{"includeGitInstructions":false}"#),
        ],
    );
    check(Adds("- Shell: fish"), &[Variable("SHELL", "/usr/bin/fish")]);
    check(Adds("Be terse."), &[Setting(r#"{"outputStyle":"Terse"}"#)]);
    check(
        Turns("# Using your tools", "CWD: "),
        &[Variable("CLAUDE_CODE_SIMPLE", "1"), Variable("ASIDE_SIMPLE", "1")],
    );
    place.check(&[], Adds("2031-02-01"), &[Flags(&["--date", "2031-02-01"])]);
    check(Adds("One sentence."), &[Flags(&["--state", "ROOT/state.json"])]);
    let of_caller: &[&str] = &["--date", "2026-01-31", "--messages", "ROOT/messages.json"];
    place.check(of_caller, Adds("Nobody can answer you"), &[Flags(&["--unattended"])]);
    check(Adds("# Brief answers"), &[Flags(&["--brief"])]);
    check(Adds("a budget of 7000 output tokens"), &[Flags(&["--token-budget", "7000"])]);
    check(
        Adds("Put files that the project does not need"),
        &[Flags(&["--scratchpad", "ROOT/scratch"])],
    );
    check(
        Adds("cacheBreaker"),
        &[Flags(&["--cache-breaker", "v1"]), Variable("ASIDE_CACHE_BREAKER", "v1")],
    );
}

#[test]
fn the_system_prompt() {
    let place = Place::new();
    let check = |effect, forms: &[Form]| place.check(DATE, effect, forms);
    check(
        Turns("# Doing tasks", "Only this."),
        &[Flags(&["--override-system-prompt", "Only this."])],
    );
    check(
        Turns("# Doing tasks", "A text of a file."),
        &[
            Flags(&["--system-prompt", "A text of a file."]),
            Flags(&["--system-prompt-file", "ROOT/text.txt"]),
        ],
    );
    check(
        Adds("A text of a file."),
        &[
            Flags(&["--append-system-prompt", "A text of a file."]),
            Flags(&["--append-system-prompt-file", "ROOT/text.txt"]),
        ],
    );
    check(Turns("# Doing tasks", "You review."), &[Flags(&["--agent", "ROOT/agent.md"])]);
    check(Adds("You review."), &[Flags(&["--agent", "ROOT/agent.md", "--proactive"])]);
    let worker: &[&str] = &["--date", "2026-01-31", "--worker-tool", "Agent"];
    place.check(
        worker,
        Turns("# Doing tasks", "In this session you coordinate."),
        &[
            Flags(&["--coordinator"]),
            Variable("CLAUDE_CODE_COORDINATOR_MODE", "1"),
            Variable("ASIDE_COORDINATOR_MODE", "1"),
        ],
    );
    let coordinator: &[&str] =
        &["--date", "2026-01-31", "--coordinator", "--tools", "ROOT/tools.json"];
    place.check(
        coordinator,
        Turns("give the work to workers with Agent", "give the work to workers with Dispatch"),
        &[Flags(&["--worker-tool", "Dispatch"])],
    );
}

/// A server compatible with OpenAI's: your own base URL.
#[test]
fn the_keys_of_a_compatible_server() {
    let place = Place::new();
    let session = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
    let body = |base: &str, flags: &[&str]| {
        let base_flags = ["render", "hello", "--provider", "openai", "--session-id", session];
        let mut command = place.command(&[&base_flags, flags].concat());
        let output = command.env("OPENAI_BASE_URL", base).output().unwrap();
        let reported = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{reported}");
        String::from_utf8(output.stdout).unwrap()
    };
    let (compatible, own) = ("http://127.0.0.1:9/v1", "https://api.openai.com/v1");
    let usual = body(compatible, &[]);
    assert!(usual.contains(r#""max_completion_tokens":"#), "{usual}");
    assert!(usual.contains(&format!(r#""prompt_cache_key":"{session}""#)), "{usual}");
    let flags = ["--max-tokens-key", "--no-prompt-cache-key"];
    let changed = body(compatible, &flags);
    assert!(changed.contains(r#""max_tokens":"#), "{changed}");
    assert!(!changed.contains("max_completion_tokens"), "{changed}");
    assert!(!changed.contains("prompt_cache_key"), "{changed}");
    assert_eq!(body(own, &flags), body(own, &[]));
}

#[test]
fn the_request() {
    let place = Place::new();
    let check = |effect, forms: &[Form]| place.check(DATE, effect, forms);
    check(
        Turns(r#""model":"claude-sonnet-5-5""#, r#""model":"claude-opus-5-5""#),
        &[Flags(&["--model", "claude-opus-5-5"])],
    );
    check(Turns(r#""max_tokens":8192"#, r#""max_tokens":100"#), &[Flags(&["--max-tokens", "100"])]);
    check(Adds(r#""contents":"#), &[Flags(&["--provider", "gemini"])]);
    let classic = place.render(DATE, Some(Flags(&["--layout", "classic"])));
    let system_end = classic.find(r#""messages""#).unwrap();
    assert!(classic[..system_end].contains("gitStatus"), "{classic}");
    check(
        Adds("x-aside-attribution: "),
        &[Flags(&["--attribution", "ci"]), Variable("ASIDE_ATTRIBUTION", "ci")],
    );
    let headers: &[&str] = &["--date", "2026-01-31", "--json"];
    place.check(
        headers,
        Adds("my-beta-2026-01-01"),
        &[Flags(&["--beta", "my-beta-2026-01-01"]), Setting(r#"{"betas":["my-beta-2026-01-01"]}"#)],
    );
    check(Adds(r#""name":"Snip""#), &[Flags(&["--snip"])]);
    // No beta is used.
    let clearing: &[&str] = &["--date", "2026-01-31", "--clear-tool-uses", "5000"];
    place.check(
        clearing,
        Removes("context_management"),
        &[Variable("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS", "1")],
    );
}

#[test]
fn a_context_window_that_fills() {
    let place = Place::new();
    let check = |effect, forms: &[Form]| place.check(DATE, effect, forms);
    check(
        Removes("it continues from a summary of itself"),
        &[
            Flags(&["--compact-at", "off"]),
            Variable("DISABLE_AUTO_COMPACT", "1"),
            Setting(r#"{"compaction":{"enabled":false}}"#),
        ],
    );
    check(
        Adds(
            r#""trigger":{"type":"input_tokens","value":5000},"keep":{"type":"tool_uses","value":3}"#,
        ),
        &[
            Flags(&["--clear-tool-uses", "5000"]),
            Variable("ASIDE_CLEAR_TOOL_USES", "5000"),
            Setting(r#"{"clearToolUses":{"trigger":5000}}"#),
        ],
    );
    check(
        Adds(
            r#""keep":{"type":"tool_uses","value":1},"clear_at_least":{"type":"input_tokens","value":9000}"#,
        ),
        &[Setting(r#"{"clearToolUses":{"keep":1,"atLeast":9000}}"#)],
    );
}

#[test]
fn the_prompt_cache() {
    let place = Place::new();
    let check = |effect, forms: &[Form]| place.check(DATE, effect, forms);
    const HOUR: &str = r#""ttl":"1h""#;
    check(Removes("cache_control"), &[Variable("DISABLE_PROMPT_CACHING", "1")]);
    check(
        Adds(HOUR),
        &[
            Flags(&["--cache-ttl", "1h"]),
            Variable("ASIDE_CACHE_TTL", "1h"),
            Variable("ENABLE_PROMPT_CACHING_1H", "1"),
            Setting(r#"{"promptCacheTtl":"1h"}"#),
            Flags(&["--cache-ttl-allowlist", "agent:*,sd*"]),
            Variable("ASIDE_CACHE_TTL_ALLOWLIST", "agent:*, sd*"),
            Setting(r#"{"promptCacheTtlAllowlist":["sd*"]}"#),
        ],
    );
    check(
        Adds(HOUR),
        &[
            Flags(&["--cache-prefix", "1h"]),
            Variable("ASIDE_CACHE_PREFIX", "1h"),
            Setting(r#"{"cache":{"prefix":"1h"}}"#),
        ],
    );
    let hour: &[&str] = &["--date", "2026-01-31", "--cache-ttl", "1h"];
    place.check(hour, Removes(HOUR), &[Variable("FORCE_PROMPT_CACHING_5M", "1")]);
    let bedrock: &[&str] = &["--date", "2026-01-31", "--provider", "bedrock"];
    place.check(bedrock, Adds(HOUR), &[Variable("ENABLE_PROMPT_CACHING_1H_BEDROCK", "1")]);
    check(
        Adds(r#""scope":"global""#),
        &[
            Flags(&["--global-scope"]),
            Variable("ASIDE_GLOBAL_SCOPE", "1"),
            Setting(r#"{"cache":{"globalScope":true}}"#),
        ],
    );
}

/// Only the allowlist and the subagent settings look at a request's source.
#[test]
fn the_source_of_a_request() {
    let place = Place::new();
    const HOUR: &str = r#""ttl":"1h""#;
    let source: Form = Flags(&["--query-source", "agent:review"]);
    let allowed: &[&str] =
        &["--date", "2026-01-31", "--settings", r#"{"promptCacheTtlAllowlist":["agent:*"]}"#];
    place.check(allowed, Adds(HOUR), &[source]);
    let subagents: &[&str] =
        &["--date", "2026-01-31", "--settings", r#"{"subagentPromptCacheTtl":"1h"}"#];
    place.check(subagents, Adds(HOUR), &[source]);
    assert_eq!(place.render(DATE, Some(source)), place.render(DATE, None));
}

#[test]
fn a_project_cannot_raise_the_cost_or_compact() {
    let place = Place::new();
    let usual = place.render(DATE, None);
    place.write(
        "project/.claude/settings.json",
        r#"{"compaction":{"enabled":false},"clearToolUses":{"keep":1},"betas":["x"],"cache":{"globalScope":true}}"#,
    );
    // The status names the new file.
    place.write("project/.git/info/exclude", ".claude\n");
    let ours = place.render(DATE, None);
    for text in ["context_management", "\"scope\""] {
        assert!(!ours.contains(text), "{ours}");
    }
    assert!(
        usual.contains("continues from a summary") && ours.contains("continues from a summary")
    );
}
