//! Keys that say nothing to Aside: mostly a slip of the pen.

use std::fmt;

use aside_frontmatter::Error;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::definition::{KEYS, SCHEDULE_KEYS};

/// The keys of a mapping, in order.
#[derive(Default)]
pub(super) struct Keys(Vec<String>);

/// The keys of the schedule in a mapping.
#[derive(Default, serde::Deserialize)]
pub(super) struct ScheduleKeys {
    schedule: Option<Keys>,
}

/// The keys that are not known, of what was read twice: for its own keys, and
/// for those of its schedule.
pub(super) fn unknown(
    keys: impl FnOnce() -> Result<Option<Keys>, Error>,
    schedule: impl FnOnce() -> Result<Option<ScheduleKeys>, Error>,
) -> Vec<String> {
    // What cannot be read at all is told elsewhere.
    let keys = keys().ok().flatten().unwrap_or_default();
    let schedule = schedule().ok().flatten().unwrap_or_default();
    let keys = keys
        .0
        .into_iter()
        .filter(|key| !KEYS.contains(&key.as_str()));
    let schedule = schedule.schedule.unwrap_or_default().0.into_iter();
    keys.chain(schedule.filter(|key| !SCHEDULE_KEYS.contains(&key.as_str())))
        .collect()
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let mut keys = Vec::new();
        while let Some((key, IgnoredAny)) = map.next_entry::<String, _>()? {
            keys.push(key);
        }
        Ok(Keys(keys))
    }
}
