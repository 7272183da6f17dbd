//! The rows and the lookup.

use std::collections::BTreeSet;

use aside_models::{
    Known, ModelStatus, Platform, Tier, Vendor, Wire, all, counterpart, find, find_on,
    latest_claude,
};

fn check(id: &str, expected: &str) {
    let found = find(id);
    assert_eq!(found.facts.id, expected, "{id}");
    assert_eq!(found.is_known(), !expected.is_empty(), "{id}");
}

#[test]
fn an_id_is_found_in_every_spelling() {
    for id in [
        "claude-sonnet-4-5",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4-5@20250929",
        "claude-sonnet-4-5@default",
        "claude-sonnet-4-5[1m]",
        "claude-sonnet-4-5-20250929[1m]",
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
        " claude-sonnet-4-5 ",
    ] {
        check(id, "claude-sonnet-4-5");
    }
    check("anthropic.claude-opus-4-6-v1", "claude-opus-4-6");
    check("claude-opus-4-20250514", "claude-opus-4");
    check("claude-sonnet-4-0", "claude-sonnet-4");
    check("gpt-4o-mini-2024-07-18", "gpt-4o-mini");
    check("models/gemini-3-pro-preview", "gemini-3-pro-preview");
    check("gemini-3-pro", "gemini-3-pro-preview");
}

#[test]
fn another_version_is_another_model() {
    for id in [
        "",
        "claude-opus-5-6",
        "claude-opus-4-99",
        "claude-opus-5-5-fast",
        "my-claude-opus-5",
        "x.y.anthropic.claude-opus-5",
        "claude-opus-5@next",
        "claude-opus-5:free",
        "gpt-5.9",
        "gpt-4o-audio",
        "gemini-4",
        "llama-3",
        "opus",
    ] {
        check(id, "");
    }
}

#[test]
fn the_family_follows_from_the_name() {
    let family = |id: &str| (find(id).known, find(id).facts.vendor);
    assert_eq!(family("claude-opus-7"), (Known::Family, Vendor::Anthropic));
    assert_eq!(family("o9-mini"), (Known::Family, Vendor::OpenAi));
    assert_eq!(family("grok-9"), (Known::Family, Vendor::Xai));
    assert_eq!(family("llama-3"), (Known::Unknown, Vendor::Other));
    assert_eq!(family("oak"), (Known::Unknown, Vendor::Other));
    assert_eq!(find("gemini-5-neon").facts.signed_calls, Some(true));
    assert_eq!(find("gemini-2.0-flash").facts.signed_calls, None);
}

#[test]
fn a_deployment_begins_with_an_id() {
    let check = |platform, name: &str, expected: &str| {
        assert_eq!(find_on(platform, name).facts.id, expected, "{name}");
    };
    check(Platform::Foundry, "claude-sonnet-5-5-eu", "claude-sonnet-5-5");
    check(Platform::Foundry, "claude-opus-5_team", "claude-opus-5");
    check(Platform::Foundry, "claude-opus-5-6", "");
    check(Platform::Foundry, "claude-opus-5.6", "");
    check(Platform::Foundry, "claude-opus-5-", "");
    check(Platform::Azure, "gpt-5.4-mini@prod", "gpt-5.4-mini");
    check(Platform::Azure, "gpt-5.9", "");
    check(Platform::Azure, "our-gpt-5", "");
    check(Platform::OpenAi, "gpt-5-prod", "");
}

#[test]
fn every_row_is_complete() {
    let mut ids = BTreeSet::new();
    for facts in all() {
        let id = facts.id;
        assert!(!id.is_empty() && !facts.name.is_empty() && !facts.line.is_empty(), "{id}");
        assert!(facts.source.starts_with("https://"), "{id}");
        for id in [id].iter().chain(facts.aliases) {
            assert!(ids.insert(*id), "{id} is there twice");
            assert_eq!(find(id).facts.id, facts.id, "{id} is not found");
        }
        let ends = facts.prices.iter().map(|band| band.max_prompt.unwrap_or(u64::MAX));
        assert!(ends.is_sorted_by(|a, b| a < b), "{id}");
    }
    assert_eq!(ids.len(), all().map(|it| 1 + it.aliases.len()).sum::<usize>());
}

