//! The table of models.

use std::collections::HashSet;

use aside_prompt_sections::{LATEST_CLAUDE_MODELS, MODELS, model_facts};

fn check(id: &str, name: Option<&str>) {
    assert_eq!(model_facts(id).map(|facts| facts.name), name, "{id}");
}

#[test]
fn a_model_is_known_in_every_providers_spelling() {
    for id in [
        "claude-sonnet-4-5",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4-5-latest",
        "claude-sonnet-4-5@20250929",
        "claude-sonnet-4-5@default",
        "claude-sonnet-4-5[1m]",
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "anthropic/claude-sonnet-4-5",
    ] {
        check(id, Some("Claude Sonnet 4.5"));
    }
    check("claude-opus-4-20250514", Some("Claude Opus 4"));
}

#[test]
fn an_unknown_model_is_not_taken_for_a_known_one() {
    for id in [
        "claude-opus-4-9",
        "claude-opus-4-1-20250805",
        "claude-opus-40",
        "claude-opus-4-5x",
        "gpt-9",
        "claude-",
        "",
    ] {
        check(id, None);
    }
}

#[test]
fn the_table_is_consistent() {
    let ids: HashSet<_> = MODELS.iter().map(|facts| facts.id).collect();
    assert_eq!(ids.len(), MODELS.len());
    for facts in MODELS {
        check(facts.id, Some(facts.name));
    }
    for id in LATEST_CLAUDE_MODELS {
        assert!(ids.contains(id), "{id}");
    }
}
