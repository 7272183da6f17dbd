//! Faults with which a file can be loaded, but does not do what its author meant.

use aside_user_files::nearest;

use super::kinds;
use super::read::Fault;
use super::source_lines::{Level, line_of_key, line_with};
use crate::expression::Expression;
use crate::template::unknown_placeholders;
use crate::unknown_keys::UnknownKeys;
use crate::{definition, schedule};

/// How many warnings of one kind to give per file.
const MAX_WARNINGS: usize = 10;

/// Reports unknown keys, each with the nearest known one.
pub(super) fn unknown_keys(text: &str, unknown: &UnknownKeys) -> impl Iterator<Item = Fault> {
    let at_top = unknown.of_definition.iter().map(|key| (Level::Top, key));
    let in_schedule = unknown.of_schedule.iter().map(|key| (Level::Schedule, key));
    let all = at_top.chain(in_schedule).take(MAX_WARNINGS);
    all.map(|(level, key)| unknown_key(text, level, key))
}

fn unknown_key(text: &str, level: Level, key: &str) -> Fault {
    let known = [definition::KEYS, schedule::KEYS].concat();
    let meant = match (nearest(key, &known), level) {
        (Some(meant), Level::Top) if meant == key => ": it belongs below schedule".to_owned(),
        (Some(meant), Level::Schedule) if meant == key => {
            ": it belongs beside schedule, not below it".to_owned()
        }
        (Some(meant), _) => format!(": did you mean {meant}?"),
        (None, _) => String::new(),
    };
    Fault {
        kind: kinds::IGNORED_KEY,
        line: line_of_key(text, level, key),
        message: format!("unknown key {key:?} is ignored{meant}"),
    }
}

/// Reports a condition that never holds.
pub(super) fn condition(text: &str, expression: &Expression) -> Option<Fault> {
    let message = expression.fault()?;
    let line = line_of_key(text, Level::Schedule, "condition");
    Some(Fault { kind: kinds::CONDITION, line, message })
}

/// Reports placeholders without a value.
pub(super) fn placeholders(text: &str, content: &str) -> impl Iterator<Item = Fault> {
    unknown_placeholders(content).into_iter().take(MAX_WARNINGS).map(move |name| {
        let line = line_with(text, |line| line.contains(&format!("{{{{{name}}}}}")));
        let message = format!(
            "found {{{{{name}}}}}, which remains as written: expected now, date, cwd, branch or turn"
        );
        Fault { kind: kinds::PLACEHOLDER, line, message }
    })
}
