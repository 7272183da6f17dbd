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
use serde_json::Value;

use super::{Schedule, ScheduleKind};
use crate::condition::Condition;
use crate::duration::{format_duration, parse_duration};
use crate::expression::Expression;
use crate::scalar::integer::{Count, MaxFires, Positive};
use crate::scalar::{Checked, Scalar};

/// The keys in a schedule.
pub(crate) const KEYS: &[&str] =
    &["kind", "turn_interval", "interval", "max_fires", "condition", "cooldown_turns"];

/// How the error about a key that does not go with the kind begins; the key
/// follows.
pub(crate) const MISFIT: &str = "found the key ";

/// For a timer without the key `interval`.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(5 * 60);

// This documentation is the schema's.
#[derive(Default, serde::Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Schedule", deny_unknown_fields, extend("anyOf" = keys_by_kind()))
)]
struct Form {
    /// The rule; by default `oneshot`, if no other key is given.
    #[cfg_attr(feature = "schema", schemars(with = "Option<ScheduleName>"))]
    kind: Option<Checked<ScheduleName>>,
    /// For `turn`: fires when the turn, counted from 0, is a multiple of this;
    /// by default 1.
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>", range(min = 1)))]
    turn_interval: Option<Checked<Positive>>,
    /// For `timer`: a duration as in Go, such as `30s` or `1h30m`; by default
    /// `5m`.
    #[cfg_attr(
        feature = "schema",
        schemars(
            with = "Option<String>",
            regex(
                pattern = r"^([-+]?0|-((0+([.]0*)?|[.]0+)(ns|us|µs|μs|ms|s|m|h))+|[+]?(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"
            )
        )
    )]
    interval: Option<Checked<Interval>>,
    /// How often it may fire; 0, the default, means no limit.
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>", range(max = 4_294_967_295u64)))]
    max_fires: Option<Checked<MaxFires>>,
    /// For `condition`: `always`, `after_tool:Edit,Write`, `turn_gt:20`,
    /// `messages_gt:80` or `repeated_tool:3`; by default `always`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    condition: Option<Checked<Expression>>,
    /// How many turns to wait between two fires; by default 0.
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    cooldown_turns: Option<Checked<Count>>,
}

impl Form {
    /// Finds a key that would have no effect: its author believes that the
    /// reminder fires otherwise than it does.
    fn misfit(&self) -> Option<String> {
        let kind = self.kind.as_ref().map(|it| it.0);
        let is_given = [
            ("turn_interval", self.turn_interval.is_some()),
            ("interval", self.interval.is_some()),
            ("condition", self.condition.is_some()),
        ];
        for needed in ScheduleName::ALL {
            let Some(key) = needed.key().filter(|key| is_given.contains(&(key, true))) else {
                continue;
            };
            if kind != Some(needed) {
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

aside_text::names! {
    /// When a reminder fires, as one word.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum ScheduleName {
        /// Every turn.
        Always = "always",
        /// On turn 0, and every `turn_interval` turns from there.
        Turn = "turn",
        /// At the first check, and then every `interval`.
        Timer = "timer",
        /// Once.
        Oneshot = "oneshot",
        /// When the condition holds.
        Condition = "condition",
    }
}

impl ScheduleName {
    /// Returns the key that only this kind has.
    fn key(self) -> Option<&'static str> {
        match self {
            Self::Turn => Some("turn_interval"),
            Self::Timer => Some("interval"),
            Self::Condition => Some("condition"),
            Self::Always | Self::Oneshot => None,
        }
    }
}

impl Scalar for ScheduleName {
    const EXPECTED: &str = "always, turn, timer, oneshot or condition";

    fn from_text(text: &str) -> Result<Self, String> {
        let kind = text.parse();
        kind.map_err(|_| format!("found {text:?}, expected {}", Self::EXPECTED))
    }
}

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
        deserializer.deserialize_map(FormVisitor).map(Self::from)
    }
}

/// The other keys have their defaults.
impl From<ScheduleName> for Schedule {
    fn from(name: ScheduleName) -> Self {
        Self::from(Form { kind: Some(Checked(name)), ..Form::default() })
    }
}

