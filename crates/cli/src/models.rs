//! `aside models`: the catalogue of models, and the warnings about a model that other
//! commands print.
//!
//! Without ids, `list` prints a table of all models; with ids, `facts` prints every fact
//! of each. The data are those of `aside-models` and of the day that `as_of` names:
//! nothing is looked up. Exit code 1 if an id is not in the catalogue; the known ones are
//! printed nevertheless.

mod facts;
mod list;

use anyhow::anyhow;
use aside_host::{EnvVars, ProviderSelection};
use aside_models::{AS_OF, Date, ModelFacts, Notice, NoticeKind, find};
use aside_session::SessionConfig;
use aside_user_files::nearest;
use serde::Serialize;

use crate::Failure;
use crate::arguments::Models;
use crate::kinds;
use crate::output;
use crate::paint::Paint;

/// The object that `--json` prints: `{"as_of": "2026-11-21", "models": [{"id": "…"}]}`.
#[derive(Serialize)]
struct Catalogue<'a> {
    /// The day for which the facts are true.
    as_of: Date,
    /// All models, or those that the arguments name.
    models: Vec<&'a ModelFacts>,
}

/// Prints the models. The error for unknown ids suggests the nearest id for each.
pub(crate) fn run(arguments: &Models) -> Result<(), Failure> {
    let is_all = arguments.ids.is_empty();
    let found = arguments.ids.iter().map(|id| (id, find(id)));
    let (known, unknown): (Vec<_>, Vec<_>) = found.partition(|(_, found)| found.is_known());
    let models: Vec<&ModelFacts> = match is_all {
        true => aside_models::all().collect(),
        false => known.iter().map(|(_, found)| found.facts).collect(),
    };
    if arguments.json {
        let catalogue = Catalogue {
            as_of: AS_OF,
            models,
        };
        output::json(&catalogue)?;
    } else {
        let paint = Paint::of_stdout(&EnvVars::of_process());
        let text = match is_all {
            true => list::table(&models, paint),
            false => facts::all(&models, paint)?,
        };
        output::print([text.as_bytes()])?;
    }
    if unknown.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = aside_models::all().map(|it| it.id).collect();
    let ids: Vec<String> = unknown
        .iter()
        .map(|(id, _)| match nearest(id, &names) {
            Some(meant) => format!("{id:?} (did you mean {meant}?)"),
            None => format!("{id:?}"),
        })
        .collect();
    Err(anyhow!("no such model in the catalogue: {}", ids.join(", ")).into())
}

/// Warns about a model that is unknown, retired or about to retire, by the
/// date of the session.
///
/// Prints nothing for a model without such a notice. The id is resolved as the provider
/// would get it.
pub(crate) fn warn(config: &SessionConfig, selection: &ProviderSelection) {
    let provider = selection.provider();
    let model = selection
        .options(None)
        .models
        .resolve(provider, &config.model);
    let today =
        Date::parse(&config.date.to_string()).expect("a session's date is a date of the calendar");
    if let Some(notice) = Notice::of(provider.platform(), &model, today) {
        let kind = match notice.kind {
            NoticeKind::Retired(_) => kinds::MODEL_RETIRED,
            NoticeKind::RetiresSoon(..) => kinds::MODEL_RETIRES_SOON,
            NoticeKind::Unguaranteed(_) => kinds::MODEL_UNGUARANTEED,
            _ => kinds::MODEL_UNKNOWN,
        };
        output::report(&kind.diagnostic(notice));
    }
}
