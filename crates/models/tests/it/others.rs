//! The rows for OpenAI, Google and xAI, as far as their documentation states the facts.

use aside_models::{Effort, ModelFacts, PriceBand, Sampling, ToolSupport, Vendor, Wire, all, find};

fn facts(id: &str) -> &'static ModelFacts {
    let found = find(id);
    assert!(found.is_known(), "{id}");
    found.facts
}

fn tools(id: &str, wire: Wire) -> Option<ToolSupport> {
    let wires = facts(id).wires.iter();
    wires.filter(|it| it.wire == wire).map(|it| it.tools).next()
}

#[test]
fn gpt_6_takes_tools_on_responses_only() {
    for (id, effort_none) in [
        ("gpt-6-astra", Some(false)),
        ("gpt-6-sol", Some(true)),
        ("gpt-6-luna", Some(true)),
        ("gpt-6.1-sol", Some(false)),
        ("gpt-6.1-terra", None),
        ("gpt-6.2-astra", Some(false)),
        ("gpt-6.2-sol", Some(false)),
    ] {
        assert_eq!(tools(id, Wire::Responses), Some(ToolSupport::Accepted), "{id}");
        assert_eq!(tools(id, Wire::ChatCompletions), Some(ToolSupport::Refused), "{id}");
        assert_eq!(facts(id).effort_none, effort_none, "{id}");
        // Two of them were seen to accept temperature with effort none.
        let sampling = match id {
            "gpt-6-sol" | "gpt-6-luna" => Sampling::WithoutThinking,
            _ => Sampling::Refused,
        };
        assert_eq!(facts(id).sampling, Some(sampling), "{id}");
    }
}

#[test]
fn the_prefix_rule_begins_with_gpt_6_2() {
    for facts in all().filter(|it| it.vendor == Vendor::OpenAi && it.line != "special") {
        let is_new = facts.generation >= (6, 2);
        assert_eq!(facts.bound_to_prefix == Some(true), is_new, "{}", facts.id);
        assert_eq!(facts.turn_scoped_instructions, Some(is_new), "{}", facts.id);
    }
}

#[test]
fn breakpoints_begin_with_gpt_5_6() {
    for facts in all().filter(|it| it.vendor == Vendor::OpenAi && it.line != "special") {
        let expected = Some(facts.generation >= (5, 6));
        assert_eq!(facts.cache_breakpoints, expected, "{}", facts.id);
        assert_eq!(facts.cache_minimum, Some(1_024), "{}", facts.id);
    }
}

#[test]
fn gpt_5_4_to_5_6_reason_with_tools_on_responses_only() {
    for id in ["gpt-5.4", "gpt-5.5", "gpt-5.6", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna"] {
        assert_eq!(tools(id, Wire::Responses), Some(ToolSupport::Accepted), "{id}");
        let chat = tools(id, Wire::ChatCompletions);
        assert_eq!(chat, Some(ToolSupport::WithoutReasoning), "{id}");
    }
    for id in ["gpt-5", "gpt-5.1", "gpt-4.1", "gpt-4o", "o3", "o4-mini"] {
        assert_eq!(tools(id, Wire::ChatCompletions), Some(ToolSupport::Accepted), "{id}");
    }
}

#[test]
fn shutdowns_of_openai() {
    for (id, date) in [
        ("o4-mini", "2026-10-23"),
        ("gpt-5", "2026-12-11"),
        ("gpt-5-mini", "2026-12-11"),
        ("gpt-5-nano", "2026-12-11"),
        ("o3", "2026-12-11"),
        ("gpt-4.1", "2027-01-14"),
        ("gpt-4o", "2027-01-14"),
        ("gpt-5.1", "2027-04-01"),
        ("gpt-5.4-nano", "2027-04-01"),
    ] {
        let retires = facts(id).lifecycle.retires.map(|it| it.to_string());
        assert_eq!(retires.as_deref(), Some(date), "{id}");
    }
}

