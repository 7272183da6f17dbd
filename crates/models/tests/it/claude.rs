//! Every Claude row, fact by fact: a change to the catalogue is a change here
//! too.

use aside_models::{
    Acceptance, Effort, FastMode, ModelFacts, Platform, Support, ThinkingDefault, ThinkingKept,
    Tokenizer, Vendor, all, find,
};

/// `id: window, longest response; prices for input, output, write (5 minutes, 1
/// hour), read; cache minimum; knowledge cutoff; guaranteed until`.
const SIZES: &str = "
fable-5-2: 1000000 128000; 8 40 10 16 0.2; 512; June 2026; 2027-11-09
mythos-5-2: 1000000 128000; 8 40 10 16 0.2; 512; -; 2027-11-09
fable-5-1: 1000000 128000; 10 50 12.5 20 0.25; 512; June 2026; 2027-09-01
mythos-5-1: 1000000 128000; 10 50 12.5 20 0.25; 512; -; 2027-09-01
fable-5: 1000000 128000; 10 50 12.5 20 1; 512; January 2026; 2027-06-09
mythos-5: 1000000 128000; 10 50 12.5 20 1; 512; January 2026; 2027-06-09
mythos-preview: - -; -; 2048; -; -
opus-5-5: 1000000 128000; 4 20 5 8 0.2; 512; June 2026; 2027-09-22
opus-5: 1000000 128000; 5 25 6.25 10 0.5; 512; May 2026; 2027-07-24
opus-4-8: 1000000 128000; 5 25 6.25 10 0.5; 1024; -; 2027-05-28
opus-4-7: 1000000 128000; 5 25 6.25 10 0.5; 2048; -; 2027-04-16
opus-4-6: 1000000 128000; 5 25 6.25 10 0.5; 4096; May 2025; 2027-02-05
opus-4-5: 200000 64000; 5 25 6.25 10 0.5; 4096; May 2025; 2026-11-24
opus-4-1: 200000 32000; 15 75 18.75 30 1.5; 1024; January 2025; -
opus-4: 200000 32000; 15 75 18.75 30 1.5; 1024; January 2025; -
sonnet-5-5: 1000000 128000; 2 10 2.5 4 0.1; 512; June 2026; 2027-09-28
sonnet-5: 1000000 128000; 2 10 2.5 4 0.2; 1024; January 2026; 2027-06-30
sonnet-4-6: 1000000 128000; 3 15 3.75 6 0.3; 1024; August 2025; 2027-02-17
sonnet-4-5: 200000 64000; 3 15 3.75 6 0.3; 1024; January 2025; -
sonnet-4: 200000 64000; 3 15 3.75 6 0.3; 1024; January 2025; -
haiku-5-5: 1000000 128000; 0.1 0.5 0.125 0.2 0.01 / 0.5 2.5 0.625 1 0.05; 512; June 2026; 2027-10-07
haiku-4-5: 200000 64000; 1 5 1.25 2 0.1; 4096; February 2025; 2026-10-15
";

#[test]
fn sizes_prices_and_dates() {
    let found: Vec<String> = claude().map(sizes).collect();
    assert_eq!(found, lines(SIZES));
}

fn sizes(facts: &ModelFacts) -> String {
    let number = |it: Option<u64>| it.map_or("-".to_owned(), |it| it.to_string());
    let prices: Vec<_> = facts
        .prices
        .iter()
        .map(|band| {
            let cache = [band.write_5m, band.write_1h, band.read];
            let cache = cache.map(|price| price.expect("a cache price"));
            let [write_5m, write_1h, read] = cache;
            format!("{} {} {write_5m} {write_1h} {read}", band.input, band.output)
        })
        .collect();
    let prices = if prices.is_empty() { "-".to_owned() } else { prices.join(" / ") };
    let until = facts.lifecycle.retires_not_before;
    format!(
        "{}: {} {}; {prices}; {}; {}; {}",
        name(facts),
        number(facts.context_window),
        number(facts.max_output),
        number(facts.cache_minimum),
        facts.knowledge_cutoff.unwrap_or("-"),
        until.map_or("-".to_owned(), |it| it.to_string()),
    )
}

