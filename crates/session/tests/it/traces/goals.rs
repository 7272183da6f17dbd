//! The figures that must hold, when reads cost a tenth of the input price.

use aside_cache_split::TtlPolicy;

use crate::traces::price::{Price, READ_PRICES, price, wasted_hours};
use crate::traces::trace::Trace;

fn default(trace: Trace) -> Price {
    price(trace, None, READ_PRICES[0])
}

fn short(trace: Trace) -> Price {
    price(trace, Some(TtlPolicy::Short), READ_PRICES[0])
}

fn check(trace: Trace, most: f64) {
    let price = default(trace);
    assert!(price.ratio() <= most, "{trace:?}: {price:?}");
}

#[test]
fn a_session_survives_an_idle_gap() {
    check(Trace::Idle(10), 1.02);
    check(Trace::Idle(50), 1.02);
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

/// Tools that arrive cost next to nothing, and neither do checkpoints in a
/// loop.
#[test]
fn tools_that_arrive_in_mid_session() {
    check(Trace::Mcp, 1.005);
    check(Trace::CustomMcp, 1.02);
    let arrived = default(Trace::Mcp).ratio() / default(Trace::Loop).ratio();
    assert!(arrived <= 1.005, "{arrived}");
    let short = short(Trace::Mcp);
    assert!(short.ratio() <= 1.005, "{short:?}");
}

#[test]
fn subagents_behind_the_gate() {
    check(Trace::Subagents, 1.01);
}

/// Concurrent sessions in one project. No placement can cost less than 400 k
/// tokens: the 25 k token prefix is read in 120 requests, which is 300 k, and
/// each session has its own context, prompt and results.
#[test]
fn a_team_shares_the_project_layer() {
    check(Trace::Team, 1.05);
    let price = default(Trace::Team);
    assert!(price.bound > 400e3 && price.cost < 450e3, "{price:?}");
}

/// Sessions in one project, 12 minutes apart. The same floor holds. Above it is
/// each session's last request, which writes for a request that does not come,
/// and on a project's first day its first session, which cannot know that
/// others follow.
#[test]
fn a_day_shares_the_project_layer() {
    let (default, short) = (default(Trace::Day), short(Trace::Day));
    assert!(default.bound > 400e3, "{default:?}");
    assert!(default.ratio() <= 1.06, "{default:?}");
    assert!(default.cost <= 0.33 * short.cost, "{default:?} {short:?}");
    check(Trace::FirstDay, 1.13);
    check(Trace::TeamDay, 1.06);
    check(Trace::Ci, 1.08);
}

/// What the default costs more than the bound without a pause: at most 3 % in each trace, 2 % in
/// all of them.
#[test]
fn traces_without_a_gap() {
    let prices = Trace::WITHOUT_GAP.map(|trace| (trace, default(trace)));
    for (trace, price) in prices {
        assert!(price.ratio() <= 1.03, "{trace:?}: {price:?}");
    }
    let sum = |of: fn(Price) -> f64| prices.iter().map(|it| of(it.1)).sum::<f64>();
    let ratio = sum(|it| it.cost) / sum(|it| it.bound);
    println!("without a gap: {ratio:.3}");
    assert!(ratio <= 1.02, "{ratio}");
}

/// Checkpoints are an insurance: `aside cache lint` does not call them a waste.
#[test]
fn no_hour_of_a_session_counts_as_wasted() {
    for trace in Trace::ALL {
        let wasted = wasted_hours(trace);
        assert!(wasted.is_none(), "{trace:?}: {wasted:?}");
    }
}
