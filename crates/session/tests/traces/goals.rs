//! The goals for the cost of traces.

use aside_cache_model::CacheRules;
use aside_cache_split::TtlPolicy;

use crate::price::{MODELS, Price, price};
use crate::trace::{Setting, Trace, play};

fn of(trace: Trace, index: usize, ttl: Option<TtlPolicy>) -> Price {
    let (model, read) = MODELS[index];
    let sent = play(trace, Setting { model, ttl });
    price(&sent, &CacheRules::anthropic(), read)
}

/// Checks the cost against the bound, if a read costs a tenth of the price of
/// input.
fn check(trace: Trace, most: f64) {
    let price = of(trace, 0, None);
    println!(
        "{trace:?}: {:.3} × the bound ({:.0} k)",
        price.ratio(),
        price.cost / 1e3
    );
    assert!(price.ratio() <= most, "{trace:?}: {price:?}");
}

#[test]
fn a_session_survives_an_idle_gap() {
    check(Trace::Idle(10), 1.10);
    check(Trace::Idle(50), 1.10);
}

#[test]
fn a_loop_with_two_markers_of_the_caller() {
    check(Trace::Caller, 1.05);
}

#[test]
fn parallel_calls() {
    check(Trace::FanOut(12), 1.02);
    check(Trace::FanOut(18), 1.02);
}

#[test]
fn tools_that_arrive_in_mid_session() {
    // The checkpoints of a loop of sixty requests cost 0.8 % of the bound.
    check(Trace::Mcp, 1.01);
    let short = of(Trace::Mcp, 0, Some(TtlPolicy::Short));
    assert!(short.ratio() <= 1.005, "{short:?}");
}

#[test]
fn subagents_behind_the_gate() {
    check(Trace::Subagents, 1.01);
}

/// Sessions of one project, 12 minutes apart or concurrent. With a lifetime of
/// five minutes for every layer, the day costs three times as much; the team,
/// whose sessions follow within minutes, costs the same.
#[test]
fn sessions_share_the_project_layer() {
    check(Trace::Team, 1.05);
    let (default, short) = (
        of(Trace::Day, 0, None),
        of(Trace::Day, 0, Some(TtlPolicy::Short)),
    );
    assert!(default.ratio() <= 1.15, "{default:?}");
    assert!(default.cost <= 0.33 * short.cost, "{default:?} {short:?}");
}
