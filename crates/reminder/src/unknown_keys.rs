use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::definition::{KEYS, SCHEDULE_KEYS};

/// The keys in the text of a [`Definition`](crate::Definition) and of its
/// schedule that say nothing to Aside: mostly a slip of the pen.
///
/// Read it from the same text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownKeys {
    of_reminder: Vec<String>,
    of_schedule: Vec<String>,
}

impl UnknownKeys {
    /// The keys, those of the schedule last, each time in the order of the
    /// text.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let all = self.of_reminder.iter().chain(&self.of_schedule);
        all.map(String::as_str)
    }
}

impl<'de> Deserialize<'de> for UnknownKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OfReminder)
    }
}

struct OfReminder;

impl<'de> Visitor<'de> for OfReminder {
    type Value = UnknownKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping of names to values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UnknownKeys, A::Error> {
        let mut unknown = UnknownKeys::default();
        while let Some(key) = map.next_key::<String>()? {
            if key == "schedule" {
                let schedule: Option<OfSchedule> = map.next_value()?;
                unknown.of_schedule = schedule.map_or_else(Vec::new, |it| it.0);
                continue;
            }
            let IgnoredAny = map.next_value()?;
            if !KEYS.contains(&key.as_str()) {
                unknown.of_reminder.push(key);
            }
        }
        Ok(unknown)
    }
}

struct OfSchedule(Vec<String>);

impl<'de> Deserialize<'de> for OfSchedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ScheduleReader)
    }
}

struct ScheduleReader;

impl<'de> Visitor<'de> for ScheduleReader {
    type Value = OfSchedule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping with the key kind")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OfSchedule, A::Error> {
        let mut unknown = Vec::new();
        while let Some((key, IgnoredAny)) = map.next_entry::<String, _>()? {
            if !SCHEDULE_KEYS.contains(&key.as_str()) {
                unknown.push(key);
            }
        }
        Ok(OfSchedule(unknown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_known_are_not_told() {
        let check = |yaml: &str, expected: &[&str]| {
            let keys: UnknownKeys = aside_frontmatter::strict_yaml(yaml).unwrap();
            assert_eq!(keys.iter().collect::<Vec<_>>(), expected);
        };
        check(
            "id: a\ncontent: b\nschedule: {kind: turn}\npriority: 1",
            &[],
        );
        check(
            "schedule: {kin: turn}\npriorty: 1\nID: a",
            &["priorty", "ID", "kin"],
        );
        check("schedule:\nx:", &["x"]);
    }
}