/// `id: thinking without the parameter; adaptive, enabled, disabled,
/// between_tools; default effort; efforts`. A mode is `+` (accepted), `d`
/// (deprecated), `h` (up to effort high) or `-` (refused).
const THINKING: &str = "
fable-5-2: always + - - -; high; low medium high xhigh max
mythos-5-2: always + - - -; high; low medium high xhigh max
fable-5-1: always + - - -; high; low medium high xhigh max
mythos-5-1: always + - - -; high; low medium high xhigh max
fable-5: always + - - -; high; low medium high xhigh max
mythos-5: always + - - -; high; low medium high xhigh max
mythos-preview: always + + - -; high; low medium high max
opus-5-5: always + - - -; medium; low medium high xhigh max
opus-5: on + - h -; high; low medium high xhigh max
opus-4-8: off + - + -; high; low medium high xhigh max
opus-4-7: off + - + -; high; low medium high xhigh max
opus-4-6: off + d + -; high; low medium high max
opus-4-5: off - + + -; high; low medium high
sonnet-5-5: on + - - h; high; low medium high xhigh max
sonnet-5: on + - + -; high; low medium high xhigh max
sonnet-4-6: off + d + -; high; low medium high max
sonnet-4-5: off - + + -; -; refused
haiku-5-5: on + - h -; medium; low medium high xhigh max
haiku-4-5: off - + + -; -; refused
";

#[test]
fn thinking_and_efforts() {
    let answering = claude().filter(|it| it.lifecycle.retires.is_none() || it.id.ends_with("4-5"));
    let found: Vec<String> = answering.map(thinking).collect();
    assert_eq!(found, lines(THINKING));
}

fn thinking(facts: &ModelFacts) -> String {
    let modes = facts.thinking.expect("the modes of thinking");
    let default = match modes.default {
        ThinkingDefault::AlwaysOn => "always",
        ThinkingDefault::On => "on",
        _ => "off",
    };
    let mode = |it| match it {
        Acceptance::Accepted => '+',
        Acceptance::Deprecated => 'd',
        Acceptance::UpToHighEffort => 'h',
        _ => '-',
    };
    let efforts = facts.efforts.expect("the efforts");
    let names: Vec<_> = efforts.iter().map(|it| it.as_str()).collect();
    format!(
        "{}: {default} {} {} {} {}; {}; {}",
        name(facts),
        mode(modes.adaptive),
        mode(modes.enabled),
        mode(modes.disabled),
        mode(modes.between_tools),
        facts.default_effort.map_or("-", Effort::as_str),
        if efforts.is_empty() { "refused".to_owned() } else { names.join(" ") },
    )
}

/// Checks for which models a fact is true; every other one is known not to have
/// it, or is listed as unknown.
fn check(fact: impl Fn(&ModelFacts) -> Option<bool>, yes: &[&str], unknown: &[&str]) {
    for facts in claude().filter(|it| it.lifecycle.retires.is_none()) {
        let name = name(facts);
        let expected = match () {
            () if yes.contains(&name) => Some(true),
            () if unknown.contains(&name) => None,
            () => Some(false),
        };
        assert_eq!(fact(facts), expected, "{name}");
    }
}

const FIVE_TWO: [&str; 2] = ["fable-5-2", "mythos-5-2"];
const MID_CONVERSATION: [&str; 11] = [
    "fable-5",
    "mythos-5",
    "fable-5-1",
    "mythos-5-1",
    "fable-5-2",
    "mythos-5-2",
    "opus-4-8",
    "opus-5",
    "opus-5-5",
    "sonnet-5-5",
    "haiku-5-5",
];

#[test]
fn prefill_is_accepted_by_the_4_5_generation() {
    check(|it| it.prefill, &["opus-4-5", "haiku-4-5"], &[]);
    assert_eq!(find("claude-sonnet-4-5").facts.prefill, Some(true));
}

#[test]
fn forced_tools() {
    let refused = [
        "opus-5-5",
        "sonnet-5-5",
        "fable-5-1",
        "mythos-5-1",
        "fable-5-2",
        "mythos-5-2",
        "mythos-preview",
    ];
    check(|it| it.forced_tool_choice.map(|it| !it), &refused, &[]);
}

