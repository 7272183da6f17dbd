//! Cache markers: their number and their order.

/// The maximum number of markers of a request, the automatic one included.
const LIMIT: usize = 4;

/// A cache marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The path of its key, such as `system[0].cache_control`.
    pub path: String,
    /// True for `"ttl":"1h"`. A marker without `ttl` has 5m.
    pub is_hour: bool,
}

/// Returns the list of markers, if it is too long (rule `marker-limit`).
pub fn over_limit<'m>(markers: impl Iterator<Item = &'m Marker>) -> Option<String> {
    let paths: Vec<_> = markers.map(|it| it.path.as_str()).collect();
    (paths.len() > LIMIT).then(|| format!("{}, at {}", paths.len(), paths.join(", ")))
}

/// Returns each marker of an hour that follows one of five minutes, with the first of these (rule
/// `marker-ttl`). The markers are in the order of the cache.
///
/// ```
/// use aside_rules::of::markers::{Marker, late_hours};
///
/// let marker = |path: &str, is_hour| Marker { path: path.into(), is_hour };
/// let markers = [marker("tools[0].cache_control", false), marker("cache_control", true)];
/// let late: Vec<_> = late_hours(markers.iter()).collect();
/// assert_eq!(late, [("cache_control", "1h, after 5m at tools[0].cache_control".to_owned())]);
/// ```
pub fn late_hours<'m>(
    markers: impl Iterator<Item = &'m Marker>,
) -> impl Iterator<Item = (&'m str, String)> {
    let mut short: Option<&Marker> = None;
    markers.filter_map(move |marker| {
        if !marker.is_hour {
            short = short.or(Some(marker));
            return None;
        }
        let found = format!("1h, after 5m at {}", short?.path);
        Some((marker.path.as_str(), found))
    })
}