impl From<Form> for Schedule {
    fn from(form: Form) -> Self {
        let kind = match form.kind.map_or(ScheduleName::Oneshot, |it| it.0) {
            ScheduleName::Always => ScheduleKind::Always,
            ScheduleName::Turn => {
                ScheduleKind::Turn { interval: form.turn_interval.map_or(1, |it| it.0.0) }
            }
            ScheduleName::Timer => ScheduleKind::Timer {
                interval: form.interval.map_or(DEFAULT_INTERVAL, |it| it.0.0),
            },
            ScheduleName::Oneshot => ScheduleKind::Oneshot,
            ScheduleName::Condition => {
                let expression = form.condition.map_or(Expression::Always, |it| it.0);
                ScheduleKind::Condition(expression.into())
            }
        };
        Self {
            kind,
            max_fires: form.max_fires.map_or(0, |it| it.0.0),
            cooldown_turns: form.cooldown_turns.map_or(0, |it| it.0.0),
        }
    }
}

/// Accepts only a mapping. The derived reader also accepts a sequence, with the
/// values in field order.
struct FormVisitor;

impl<'de> Visitor<'de> for FormVisitor {
    type Value = Form;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping with the key kind")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Form, A::Error> {
        let form = Form::deserialize(MapAccessDeserializer::new(map))?;
        // Here, and not after the map: a reader adds the schedule's path.
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
        let (name, argument): (_, Option<Value>) = match &self.kind {
            ScheduleKind::Always => (ScheduleName::Always, None),
            ScheduleKind::Turn { interval } => {
                (ScheduleName::Turn, Some((*interval).max(1).into()))
            }
            ScheduleKind::Timer { interval } => {
                (ScheduleName::Timer, Some(format_duration(*interval).into()))
            }
            ScheduleKind::Oneshot => (ScheduleName::Oneshot, None),
            ScheduleKind::Condition(Condition::Expression(expression)) => {
                (ScheduleName::Condition, Some(expression.to_string().into()))
            }
            ScheduleKind::Condition(Condition::Code(_)) => {
                (ScheduleName::Condition, Some("(code)".into()))
            }
        };
        form.serialize_field("kind", name.as_str())?;
        if let (Some(key), Some(argument)) = (name.key(), argument) {
            form.serialize_field(key, &argument)?;
        }
        form.serialize_field("max_fires", &self.max_fires)?;
        form.serialize_field("cooldown_turns", &self.cooldown_turns)?;
        form.end()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Schedule {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Form::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Form::json_schema(generator)
    }
}

/// Returns the keys that a kind does not have: they are left out, or null.
#[cfg(feature = "schema")]
fn keys_by_kind() -> Value {
    use serde_json::{Map, json};

    let without = |kinds: Option<Vec<&str>>, keys: Vec<&str>| {
        let null = json!({"type": "null"});
        let keys = keys.into_iter();
        let mut properties: Map<String, Value> =
            keys.map(|key| (key.to_owned(), null.clone())).collect();
        let kind = kinds.as_ref().map_or(null, |kinds| json!({"enum": kinds}));
        properties.insert("kind".to_owned(), kind);
        let required: &[&str] = if kinds.is_some() { &["kind"] } else { &[] };
        json!({"required": required, "properties": properties})
    };
    let mut own: Vec<_> =
        ScheduleName::ALL.map(ScheduleName::key).into_iter().flatten().map(Some).collect();
    own.push(None);
    let of_key = |key: &Option<&str>| {
        let kinds = ScheduleName::ALL.into_iter().filter(|kind| kind.key() == *key);
        let others = own.iter().filter(|other| *other != key).filter_map(|other| *other);
        without(Some(kinds.map(ScheduleName::as_str).collect()), others.collect())
    };
    let mut all: Vec<Value> = own.iter().map(of_key).collect();
    all.push(without(None, KEYS.iter().copied().filter(|key| *key != "kind").collect()));
    Value::Array(all)
}