#[test]
fn mid_conversation_features() {
    let on = |support: Support| support.known_on(Platform::FirstParty);
    for feature in [
        |it: &ModelFacts| it.system_messages,
        |it: &ModelFacts| it.clear_at,
        |it: &ModelFacts| it.tool_changes,
        |it: &ModelFacts| it.inline_tools,
    ] {
        check(|it| on(feature(it)), &MID_CONVERSATION, &[]);
    }
    let efforts = ["fable-5-1", "mythos-5-1", "opus-5", "opus-5-5", "sonnet-5-5", "haiku-5-5"];
    check(|it| on(it.message_effort), &efforts, &FIVE_TWO);
    let compact = [&MID_CONVERSATION[..], &["mythos-preview", "opus-4-7", "opus-4-6"]].concat();
    let compact = [&compact[..], &["sonnet-5", "sonnet-4-6"]].concat();
    check(|it| on(it.compaction), &compact, &[]);
    // Documented for the API as a whole; the clouds are open.
    check(|it| on(it.context_editing).map(|it| !it), &[], &[]);
    let clouds = |it: &ModelFacts| it.context_editing.known_on(Platform::BedrockMessages);
    assert!(claude().all(|it| clouds(it).is_none()));
}

#[test]
fn features_on_the_clouds() {
    let opus = find("claude-opus-5-5").facts;
    for (support, platform, expected) in [
        (opus.system_messages, Platform::BedrockMessages, Some(true)),
        (opus.system_messages, Platform::GoogleCloud, Some(true)),
        (opus.system_messages, Platform::Foundry, None),
        (opus.clear_at, Platform::Foundry, None),
        (opus.inline_tools, Platform::GoogleCloud, Some(false)),
        (opus.message_effort, Platform::BedrockMessages, Some(true)),
        (opus.compaction, Platform::BedrockMessages, Some(false)),
        (opus.compaction, Platform::Foundry, Some(true)),
    ] {
        assert_eq!(support.known_on(platform), expected, "{platform}");
    }
    for id in ["claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5"] {
        let effort = find(id).facts.message_effort;
        assert_eq!(effort.known_on(Platform::BedrockMessages), Some(false), "{id}");
    }
}

#[test]
fn bound_thinking() {
    let bound = [
        "fable-5-1",
        "mythos-5-1",
        "fable-5-2",
        "mythos-5-2",
        "opus-5-5",
        "sonnet-5-5",
        "haiku-5-5",
    ];
    check(|it| it.bound_to_prefix, &bound, &[]);
    check(|it| it.bound_to_account, &["sonnet-5-5", "haiku-5-5"], &[]);
    let last_turn = |it: &ModelFacts| it.thinking_kept.map(|it| it == ThinkingKept::LastTurn);
    check(last_turn, &["haiku-4-5"], &[]);
    assert_eq!(last_turn(find("claude-sonnet-4-5").facts), Some(true));
}

#[test]
fn tokenizers() {
    let old = |it: &ModelFacts| it.tokenizer.map(|it| it == Tokenizer::ClaudeOld);
    let models = ["opus-4-6", "opus-4-5", "sonnet-4-6", "haiku-4-5"];
    check(old, &models, &["mythos-preview"]);
}

#[test]
fn other_parameters() {
    let fast = |id: &str| find(id).facts.fast_mode;
    assert_eq!(fast("claude-opus-5-5"), Some(FastMode::Available));
    assert_eq!(fast("claude-opus-5"), Some(FastMode::Beta));
    assert_eq!(fast("claude-opus-4-8"), Some(FastMode::Beta));
    assert_eq!(fast("claude-opus-4-7"), Some(FastMode::Refused));
    assert_eq!(fast("claude-sonnet-5-5"), Some(FastMode::Refused));
    assert_eq!(fast("claude-haiku-5-5"), Some(FastMode::Refused));
    assert_eq!(fast("claude-opus-4-6"), Some(FastMode::Ignored));
    for id in ["claude-opus-5", "claude-opus-4-8"] {
        let prices = find(id).facts.fast_prices[0];
        assert_eq!((prices.input.dollars(), prices.output.dollars()), (10.0, 50.0));
    }
    let batch = |it: &ModelFacts| Some(it.max_batch_output == Some(300_000));
    let models = [
        "opus-5-5",
        "opus-5",
        "opus-4-8",
        "opus-4-7",
        "opus-4-6",
        "sonnet-5-5",
        "sonnet-5",
        "sonnet-4-6",
        "haiku-5-5",
    ];
    check(batch, &models, &[]);
    let haiku = find("claude-haiku-5-5").facts;
    assert_eq!((haiku.fallbacks, haiku.priority_tier), (Some(false), Some(false)));
    for id in ["fable-5", "mythos-5", "opus-4-7", "opus-4-8", "opus-5", "opus-5-5"] {
        assert_eq!(find(&format!("claude-{id}")).facts.task_budget, Some(true), "{id}");
    }
}

