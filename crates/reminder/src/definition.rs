mod values;

use std::fmt;
use std::time::Duration;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::condition::Condition;
use crate::expression::Expression;
use crate::go_duration::format_duration;
use crate::reminder::{Delivery, Reminder, Source};
use crate::scalar::Checked;
use crate::schedule::{Schedule, ScheduleKind};
use values::{AtLeastOne, Content, Count, Id, Interval, Kind, MaxFires, Priority};

/// A reminder as a file says it. Everything may be left out; keys that are not
/// known are passed over.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(expecting = "a mapping of names to values")]
pub struct Definition {
    id: Option<Checked<Id>>,
    content: Option<Checked<Content>>,
    schedule: Option<Schedule>,
    priority: Option<Checked<Priority>>,
    enabled: Option<bool>,
    delivery: Option<Checked<Delivery>>,
}

/// The keys of a [`Definition`].
pub(crate) const KEYS: &[&str] = &[
    "id", "content", "schedule", "priority", "enabled", "delivery",
];

/// The keys of its schedule.
pub(crate) const SCHEDULE_KEYS: &[&str] = &[
    "kind",
    "turn_interval",
    "interval",
    "max_fires",
    "condition",
    "cooldown_turns",
];

/// The interval of a timer that names none.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(5 * 60);

impl Definition {
    /// The id that it gives itself.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_ref().map(|Checked(Id(id))| id.as_str())
    }

    /// The content that it gives itself.
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.content.as_ref().map(|it| it.0.0.as_str())
    }

    /// The same with this content.
    pub(crate) fn with_content(self, content: &str) -> Self {
        let content = Some(Checked(Content(content.to_owned())));
        Self { content, ..self }
    }

    /// The reminder, with an id and a content for where it names none.
    #[must_use]
    pub fn into_reminder(self, id: &str, content: &str, source: Source) -> Reminder {
        Reminder {
            id: self.id.map_or_else(|| id.to_owned(), |Checked(Id(id))| id),
            content: self.content.map_or_else(|| content.to_owned(), |it| it.0.0),
            schedule: self.schedule.unwrap_or(Schedule::ONESHOT),
            source,
            priority: self.priority.map_or(0, |Checked(Priority(it))| it),
            active: self.enabled.unwrap_or(true),
            delivery: self.delivery.map_or(Delivery::default(), |it| it.0),
        }
    }
}

/// The form of a [`Schedule`] in a file.
#[derive(serde::Deserialize)]
struct Form {
    kind: Option<Checked<Kind>>,
    turn_interval: Option<Checked<AtLeastOne>>,
    interval: Option<Checked<Interval>>,
    max_fires: Option<Checked<MaxFires>>,
    condition: Option<Checked<Expression>>,
    cooldown_turns: Option<Checked<Count>>,
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = deserializer.deserialize_map(FormReader)?;
        let kind = match form.kind.map_or(Kind::Oneshot, |it| it.0) {
            Kind::Always => ScheduleKind::Always,
            Kind::Turn => ScheduleKind::Turn {
                interval: form.turn_interval.map_or(1, |it| it.0.0),
            },
            Kind::Timer => ScheduleKind::Timer {
                interval: form.interval.map_or(DEFAULT_INTERVAL, |it| it.0.0),
            },
            Kind::Oneshot => ScheduleKind::Oneshot,
            Kind::Condition => {
                let expression = form.condition.map_or(Expression::Always, |it| it.0);
                ScheduleKind::Condition(expression.into())
            }
        };
        Ok(Self {
            kind,
            max_fires: form.max_fires.map_or(0, |it| it.0.0),
            cooldown_turns: form.cooldown_turns.map_or(0, |it| it.0.0),
        })
    }
}

/// Reads a mapping, and no list, whose values serde would take for those of the
/// keys.
struct FormReader;

impl<'de> Visitor<'de> for FormReader {
    type Value = Form;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping with the key kind")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Form, A::Error> {
        Form::deserialize(MapAccessDeserializer::new(map))
    }
}

/// As a file would have it; a condition in code is written `(code)`.
impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut form = serializer.serialize_struct("Schedule", 4)?;
        match &self.kind {
            ScheduleKind::Always => form.serialize_field("kind", "always")?,
            ScheduleKind::Turn { interval } => {
                form.serialize_field("kind", "turn")?;
                form.serialize_field("turn_interval", interval)?;
            }
            ScheduleKind::Timer { interval } => {
                form.serialize_field("kind", "timer")?;
                form.serialize_field("interval", &format_duration(*interval))?;
            }
            ScheduleKind::Oneshot => form.serialize_field("kind", "oneshot")?,
            ScheduleKind::Condition(condition) => {
                form.serialize_field("kind", "condition")?;
                let condition = match condition {
                    Condition::Expression(expression) => expression.to_string(),
                    Condition::Code(_) => "(code)".to_owned(),
                };
                form.serialize_field("condition", &condition)?;
            }
        }
        form.serialize_field("max_fires", &self.max_fires)?;
        form.serialize_field("cooldown_turns", &self.cooldown_turns)?;
        form.end()
    }
}
