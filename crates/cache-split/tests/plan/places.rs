//! The places of the markers.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use aside_cache_split::{
    Continuation, GLOBAL_SCOPE_BETA, Layout, PlanInput, PlanOptions, Reason, SplitInputs,
    TtlPolicy, plan, split,
};
use aside_messages::Layer;
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::encode::Encoded;
use aside_messages::lower::{EphemeralReminder, LowerOptions, Lowerer, Tail};
use aside_messages::wire::{CacheControl, RawJson, Role, Text, Thinking, Tool};
use aside_prompt_sections::SystemPrompt;
use uuid::Uuid;

fn prompt() -> SystemPrompt {
    let prompt = SystemPrompt::builder().fixed("rules", "R").boundary();
    prompt
        .dynamic("environment", "E")
        .session("budget", "B")
        .build()
        .unwrap()
}

/// Creates a conversation from a letter for each entry: `p` and `s` are project
/// and session context, `u` is a user message, `m` one with a marker, `r` a tool
/// result, `a` a response, `c` a tool call and `t` thinking.
fn conversation(entries: &str) -> Conversation {
    let mut conversation = Conversation::new(Uuid::nil());
    let context = |layer| EntryDraft::reminder(Origin::Context { layer }, "context");
    let model = |part| {
        let origin = Origin::Model {
            provider: "p".into(),
            name: "m".into(),
        };
        EntryDraft::message(Role::Assistant, origin, vec![part])
    };
    let thinking = Thinking {
        thinking: "hm".into(),
        signature: "s".into(),
        extra: aside_messages::wire::Extra::default(),
    };
    let mut call = 0;
    for letter in entries.chars() {
        call += usize::from(letter == 'c');
        conversation.push(match letter {
            'p' => context(Layer::Project),
            's' => context(Layer::Session),
            'u' => EntryDraft::human("words"),
            'm' => EntryDraft::message(Role::User, Origin::Human, vec![marked()]),
            'r' => EntryDraft::message(
                Role::User,
                Origin::Human,
                vec![Part::tool_result(call.to_string(), "out")],
            ),
            'a' => model(Part::text("answer")),
            'c' => model(Part::tool_use(call.to_string(), "Read", "{}")),
            't' => model(Part::Thinking(thinking.clone())),
            other => unreachable!("{other}"),
        });
    }
    conversation
}

fn marked() -> Part {
    Part::Text(Text {
        cache_control: Some(CacheControl::EPHEMERAL),
        ..Text::new("words")
    })
}

fn tool(name: &str, defer_loading: Option<bool>) -> Tool {
    Tool {
        defer_loading,
        ..Tool::new(name, "", RawJson::parse("{}").unwrap())
    }
}

struct Setting {
    layout: Layout,
    global_scope: bool,
    with_prompt: bool,
    ephemeral: usize,
    tools: Vec<Tool>,
    ttl: TtlPolicy,
    continuation: Continuation,
}

const LAYERED: Setting = Setting {
    layout: Layout::Layered,
    global_scope: false,
    with_prompt: true,
    ephemeral: 0,
    tools: Vec::new(),
    ttl: TtlPolicy::Short,
    continuation: Continuation::Expected,
};

/// Checks the plan, as a word for each marker.
fn check(setting: Setting, entries: &str, expected: &str) {
    let empty = SystemPrompt::builder().build().unwrap();
    let split = split(
        &if setting.with_prompt { prompt() } else { empty },
        SplitInputs {
            layout: setting.layout,
            global_scope: setting.global_scope,
            identity: setting.with_prompt.then_some("I"),
            ..SplitInputs::default()
        },
    );
    let reminder = EphemeralReminder {
        id: "r".into(),
        body: "R".into(),
    };
    let ephemeral = vec![reminder; setting.ephemeral];
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let conversation = conversation(entries);
    let tail = Tail {
        pending: &[],
        ephemeral: &ephemeral,
    };
    let lowered = lowerer.lower(&conversation, tail).unwrap();
    let plan = plan(PlanInput {
        layout: setting.layout,
        split: &split,
        tools: &Encoded::tools(setting.tools.clone()),
        messages: &lowered,
        options: PlanOptions {
            ttl: setting.ttl,
            continuation: setting.continuation,
            ..PlanOptions::default()
        },
    })
    .unwrap();
    assert!(plan.markers.len() <= 4);
    let beta = expected.contains("+global").then_some(GLOBAL_SCOPE_BETA);
    assert_eq!(plan.beta(), beta);
    let words: Vec<_> = plan
        .markers
        .iter()
        .map(|planned| {
            let reason = match planned.reason {
                Reason::StaticEnd => "static",
                Reason::ProjectEnd => "project",
                Reason::PrefixEnd => "prefix",
                Reason::LastStable => "last",
                Reason::Anchor => "anchor",
                Reason::Identity => "identity",
                Reason::Caller => "caller",
                _ => "?",
            };
            let json = serde_json::to_string(&planned.marker.control).unwrap();
            let extra = [("1h", "+1h"), ("global", "+global")];
            let extra = extra
                .iter()
                .filter(|(word, _)| json.contains(word))
                .map(|(_, sign)| *sign);
            format!(
                "{reason}{}@{}",
                extra.collect::<String>(),
                planned.marker.at
            )
        })
        .collect();
    assert_eq!(words.join(" "), expected);
}

