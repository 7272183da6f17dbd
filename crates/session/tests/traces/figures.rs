//! The table of all figures.

use aside_cache_model::{CacheRules, Choice};
use aside_cache_split::TtlPolicy;

use crate::price::{MODELS, price};
use crate::trace::{Setting, Trace, play};

/// Prints the cost of each trace against the bound, at each price of a cache
/// read, for a lifetime of five minutes and for the default policy; and, at the
/// first price, the effect of each undocumented rule.
#[test]
#[ignore = "prints a table; takes minutes"]
fn print_all() {
    println!("cost against the bound (k tokens of plain input)");
    for trace in Trace::ALL {
        let mut line = format!("{:14}", format!("{trace:?}"));
        for (model, read) in MODELS {
            for ttl in [Some(TtlPolicy::Short), None] {
                let sent = play(trace, Setting { model, ttl });
                let price = price(&sent, &CacheRules::anthropic(), read);
                let name = ttl.map_or("default", |_| "5m");
                line += &format!(
                    "  {read}× {name} {:.3} ({:.0} k)",
                    price.ratio(),
                    price.cost / 1e3
                );
            }
        }
        println!("{line}");
    }
    println!("default policy, reads at 0.1, one rule flipped");
    let (model, read) = MODELS[0];
    for trace in Trace::ALL {
        let sent = play(trace, Setting { model, ttl: None });
        let mut line = format!("{:14}", format!("{trace:?}"));
        for choice in Choice::ALL {
            let price = price(&sent, &CacheRules::anthropic().flipped(choice), read);
            line += &format!("  {} {:.3}", choice.as_str(), price.ratio());
        }
        println!("{line}");
    }
}
