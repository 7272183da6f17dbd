//! "Where Aside differs" in ARCHITECTURE.md: this flips every switch in the
//! table, and generates the switch column (`ASIDE_BLESS_DOCS=1`).

use std::fs;
use std::path::Path;
use std::process::Output;

use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::lower::{LowerOptions, Tail, lower};
use aside_messages::wire::Role;
use serde_json::Value;

use super::place::Form::Flags;
use super::place::{Form, Place};

/// A table row with a switch.
struct Row {
    /// How its first cell begins.
    commonly: &'static str,
    switch: &'static str,
    /// Fails unless the switch does what the row says.
    flips: fn(&Place),
}

const CLASSIC: &[&str] = &["--layout", "classic"];
/// A model that does not bind its thinking to the prefix.
const UNBOUND: &[&str] = &["--model", "claude-haiku-4-5"];

const ROWS: &[Row] = &[
    Row {
        commonly: "the git status ends the system prompt",
        switch: "`--layout classic`",
        flips: |place| in_classic(place, |body| text(&body["system"]).contains("gitStatus")),
    },
    Row {
        commonly: "the static zone has a global marker",
        switch: "`--global-scope`",
        flips: |place| {
            flips(place, &["--global-scope"], |body| text(body).contains("scope"));
        },
    },
    Row {
        commonly: "reminders are folded into tool results if",
        switch: "`LowerOptions::smoosh_reminders`",
        flips: |_| {
            assert_eq!(blocks_after_a_result(&LowerOptions::default()), 1);
            let apart = LowerOptions { smoosh_reminders: false, ..LowerOptions::default() };
            assert_eq!(blocks_after_a_result(&apart), 2);
        },
    },
    Row {
        commonly: "the zones of the prompt have a boundary only if",
        switch: "`--layout classic`",
        flips: |place| {
            let joins_the_zones = |body: &Value| {
                let mut blocks = body["system"].as_array().unwrap().iter().map(text);
                blocks.any(|it| it.contains("# Doing tasks") && it.contains("# Environment"))
            };
            in_classic(place, joins_the_zones);
        },
    },
    Row {
        commonly: "an attribution is always the first block",
        switch: "`--attribution`",
        flips: |place| {
            flips(place, &["--attribution", "ci"], |body| {
                text(&body["system"][0]).contains("entrypoint=ci")
            });
        },
    },
    Row {
        commonly: "the identity prefix is marked in every split",
        switch: "`--layout classic`",
        flips: |place| in_classic(place, |body| is_marked(&body["system"][0])),
    },
    Row {
        commonly: "all entries live for five minutes",
        switch: "`--cache-ttl 5m`, `--layout classic`",
        flips: |place| {
            place.write(
                "answers.json",
                r#"{"version":1,"answers":[{"content":[{"type":"tool_use","id":"t1","name":"Read",
                "input":{"file_path":"CLAUDE.md"}}]},{"content":"Done."}]}"#,
            );
            let has_hour = |flags: &[&str]| {
                let run = ["run", "one", "--replay", "ROOT/answers.json"];
                let ran = done(place.command(&[&run, flags].concat()).output().unwrap());
                let mut lines = ran.1.lines();
                let id = lines.find_map(|it| it.strip_prefix("aside: session: "));
                let next = ["render", "two", "--resume", id.unwrap()];
                let next = place.command(&[&next[..], flags].concat()).output().unwrap();
                done(next).0.contains(r#""ttl":"1h""#)
            };
            assert!(has_hour(&[]));
            assert!(!has_hour(&["--cache-ttl", "5m"]));
            assert!(!has_hour(CLASSIC));
        },
    },
    Row {
        commonly: "the environment and the directory of the model's notes",
        switch: "`--layout classic`",
        flips: |place| {
            in_classic(place, |body| text(&body["system"]).contains("# Environment"));
        },
    },
    Row {
        commonly: "an appended prompt comes last",
        switch: "`--layout classic`",
        flips: |place| {
            let base = ["--append-system-prompt", "Of the user of the command."];
            flips_from(place, &base, Flags(CLASSIC), |body| {
                let system = text(&body["system"]);
                let at = |text: &str| system.find(text).unwrap_or(usize::MAX);
                at("Of the user of the command.") > at("# Environment")
            });
        },
    },
    Row {
        commonly: "instruction files are in one block",
        switch: "`--layout classic`",
        flips: |place| {
            in_classic(place, |body| {
                let messages = text(&body["messages"]);
                let is_full = messages.contains("/project/CLAUDE.md (");
                assert_eq!(messages.contains("Contents of CLAUDE.md"), !is_full);
                is_full
            });
        },
    },
    Row {
        commonly: "tools are marked only without a system prompt",
        switch: "`--layout classic`",
        flips: |place| {
            let last_is_unmarked =
                |body: &Value| !is_marked(body["tools"].as_array().unwrap().last().unwrap());
            in_classic(place, last_is_unmarked);
        },
    },
    Row {
        commonly: "an override of the prompt keeps the identity",
        switch: "`--system-prompt`",
        flips: |place| {
            let system = |flag: &'static [&'static str]| {
                let body = body(place, &[], Some(Flags(flag)));
                body["system"].as_array().unwrap().iter().map(text).collect::<Vec<_>>()
            };
            let exactly = system(&["--override-system-prompt", "Only this."]);
            assert!(exactly.concat().starts_with(r#"{"cache_control""#), "{exactly:?}");
            assert!(!exactly.concat().contains("You are Aside"), "{exactly:?}");
            let behind = system(&["--system-prompt", "Only this."]);
            assert!(behind[0].contains("You are Aside"), "{behind:?}");
            assert!(behind[1].contains("Only this."), "{behind:?}");
        },
    },
    Row {
        commonly: "a changed cache breaker drops",
        switch: "`--cache-breaker`",
        flips: |place| {
            flips(place, &["--cache-breaker", "v1"], |body| text(body).contains("cacheBreaker"));
        },
    },
    Row {
        commonly: "the instructions of MCP servers are a section",
        switch: "`--layout classic`",
        flips: |place| {
            place.write(
                "servers.json",
                r#"{"mcp_servers":[{"name":"s","instructions":"Be nice."}]}"#,
            );
            let base = [UNBOUND, &["--state", "ROOT/servers.json"]].concat();
            flips_from(place, &base, Flags(CLASSIC), |body| {
                assert!(text(body).contains("Be nice."));
                text(&body["system"]).contains("Be nice.")
            });
        },
    },
    Row {
        commonly: "six directories of reminders",
        switch: "`--no-project-reminders`",
        flips: |place| {
            place.write(
                "project/.aside/reminders/own.md",
                "---\nschedule: {kind: always}\n---\nOf ours.",
            );
            flips(place, &["--no-project-reminders"], |body| !text(body).contains("Of ours."));
        },
    },
    Row {
        commonly: "only messages of the user carry an id",
        switch: "`--snip`",
        flips: |place| {
            place.write("c.jsonl", &conversation("Done."));
            let base = ["--conversation", "ROOT/c.jsonl"];
            flips_from(place, &base, Flags(&["--snip"]), |body| {
                text(&body["messages"]).contains("Done.\\n[id:")
            });
        },
    },
    Row {
        commonly: "a nudge to remove old messages",
        switch: "`--snip`",
        flips: |place| {
            place.write("c.jsonl", &conversation(&"A long answer. ".repeat(5_000)));
            let base = ["--conversation", "ROOT/c.jsonl"];
            flips_from(place, &base, Flags(&["--snip"]), |body| {
                text(body).contains("The conversation has grown.")
            });
        },
    },
    Row {
        commonly: "the system prompt promises that a long conversation",
        switch: "`--compact-at off`",
        flips: |place| {
            flips(place, &["--compact-at", "off"], |body| {
                !text(body).contains("it continues from a summary of itself")
            });
        },
    },
    Row {
        commonly: "coordinator mode names a tool",
        switch: "`--worker-tool`",
        flips: |place| {
            let refused = place.command(&["render", "hi", "--coordinator"]).output().unwrap();
            assert_eq!(refused.status.code(), Some(2), "{refused:?}");
            let flags = &["--coordinator", "--worker-tool", "Dispatch"];
            let body = body(place, &[], Some(Flags(flags)));
            assert!(text(&body["tools"]).contains(r#""name":"Dispatch""#), "{body}");
        },
    },
    Row {
        commonly: "only `CLAUDE.md` is read",
        switch: "`--instructions claude:2.1.276`",
        flips: |place| {
            place.write("agents/AGENTS.md", "For every agent.");
            let upstream = Flags(&["--instructions", "claude:2.1.276"]);
            flips_from(place, &["--cwd", "ROOT/agents"], upstream, |body| {
                !text(body).contains("For every agent.")
            });
        },
    },
    Row {
        commonly: "an instruction file imports any file",
        switch: "`--allow-external-imports`",
        flips: |place| {
            flips(place, &["--allow-external-imports"], |body| {
                text(body).contains("From outside.")
            });
        },
    },
    Row {
        commonly: "a truncated git status names the tool Bash",
        switch: "`--tools FILE`",
        flips: |place| {
            for number in 0..60 {
                place.write(&format!("project/{}-{number}.txt", "untracked".repeat(5)), "");
            }
            place.write("bash.json", r#"[{"name":"Bash","input_schema":{"type":"object"}}]"#);
            flips_from(place, &[], Flags(&["--tools", "ROOT/bash.json"]), |body| {
                assert!(text(body).contains("untracked"));
                text(&body["messages"]).contains("Bash")
            });
        },
    },
    Row {
        commonly: "a provider is chosen by one of several variables",
        switch: "`--provider`",
        flips: |place| {
            let render = |flags: &[&str]| {
                let mut command = place.command(&[&["render", "hi"], flags].concat());
                command.env("CLAUDE_CODE_USE_BEDROCK", "1").env("CLAUDE_CODE_USE_VERTEX", "1");
                command.output().unwrap()
            };
            let refused = render(&[]);
            let reported = String::from_utf8(refused.stderr).unwrap();
            let both = "CLAUDE_CODE_USE_BEDROCK, CLAUDE_CODE_USE_VERTEX are all set";
            assert!(reported.contains(both), "{reported}");
            assert!(done(render(&["--provider", "vertex"])).0.contains("vertex-"));
        },
    },
    Row {
        commonly: "lifetimes of cache entries by an allowlist",
        switch: "`--cache-ttl-allowlist`",
        flips: |place| {
            let listed = &["--cache-ttl-allowlist", "sd*"];
            flips(place, listed, |body| text(body).contains(r#""ttl":"1h""#));
        },
    },
    Row {
        commonly: "OpenAI's API is used by chat completions",
        switch: "`OPENAI_WIRE_API`",
        flips: |place| {
            let keys = |flags: &[&str], wire: Option<&str>, base: &str| {
                let arguments = [&["render", "hi", "--provider", "openai"], flags].concat();
                let mut command = place.command(&arguments);
                command.env("OPENAI_BASE_URL", base).envs(wire.map(|it| ("OPENAI_WIRE_API", it)));
                let body: Value = serde_json::from_str(&done(command.output().unwrap()).0).unwrap();
                (body["input"].is_array(), body["messages"].is_array())
            };
            let (responses, chat) = ((true, false), (false, true));
            assert_eq!(keys(&[], None, "https://api.openai.com/v1"), responses);
            let other = "http://127.0.0.1:9/v1";
            assert_eq!(keys(&[], None, other), chat);
            assert_eq!(keys(&[], Some("responses"), other), responses);
        },
    },
    Row {
        commonly: "a default prompt of about 20,000 tokens",
        switch: "`--system-prompt-file`",
        flips: |place| {
            place.write("prompt.txt", &"A rule of the team. ".repeat(4_000));
            flips(place, &["--system-prompt-file", "ROOT/prompt.txt"], |body| {
                text(&body["system"]).len() > 80_000
            });
        },
    },
];

/// Returns a conversation with this answer, as JSON Lines.
fn conversation(answer: &str) -> String {
    let message = |role: &str, text: &str| {
        format!(
            r#"{{"kind":"message","role":"{role}","parts":[{{"type":"text","text":"{text}"}}]}}"#
        )
    };
    [message("user", "Go"), message("assistant", answer), message("user", "On")].join("\n") + "\n"
}

/// Counts the blocks in a message with a tool result and a reminder.
fn blocks_after_a_result(options: &LowerOptions) -> usize {
    let mut conversation = Conversation::new(aside_messages::Uuid::nil());
    let call = Part::tool_use("1", "Read", "{}");
    let result = vec![Part::tool_result("1", "text"), Part::Reminder { body: "R".into() }];
    conversation.push(EntryDraft::human("Go"));
    conversation.push(EntryDraft::message(Role::Assistant, Origin::Human, vec![call]));
    conversation.push(EntryDraft::message(Role::User, Origin::Human, result));
    let lowered = lower(&conversation, Tail::default(), options).unwrap();
    lowered.messages().last().unwrap().blocks().len()
}

fn text(value: &Value) -> String {
    value.to_string()
}

fn is_marked(block: &Value) -> bool {
    !block["cache_control"].is_null()
}

/// Returns stdout and stderr from a run that ends well.
#[track_caller]
fn done(output: Output) -> (String, String) {
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{reported}");
    (String::from_utf8(output.stdout).unwrap(), reported)
}

#[track_caller]
fn body(place: &Place, base: &[&str], form: Option<Form>) -> Value {
    serde_json::from_str(&place.render(base, form)).unwrap()
}

/// Checks that a request has a property with the form and not without it.
#[track_caller]
fn flips_from(place: &Place, base: &[&str], form: Form, has: impl Fn(&Value) -> bool) {
    let (usual, flipped) = (body(place, base, None), body(place, base, Some(form)));
    assert!(!has(&usual), "{usual}");
    assert!(has(&flipped), "{flipped}");
}

#[track_caller]
fn flips(place: &Place, flags: &'static [&'static str], has: impl Fn(&Value) -> bool) {
    flips_from(place, &[], Flags(flags), has);
}

#[track_caller]
fn in_classic(place: &Place, has: impl Fn(&Value) -> bool) {
    flips(place, CLASSIC, has);
}

#[test]
fn every_switch_has_the_effect_of_its_row() {
    for row in ROWS {
        (row.flips)(&Place::new());
    }
}

/// Returns ARCHITECTURE.md with the switch column from [`ROWS`].
fn with_switches(page: &str) -> String {
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    let start = lines.iter().position(|line| line == "| commonly | here | the switch |");
    let mut found = 0;
    for line in &mut lines[start.unwrap() + 2..] {
        let Some(row) = line.strip_prefix("| ") else {
            break;
        };
        let (cells, _) = row.strip_suffix(" |").unwrap().rsplit_once(" | ").unwrap();
        let switch = ROWS.iter().find(|it| cells.starts_with(it.commonly));
        found += usize::from(switch.is_some());
        *line = format!("| {cells} | {} |", switch.map_or("–", |it| it.switch));
    }
    assert_eq!(found, ROWS.len(), "each row of the test is in the table, once");
    lines.join("\n") + "\n"
}

#[test]
fn the_switches_of_the_table_are_those_that_are_flipped() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let page = fs::read_to_string(&path).unwrap();
    let current = with_switches(&page);
    if std::env::var_os("ASIDE_BLESS_DOCS").is_some() {
        fs::write(&path, &current).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap();
    let mut lines = written.lines().zip(current.lines());
    let outdated = lines.find(|(written, current)| written != current);
    assert_eq!(outdated, None, "run this test with ASIDE_BLESS_DOCS=1");
    assert_eq!(written.len(), current.len());
}