#[test]
fn computer_tools() {
    let on = |id: &str, tool: &str, platform| {
        let support = find(id).facts.computer_tool(tool)?;
        support.known_on(platform)
    };
    for id in [
        "claude-opus-5-5",
        "claude-sonnet-5-5",
        "claude-haiku-5-5",
        "claude-fable-5-2",
        "claude-mythos-5-2",
    ] {
        let (toolset, single) = ("computer_toolset_20260801", "computer_20251124");
        assert_eq!(on(id, toolset, Platform::FirstParty), Some(true), "{id}");
        assert_eq!(on(id, single, Platform::FirstParty), Some(false), "{id}");
        assert_eq!(on(id, single, Platform::GoogleCloud), Some(false), "{id}");
        assert_eq!(on(id, single, Platform::BedrockInvoke), Some(true), "{id}");
    }
    for id in ["claude-opus-4-5", "claude-opus-4-8", "claude-opus-5"] {
        assert_eq!(on(id, "computer_20251124", Platform::FirstParty), Some(true), "{id}");
    }
    for id in ["claude-haiku-4-5", "claude-sonnet-4-5"] {
        assert_eq!(on(id, "computer_20250124", Platform::FirstParty), Some(true), "{id}");
    }
}

/// `id: Bedrock Messages, Bedrock InvokeModel, Google Cloud`.
const CLOUD_IDS: &str = "
opus-4-6: - anthropic.claude-opus-4-6-v1 claude-opus-4-6
opus-4-5: - anthropic.claude-opus-4-5-20251101-v1:0 claude-opus-4-5@20251101
sonnet-4-6: - anthropic.claude-sonnet-4-6 claude-sonnet-4-6
sonnet-4-5: - anthropic.claude-sonnet-4-5-20250929-v1:0 claude-sonnet-4-5@20250929
haiku-4-5: anthropic.claude-haiku-4-5 anthropic.claude-haiku-4-5-20251001-v1:0 claude-haiku-4-5@20251001
";

#[test]
fn cloud_ids() {
    let mut older = Vec::new();
    for facts in claude() {
        let ids = facts.cloud_ids;
        let all = [ids.bedrock_messages, ids.bedrock_invoke, ids.google_cloud];
        let bedrock = format!("anthropic.{}", facts.id);
        match all {
            [None, None, None] => {
                let is_open = facts.id == "claude-mythos-preview";
                assert!(is_open || facts.lifecycle.retires.is_some(), "{}", facts.id);
            }
            [Some(messages), Some(invoke), Some(google)]
                if messages == bedrock && google == facts.id =>
            {
                assert_eq!(invoke, bedrock);
            }
            all => {
                let ids = all.map(|it| it.unwrap_or("-")).join(" ");
                older.push(format!("{}: {ids}", name(facts)));
            }
        }
    }
    assert_eq!(older, lines(CLOUD_IDS));
}

#[test]
fn retirements() {
    let retires = |it: &ModelFacts| it.lifecycle.retires.map(|it| it.to_string());
    for (id, date) in [
        ("claude-sonnet-4-5", "2026-11-30"),
        ("claude-opus-4-1", "2026-08-05"),
        ("claude-opus-4", "2026-06-15"),
        ("claude-sonnet-4", "2026-06-15"),
    ] {
        assert_eq!(retires(find(id).facts).as_deref(), Some(date), "{id}");
    }
    assert_eq!(claude().filter(|it| it.lifecycle.retires.is_some()).count(), 4);
    let preview = find("claude-mythos-preview").facts.lifecycle;
    assert_eq!(preview.deprecated.map(|it| it.to_string()).as_deref(), Some("2026-06-09"));
    let released = find("claude-fable-5-2").facts.lifecycle.released;
    assert_eq!(released.map(|it| it.to_string()).as_deref(), Some("2026-11-09"));
}

fn claude() -> impl Iterator<Item = &'static ModelFacts> {
    all().filter(|facts| facts.vendor == Vendor::Anthropic)
}

fn name(facts: &ModelFacts) -> &'static str {
    facts.id.strip_prefix("claude-").expect("an id of Claude")
}

fn lines(table: &str) -> Vec<&str> {
    table.trim().lines().collect()
}
