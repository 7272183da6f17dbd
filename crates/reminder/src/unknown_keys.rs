//! Finding keys in a reminder file that mean nothing.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::{definition, schedule};

/// The unknown keys, mostly misspelled, in a [`Definition`](crate::Definition)
/// and its schedule. Deserialize it from the same text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownKeys {
    pub(crate) of_definition: Vec<String>,
    /// Below `schedule`.
    pub(crate) of_schedule: Vec<String>,
}

impl UnknownKeys {
    /// Iterates over the keys in text order, the schedule's last.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let all = self.of_definition.iter().chain(&self.of_schedule);
        all.map(String::as_str)
    }
}

impl<'de> Deserialize<'de> for UnknownKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DefinitionVisitor)
    }
}

/// Collects the keys at the top level, and those in the schedule.
struct DefinitionVisitor;

impl<'de> Visitor<'de> for DefinitionVisitor {
    type Value = UnknownKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping of names to values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UnknownKeys, A::Error> {
        let mut unknown = UnknownKeys::default();
        while let Some(key) = map.next_key::<String>()? {
            if key == "schedule" {
                let schedule: Option<ScheduleKeys> = map.next_value()?;
                unknown.of_schedule = schedule.map_or_else(Vec::new, |it| it.0);
                continue;
            }
            let IgnoredAny = map.next_value()?;
            if !definition::KEYS.contains(&key.as_str()) {
                unknown.of_definition.push(key);
            }
        }
        Ok(unknown)
    }
}

struct ScheduleKeys(Vec<String>);

impl<'de> Deserialize<'de> for ScheduleKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ScheduleVisitor)
    }
}

struct ScheduleVisitor;

impl<'de> Visitor<'de> for ScheduleVisitor {
    type Value = ScheduleKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping with the key kind")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ScheduleKeys, A::Error> {
        let mut unknown = Vec::new();
        while let Some((key, IgnoredAny)) = map.next_entry::<String, _>()? {
            if !schedule::KEYS.contains(&key.as_str()) {
                unknown.push(key);
            }
        }
        Ok(ScheduleKeys(unknown))
    }
}

#[cfg(all(test, feature = "files"))]
mod tests {
    use super::*;

    #[test]
    fn only_unknown_keys_are_found() {
        let check = |yaml: &str, expected: &[&str]| {
            let keys: UnknownKeys = aside_user_files::strict_yaml(yaml).unwrap();
            assert_eq!(keys.iter().collect::<Vec<_>>(), expected);
        };
        check("id: a\ncontent: b\nschedule: {kind: turn}\npriority: 1", &[]);
        check("schedule: {kin: turn}\npriorty: 1\nID: a", &["priorty", "ID", "kin"]);
        check("schedule:\nx:", &["x"]);
    }
}