#[test]
fn a_cloud_id_finds_its_row() {
    for facts in all().filter(|facts| facts.vendor == Vendor::Anthropic) {
        let ids = facts.cloud_ids;
        let ids = [ids.bedrock_messages, ids.bedrock_invoke, ids.google_cloud];
        for id in ids.into_iter().flatten() {
            check(id, facts.id);
        }
    }
}

/// The published price list, in dollars.
#[test]
fn prices_are_those_of_the_list() {
    let price = |id: &str, prompt| {
        let band = find(id).facts.price(prompt).expect("a price");
        let optional = [band.write_5m, band.write_1h, band.read]
            .map(|price| price.expect("a cache price").dollars());
        (band.input.dollars(), band.output.dollars(), optional)
    };
    assert_eq!(price("claude-fable-5-2", 1), (8.0, 40.0, [10.0, 16.0, 0.2]));
    assert_eq!(price("claude-mythos-5-1", 1), (10.0, 50.0, [12.5, 20.0, 0.25]));
    assert_eq!(price("claude-opus-5-5", 1), (4.0, 20.0, [5.0, 8.0, 0.2]));
    assert_eq!(price("claude-opus-4-7", 1), (5.0, 25.0, [6.25, 10.0, 0.5]));
    assert_eq!(price("claude-sonnet-4-6", 1), (3.0, 15.0, [3.75, 6.0, 0.3]));
    assert_eq!(price("claude-haiku-5-5", 100_000), (0.1, 0.5, [0.125, 0.2, 0.01]));
    assert_eq!(price("claude-haiku-5-5", 100_001), (0.5, 2.5, [0.625, 1.0, 0.05]));
    assert_eq!(find("claude-mythos-preview").facts.price(1), None);
}

#[test]
fn other_vendors_stand_in_by_wire() {
    let check = |vendor, wire, expected: [Option<&str>; 3]| {
        let found = [Tier::Opus, Tier::Sonnet, Tier::Haiku]
            .map(|tier| counterpart(vendor, tier, wire).map(|facts| facts.id));
        assert_eq!(found, expected);
    };
    let responses = ["gpt-6.2-sol", "gpt-6.1-terra", "gpt-6-luna"];
    check(Vendor::OpenAi, Wire::Responses, responses.map(Some));
    let chat = ["gpt-5.2", "gpt-5.2", "gpt-5.1-mini"];
    check(Vendor::OpenAi, Wire::ChatCompletions, chat.map(Some));
    check(Vendor::Xai, Wire::Responses, [Some("grok-4.5"); 3]);
    let gemini = ["gemini-4-argon", "gemini-4-argon", "gemini-3.8-flash"];
    check(Vendor::Google, Wire::GenerateContent, gemini.map(Some));
    check(Vendor::Google, Wire::Messages, [None; 3]);
}

#[test]
fn the_latest_of_each_line() {
    let ids: Vec<_> = latest_claude().map(|facts| facts.id).collect();
    let expected = [
        "claude-mythos-5-2",
        "claude-fable-5-2",
        "claude-opus-5-5",
        "claude-sonnet-5-5",
        "claude-haiku-5-5",
    ];
    assert_eq!(ids, expected);
}

#[test]
fn retirement_is_announced_thirty_days_ahead() {
    let date = |text| aside_models::Date::parse(text).expect("a date");
    let status = |id: &str, day| find(id).facts.lifecycle.status(date(day));
    assert_eq!(status("claude-opus-4-5", "2026-10-01"), ModelStatus::Active);
    let until = date("2026-11-24");
    assert_eq!(status("claude-opus-4-5", "2026-10-25"), ModelStatus::Unguaranteed(until));
    assert_eq!(status("claude-opus-4", "2026-11-21"), ModelStatus::Retired(date("2026-06-15")));
    assert_eq!(status("claude-opus-5-5", "2026-11-21"), ModelStatus::Active);
    assert_eq!(status("claude-mythos-preview", "2026-11-21"), ModelStatus::Active);
}

#[test]
fn rows_serialize() {
    let facts = find("claude-opus-5-5").facts;
    let json = serde_json::to_value(facts).expect("facts serialize");
    assert_eq!(json["id"], "claude-opus-5-5");
    assert_eq!(json["lifecycle"]["retires_not_before"], "2027-09-22");
    assert_eq!(json["prices"][0]["read"], 0.2);
    assert_eq!(json["thinking"]["disabled"], "refused");
    assert_eq!(json["system_messages"]["accepted"][0], "first-party");
}
