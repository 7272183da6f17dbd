//! The table with all figures, and what depends on prices and on rules that the
//! provider does not document.

use std::collections::BTreeSet;
use std::path::Path;

use aside_cache_model::Choice;
use aside_cache_split::TtlPolicy;

use crate::traces::price::{MODEL, Price, READ_PRICES, price, price_flipped};
use crate::traces::trace::Trace;

/// The policies in the table; `None` is the default, checkpoints.
const POLICIES: [(&str, Option<TtlPolicy>); 3] =
    [("5m", Some(TtlPolicy::Short)), ("auto", None), ("1h", Some(TtlPolicy::Long))];

/// From which difference on costs count as different.
const NOTICEABLE: f64 = 0.01;

/// Checks a trace's row in docs/cache-policy.md: the cost of the default, of `5m` and of `1h` as a
/// multiple of the bound, and in thousands. The names of temporary directories change some tokens.
fn check_row(page: &str, trace: Trace, [short, auto, long]: [Price; 3]) {
    let start = format!("| {} | ", trace.row());
    let row = page.lines().find_map(|it| it.strip_prefix(&start));
    let row = row.ok_or(&start).unwrap();
    for (cell, price) in row.split('|').zip([auto, short, long]) {
        let cell = cell.replace([',', '(', ')'], "");
        let figures: Vec<f64> = cell.split_whitespace().map(|it| it.parse().unwrap()).collect();
        let found = [price.ratio(), price.cost / 1e3];
        let is_same = (figures[0] - found[0]).abs() < 0.003 && (figures[1] - found[1]).abs() < 1.5;
        assert!(is_same, "{start}{cell}: {found:.3?}");
    }
}

/// Prints each trace's cost at each price of a read. docs/cache-policy.md has the first one. At all prices the policies
/// have the same order: a policy that costs noticeably more than another does
/// not cost noticeably less elsewhere.
#[test]
fn the_order_of_the_policies_does_not_depend_on_the_price_of_a_read() {
    let mut reversed = Vec::new();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cache-policy.md");
    let page = std::fs::read_to_string(page).unwrap();
    println!("cost against the bound (k tokens of plain input)");
    for &trace in Trace::tried() {
        let mut orders = Vec::new();
        let mut line = format!("{:14}", format!("{trace:?}"));
        for read in READ_PRICES {
            let prices = POLICIES.map(|(_, ttl)| price(trace, ttl, read));
            if read.model == MODEL {
                check_row(&page, trace, prices);
            }
            for ((name, _), it) in POLICIES.iter().zip(prices) {
                let (ratio, cost) = (it.ratio(), it.cost / 1e3);
                line += &format!("  {}× {name} {ratio:.3} ({cost:.0} k)", read.share);
            }
            orders.push(prices.map(|it| it.cost));
        }
        println!("{line}");
        let is_more =
            |costs: &[f64; 3], a: usize, b: usize| costs[a] > costs[b] * (1.0 + NOTICEABLE);
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let above = orders.iter().any(|it| is_more(it, a, b));
            let below = orders.iter().any(|it| is_more(it, b, a));
            if above && below {
                reversed.push((trace, POLICIES[a].0, POLICIES[b].0));
            }
        }
    }
    assert!(reversed.is_empty(), "{reversed:?}");
}

/// Prints the cost with each undocumented rule reversed. None matters.
#[test]
fn no_undocumented_rule_matters() {
    let mut matters = BTreeSet::new();
    println!("default policy, reads at 0.1, one rule flipped");
    for &trace in Trace::tried() {
        let documented = price(trace, None, READ_PRICES[0]);
        let mut line = format!("{:14}", format!("{trace:?}"));
        for choice in Choice::ALL {
            let flipped = price_flipped(trace, None, choice);
            line += &format!("  {} {:.3}", choice.as_str(), flipped.ratio());
            if (flipped.ratio() - documented.ratio()).abs() > NOTICEABLE {
                matters.insert(choice.as_str());
            }
        }
        println!("{line}");
    }
    assert_eq!(matters, BTreeSet::new());
}