#[test]
fn layered_layout() {
    check(
        LAYERED,
        "psu",
        "static@system[1] project@messages[0].content[0] last@messages[0].content[2]",
    );
    check(
        LAYERED,
        "psucruau",
        "static@system[1] project@messages[0].content[0] anchor@messages[2].content[1] last@messages[4].content[0]",
    );
    // Without instruction files the project layer ends with the system prompt.
    check(
        LAYERED,
        "su",
        "static@system[1] project@system[2] last@messages[0].content[1]",
    );
    check(
        LAYERED,
        "p",
        "static@system[1] project@messages[0].content[0]",
    );
}

#[test]
fn a_volatile_block_is_never_marked() {
    let reminded = || Setting {
        ephemeral: 2,
        ..LAYERED
    };
    check(
        reminded(),
        "psu",
        "static@system[1] project@messages[0].content[0] last@messages[0].content[1]",
    );
    check(
        reminded(),
        "psucr",
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[2] last@messages[1].content[0]",
    );
    check(
        reminded(),
        "psucrucr",
        "static@system[1] project@messages[0].content[0] anchor@messages[2].content[1] last@messages[3].content[0]",
    );
}

#[test]
fn thinking_is_never_marked() {
    check(
        Setting {
            ephemeral: 1,
            ..LAYERED
        },
        "puctr",
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[1] last@messages[1].content[0]",
    );
}

#[test]
fn classic_layout() {
    let classic = || Setting {
        layout: Layout::Classic,
        ..LAYERED
    };
    check(
        classic(),
        "suau",
        "identity@system[0] prefix@system[1] anchor@messages[0].content[1] last@messages[2].content[0]",
    );
    check(
        Setting {
            global_scope: true,
            ttl: TtlPolicy::Long,
            ..classic()
        },
        "su",
        "static+1h+global@system[1] last+1h@messages[0].content[1]",
    );
}

#[test]
fn tools_are_marked_only_without_a_system_prompt() {
    let tools = || vec![tool("a", None), tool("b", None), tool("c", Some(true))];
    check(
        Setting {
            tools: tools(),
            with_prompt: false,
            ..LAYERED
        },
        "u",
        "static@tools[1] last@messages[0].content[0]",
    );
    check(
        Setting {
            tools: tools(),
            ttl: TtlPolicy::LongPrefix,
            ..LAYERED
        },
        "u",
        "static+1h@system[1] project+1h@system[2] last@messages[0].content[0]",
    );
}

#[test]
fn the_callers_markers_are_kept() {
    check(
        LAYERED,
        "psmau",
        "static@system[1] project@messages[0].content[0] caller@messages[0].content[2] last@messages[2].content[0]",
    );
    check(
        LAYERED,
        "psmamau",
        "static@system[1] project@messages[0].content[0] caller@messages[0].content[2] caller@messages[2].content[0]",
    );
    check(
        Setting {
            layout: Layout::Classic,
            ..LAYERED
        },
        "smamau",
        "prefix@system[1] caller@messages[0].content[1] caller@messages[2].content[0] last@messages[4].content[0]",
    );
}

#[test]
fn a_marker_on_a_volatile_block_is_not_sent() {
    check(
        Setting {
            ephemeral: 1,
            ..LAYERED
        },
        "psuam",
        "static@system[1] project@messages[0].content[0] anchor@messages[0].content[2] last@messages[1].content[0]",
    );
}

#[test]
fn a_one_shot_request_marks_no_message() {
    let one_shot = || Setting {
        continuation: Continuation::OneShot,
        ..LAYERED
    };
    check(one_shot(), "psuau", "static@system[1] project@system[2]");
    check(
        one_shot(),
        "psm",
        "static@system[1] project@system[2] caller@messages[0].content[2]",
    );
}
