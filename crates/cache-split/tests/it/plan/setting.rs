//! Requests to plan, in short notation.

use std::time::Duration;

use aside_cache_split::{
    Continuation, GLOBAL_SCOPE_BETA, Layout, PlanInput, PlanOptions, Reason, SplitInputs,
    TtlPolicy, plan, split,
};
use aside_messages::Layer;
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::encode::Encoded;
use aside_messages::lower::{EphemeralReminder, LowerOptions, Lowerer, Tail};
use aside_messages::wire::{CacheControl, RawJson, Role, Text, Thinking, Tool, Ttl};
use aside_models::ThinkingKept;
use aside_prompt_sections::SystemPrompt;
use uuid::Uuid;

/// The system prompt of a request.
#[derive(Clone, Copy)]
pub(crate) enum Prompt {
    /// No system prompt.
    None,
    /// A prompt of the user, which has no boundary.
    Custom,
    /// The default prompt, with its boundary.
    Default,
}

impl Prompt {
    fn build(self) -> SystemPrompt {
        let prompt = SystemPrompt::builder();
        let built = match self {
            Self::None => prompt.build(),
            Self::Custom => prompt.fixed("rules", "R").build(),
            Self::Default => {
                let prompt = prompt.fixed("rules", "R").boundary();
                let prompt = prompt.dynamic("environment", "E");
                prompt.session("budget", "B").build()
            }
        };
        built.unwrap()
    }
}

/// Creates a conversation from one letter for each entry: `p`, `x` and `s` are project, user and
/// session context, `u` is a user message, `m` one with a marker, `r` a tool result, `a` a
/// response, `c` a tool call and `t` thinking.
fn conversation(entries: &str) -> Conversation {
    let mut conversation = Conversation::new(Uuid::nil());
    let context = |layer| EntryDraft::reminder(Origin::Context { layer }, "context");
    let model = |part| {
        let origin = Origin::Model { provider: "p".into(), name: "m".into() };
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
            'x' => context(Layer::User),
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
    Part::Text(Text { cache_control: Some(CacheControl::EPHEMERAL), ..Text::new("words") })
}

pub(crate) fn tool(name: &str, defer_loading: Option<bool>) -> Tool {
    Tool { defer_loading, ..Tool::new(name, "", RawJson::parse("{}").unwrap()) }
}

pub(crate) struct Setting {
    pub(crate) layout: Layout,
    pub(crate) global_scope: bool,
    pub(crate) prompt: Prompt,
    pub(crate) ephemeral: usize,
    pub(crate) tools: Vec<Tool>,
    pub(crate) ttl: TtlPolicy,
    pub(crate) prefix: Ttl,
    pub(crate) is_reset: bool,
    pub(crate) since_previous: Option<Duration>,
    pub(crate) thinking: ThinkingKept,
    pub(crate) continuation: Continuation,
}

pub(crate) const LAYERED: Setting = Setting {
    layout: Layout::Layered,
    global_scope: false,
    prompt: Prompt::Default,
    ephemeral: 0,
    tools: Vec::new(),
    ttl: TtlPolicy::Short,
    prefix: Ttl::FiveMinutes,
    is_reset: false,
    since_previous: None,
    thinking: ThinkingKept::All,
    continuation: Continuation::Expected,
};

/// Checks the plan, written as one word for each marker.
pub(crate) fn check(setting: Setting, entries: &str, expected: &str) {
    let split = split(
        &setting.prompt.build(),
        SplitInputs {
            layout: setting.layout,
            global_scope: setting.global_scope,
            identity: (!matches!(setting.prompt, Prompt::None)).then_some("I"),
            ..SplitInputs::default()
        },
    );
    let reminder = EphemeralReminder { id: "r".into(), body: "R".into() };
    let ephemeral = vec![reminder; setting.ephemeral];
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let conversation = conversation(entries);
    let tail = Tail { pending: &[], ephemeral: &ephemeral };
    let lowered = lowerer.lower(&conversation, tail).unwrap();
    let plan = plan(PlanInput {
        layout: setting.layout,
        split: &split,
        tools: &Encoded::tools(setting.tools.clone()),
        messages: &lowered,
        options: PlanOptions {
            ttl: setting.ttl,
            prefix: setting.prefix,
            is_reset: setting.is_reset,
            since_previous: setting.since_previous,
            thinking: Some(setting.thinking),
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
                Reason::Checkpoint => "checkpoint",
                Reason::LastCheckpoint => "before",
                Reason::ProjectEnd => "project",
                Reason::PrefixEnd => "prefix",
                Reason::LastStable => "last",
                Reason::Anchor => "anchor",
                Reason::Identity => "identity",
                Reason::Caller => "caller",
                Reason::UserEnd => "user",
                Reason::SessionEnd => "session",
                Reason::LastTool => "tool",
                _ => "?",
            };
            let json = serde_json::to_string(&planned.marker.control).unwrap();
            let extra = [("1h", "+1h"), ("global", "+global")]
                .iter()
                .filter(|(word, _)| json.contains(word))
                .map(|(_, sign)| *sign);
            format!("{reason}{}@{}", extra.collect::<String>(), planned.marker.at)
        })
        .collect();
    assert_eq!(words.join(" "), expected);
}