#[test]
fn gemini() {
    let argon = facts("gemini-4-argon");
    let sizes = (argon.context_window, argon.max_output);
    assert_eq!(sizes, (Some(1_048_576), Some(65_536)));
    let efforts = [Effort::Low, Effort::Medium, Effort::High];
    assert_eq!(argon.efforts, Some(&efforts[..]));
    assert_eq!(argon.default_effort, Some(Effort::Medium));
    assert_eq!(argon.effort_none, Some(false));
    let released = argon.lifecycle.released.map(|it| it.to_string());
    assert_eq!(released.as_deref(), Some("2026-10-13"));
    let neon = facts("gemini-4-neon");
    assert_eq!((neon.default_effort, neon.prefill), (Some(Effort::High), Some(false)));
    for id in [
        "gemini-4-argon",
        "gemini-4-neon",
        "gemini-4-carbon",
        "gemini-4-hydrogen",
        "gemini-3.8-flash",
        "gemini-3.8-flash-lite",
        "gemini-3.7-flash",
        "gemini-3.6-flash",
        "gemini-3.5-flash",
        "gemini-3.5-flash-lite",
        "gemini-3.1-pro-preview",
        "gemini-3.1-pro-preview-customtools",
        "gemini-3.1-flash-lite",
        "gemini-3-flash-preview",
        "gemini-2.5-pro",
        "gemini-2.5-flash",
    ] {
        let is_third = facts(id).generation >= (3, 0);
        let minimum = if is_third { 4_096 } else { 2_048 };
        assert_eq!(facts(id).cache_minimum, Some(minimum), "{id}");
        assert_eq!(facts(id).signed_calls, Some(is_third), "{id}");
        let ignored = facts(id).sampling == Some(Sampling::Ignored);
        assert_eq!(ignored, facts(id).generation >= (4, 0), "{id}");
    }
}

#[test]
fn grok() {
    for (id, window) in [
        ("grok-4.5", Some(500_000)),
        ("grok-4.3", Some(1_000_000)),
        ("grok-4.7", Some(500_000)),
        ("grok-4.20-reasoning", Some(1_000_000)),
        ("grok-4.20-non-reasoning", Some(1_000_000)),
    ] {
        assert_eq!(facts(id).context_window, window, "{id}");
        assert_eq!(tools(id, Wire::Responses), Some(ToolSupport::Accepted), "{id}");
    }
}

/// `input output read write write_12h` per band, in dollars per million tokens.
fn prices(id: &str) -> Vec<String> {
    let shown = |band: &PriceBand| {
        let optional = [band.read, band.write_5m, band.write_12h];
        let optional = optional.map(|it| it.map_or("-".to_owned(), |it| it.to_string()));
        let end = band.max_prompt.map_or(String::new(), |it| format!(" up to {it}"));
        let [read, write, half_day] = optional;
        format!("{} {} {read} {write} {half_day}{end}", band.input, band.output)
    };
    facts(id).prices.iter().map(shown).collect()
}

#[test]
fn prices_of_other_vendors() {
    for (id, expected) in [
        ("gpt-6-sol", &["2 10 0.2 2.5 5 up to 272000", "4 15 0.4 5 10"][..]),
        ("gpt-6.1-terra", &["1 5 0.05 1.25 2.5 up to 272000", "2 7.5 0.1 2.5 5"]),
        ("gpt-6.2-astra", &["8 40 0.4 10 20 up to 272000", "16 60 0.8 20 40"]),
        ("gpt-5-nano", &["0.05 0.4 0.005 - -"]),
        ("gpt-5.5", &["5 30 0.5 - - up to 272000", "10 45 1 - -"]),
        ("gemini-4-argon", &["2 10 0.1 - -"]),
        ("gemini-3.8-flash", &["0.75 3.75 0.075 - -"]),
        ("grok-4.7", &["2 6 0.5 - - up to 200000", "4 12 1 - -"]),
        // The price maps disagree, or have no such model.
        ("grok-code-fast-1", &[]),
        ("gemini-4-neon", &[]),
    ] {
        assert_eq!(prices(id), expected, "{id}");
    }
}

/// Vendors state a band as above a whole number of thousands, such as 200k: a prompt of exactly
/// that length is below it.
#[test]
fn bands_of_other_vendors_end_at_whole_thousands() {
    let bands = all().filter(|it| it.vendor != Vendor::Anthropic).flat_map(|it| it.prices);
    let ends: Vec<u64> = bands.filter_map(|it| it.max_prompt).collect();
    assert!(ends.contains(&200_000) && ends.contains(&272_000), "{ends:?}");
    assert!(ends.iter().all(|end| end % 1_000 == 0), "{ends:?}");
}

#[test]
fn most_models_of_other_vendors_have_a_price() {
    let others = || all().filter(|it| it.vendor != Vendor::Anthropic);
    let without: Vec<&str> = others().filter(|it| it.prices.is_empty()).map(|it| it.id).collect();
    assert!(without.len() < 10, "{without:?}");
    for facts in others() {
        assert_eq!(facts.prices_as_of.is_some(), !facts.prices.is_empty(), "{}", facts.id);
        let is_generated = !facts.figures_source.is_empty();
        assert!(!is_generated || facts.figures_source.starts_with("litellm "), "{}", facts.id);
    }
}

#[test]
fn a_figure_of_one_map_is_less_certain() {
    assert_eq!(facts("gpt-4o").less_certain, ["max_output", "lifecycle"]);
    assert_eq!(facts("gpt-5.6-luna").less_certain, ["max_output", "prices"]);
    let flash = facts("gemini-3.8-flash");
    assert_eq!(flash.less_certain, ["context_window", "max_output"]);
}
