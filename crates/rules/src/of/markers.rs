//! Cache markers: how many, and in which order.

use std::fmt::Display;

const LIMIT: usize = 4;

/// A cache marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker<P = String> {
    /// Its key's path, such as `system[0].cache_control`.
    pub path: P,
    /// True for `"ttl":"1h"`. A marker without `ttl` has 5m.
    pub is_hour: bool,
}

/// Returns the first marker over the limit, with all of them (rule `marker-limit`). Pass the markers
/// in cache order.
pub fn over_limit<'m, P: Display + 'm>(
    markers: impl Iterator<Item = &'m Marker<P>> + Clone,
) -> Option<(&'m P, String)> {
    let first = markers.clone().nth(LIMIT)?;
    let paths: Vec<_> = markers.map(|it| it.path.to_string()).collect();
    Some((&first.path, format!("{}, at {}", paths.len(), paths.join(", "))))
}

/// Returns both lifetimes if the block of the automatic marker has a marker with another one (rule
/// `marker-automatic`). If they agree, the automatic marker has no effect.
pub fn other_lifetime<P>(automatic: &Marker<P>, on_block: &Marker<P>) -> Option<String> {
    let ttl = |it: &Marker<P>| if it.is_hour { "1h" } else { "5m" };
    (automatic.is_hour != on_block.is_hour)
        .then(|| format!("{}, and the last block has {}", ttl(automatic), ttl(on_block)))
}

/// Returns each one-hour marker that follows a five-minute one, with the first of these (rule
/// `marker-ttl`). Pass the markers in cache order.
///
/// ```
/// use aside_rules::of::markers::{Marker, late_hours};
///
/// let marker = |path: &str, is_hour| Marker { path: path.into(), is_hour };
/// let markers = [marker("tools[0].cache_control", false), marker("cache_control", true)];
/// let late: Vec<_> = late_hours(markers.iter()).collect();
/// assert_eq!(late, [(&"cache_control".to_owned(), "1h, after 5m at tools[0].cache_control".to_owned())]);
/// ```
pub fn late_hours<'m, P: Display + 'm>(
    markers: impl Iterator<Item = &'m Marker<P>>,
) -> impl Iterator<Item = (&'m P, String)> {
    let mut short: Option<&Marker<P>> = None;
    markers.filter_map(move |marker| {
        if !marker.is_hour {
            short = short.or(Some(marker));
            return None;
        }
        let found = format!("1h, after 5m at {}", short?.path);
        Some((&marker.path, found))
    })
}
