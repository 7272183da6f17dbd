//! A schedule as a mapping, in files and in JSON.
//!
//! ```yaml
//! schedule: {kind: turn, turn_interval: 3, max_fires: 10}
//! schedule: {kind: timer, interval: 5m, cooldown_turns: 2}
//! schedule: {kind: condition, condition: "after_tool:Edit"}
//! ```
//!
//! A key that does not go with the kind is an error, since it would have no
//! effect.

use std::fmt;
use std::time::Duration;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::{Schedule, ScheduleKind};
use crate::condition::Condition;
use crate::duration::{format_duration, parse_duration};
use crate::expression::Expression;
use crate::scalar::integer::{Count, MaxFires, Positive};
use crate::scalar::{Checked, Scalar};

/// The keys of a schedule.
pub(crate) const KEYS: &[&str] = &[
    "kind",
    "turn_interval",
    "interval",
    "max_fires",
    "condition",
    "cooldown_turns",
];

/// The start of the error about a key that does not go with the kind; the name
/// of the key follows.
pub(crate) const MISFIT: &str = "found the key ";

/// The interval of a timer without the key `interval`.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// The keys as written, each checked for its own form.
#[derive(serde::Deserialize)]
struct Form {
    /// `oneshot` by default.
    kind: Option<Checked<Kind>>,
    /// The number of turns between two fires, 1 by default; for `turn`.
    turn_interval: Option<Checked<Positive>>,
    /// The time between two fires, five minutes by default; for `timer`.
    interval: Option<Checked<Interval>>,
    /// The maximum number of fires; 0, the default, adds no limit.
    max_fires: Option<Checked<MaxFires>>,
    /// The condition, by default one that always holds; for `condition`.
    condition: Option<Checked<Expression>>,
    /// The minimum number of turns between two fires, 0 by default.
    cooldown_turns: Option<Checked<Count>>,
}

impl Form {
    /// Returns the fault of a key that would have no effect: its author believes
    /// that the reminder fires otherwise than it does.
    fn misfit(&self) -> Option<String> {
        let kind = self.kind.as_ref().map(|it| it.0);
        let keys = [
            ("turn_interval", self.turn_interval.is_some(), "turn"),
            ("interval", self.interval.is_some(), "timer"),
            ("condition", self.condition.is_some(), "condition"),
        ];
        for (key, is_given, needed) in keys {
            let fits = match kind {
                Some(Kind::Turn) => needed == "turn",
                Some(Kind::Timer) => needed == "timer",
                Some(Kind::Condition) => needed == "condition",
                Some(Kind::Always | Kind::Oneshot) | None => false,
            };
            if is_given && !fits {
                return Some(format!("{MISFIT}{key}, which needs kind: {needed}"));
            }
        }
        let others = [
            ("max_fires", self.max_fires.is_some()),
            ("cooldown_turns", self.cooldown_turns.is_some()),
        ];
        let mut given = others.into_iter().filter(|(_, is_given)| *is_given);
        let (key, _) = given.next().filter(|_| kind.is_none())?;
        Some(format!("{MISFIT}{key}, which needs a kind"))
    }
}

/// The name of a [`ScheduleKind`].
#[derive(Clone, Copy)]
enum Kind {
    Always,
    Turn,
    Timer,
    Oneshot,
    Condition,
}

impl Scalar for Kind {
    const EXPECTED: &str = "always, turn, timer, oneshot or condition";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(match text {
            "always" => Self::Always,
            "turn" => Self::Turn,
            "timer" => Self::Timer,
            "oneshot" => Self::Oneshot,
            "condition" => Self::Condition,
            _ => return Err(format!("found {text:?}, expected {}", Self::EXPECTED)),
        })
    }
}

/// The interval of a timer.
struct Interval(Duration);

impl Scalar for Interval {
    const EXPECTED: &str = "a duration, such as 30s or 5m";

    fn from_text(text: &str) -> Result<Self, String> {
        let duration = parse_duration(text).map_err(|error| error.to_string())?;
        Ok(Self(duration))
    }
}

impl Scalar for Expression {
    const EXPECTED: &str = "a condition, such as \"after_tool:Edit\"";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self::parse(text))
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = deserializer.deserialize_map(FormVisitor)?;
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

/// Accepts only a mapping. The derived reader also accepts a sequence, with the
/// values in the order of the fields.
struct FormVisitor;

impl<'de> Visitor<'de> for FormVisitor {
    type Value = Form;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping with the key kind")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Form, A::Error> {
        let form = Form::deserialize(MapAccessDeserializer::new(map))?;
        // Here, and not after the map: a reader adds the path of the schedule.
        match form.misfit() {
            Some(fault) => Err(A::Error::custom(fault)),
            None => Ok(form),
        }
    }
}

/// Writes the schedule as in a file; a condition in code as `(code)`.
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
