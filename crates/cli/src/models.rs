//! `aside models`: the catalogue of models, and the warnings about a model that other
//! commands print.
//!
//! Without ids, `list` prints a table of all models; with ids, `facts` prints every fact
//! of each. The data are those of `aside-models` and of the day that `as_of` names:
//! nothing is looked up. Exit code 1 if an id is not in the catalogue; the known ones are
//! printed nevertheless.

mod facts;
mod list;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use anyhow::{Context, anyhow};
use aside_host::ProviderSelection;
use aside_models::{AS_OF, Date, Figures, ModelFacts, Notice, NoticeKind, find};
use aside_session::SessionConfig;
use aside_user_files::nearest;
use serde::Serialize;

use crate::Failure;
use crate::arguments::Models;
use crate::count::count;
use crate::input;
use crate::kinds;
use crate::output;
use crate::paint::Paint;

/// The maximum length of a file of figures, in bytes: eight times that of LiteLLM's map.
const MAX_FIGURES_BYTES: u64 = 32 * input::MIB;

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
        let paint = Paint::of_stdout();
        if is_all {
            output::text(&list::table(&models, paint))?;
        } else {
            output::lines(&facts::all(&models, paint)?)?;
        }
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

/// The file whose figures are laid over the catalogue. It is set once, before the first lookup.
static FIGURES: OnceLock<PathBuf> = OnceLock::new();

/// Lays the figures of a file over the catalogue: rows of figures, or LiteLLM's map, which is an
/// object. The first file has precedence: that of the flag over that of the settings.
///
/// # Errors
/// Fails if the file cannot be read, with the line and the value at fault.
pub(crate) fn lay_over(file: &Path) -> anyhow::Result<()> {
    if FIGURES.set(file.to_owned()).is_err() {
        return Ok(());
    }
    let text = input::text(file, MAX_FIGURES_BYTES)?;
    let figures = match text.trim_start().starts_with('{') {
        true => litellm(&text, modified(file)),
        false => Figures::parse(&text).map_err(Into::into),
    };
    let failed = || format!("failed to read {}", file.display());
    let figures = figures.with_context(failed)?;
    output::detail(|| {
        let models = count(figures.ids().count() as u64, "model", "models");
        format!("figures of {models}: {}", file.display())
    });
    Ok(aside_models::overlay(&figures)?)
}

fn litellm(text: &str, date: Date) -> anyhow::Result<Figures> {
    let mut map = serde_json::Deserializer::from_str(text);
    let figures = Figures::from_litellm(&mut map, date)?;
    map.end()?;
    Ok(figures)
}

/// Returns the day on which a file was written, or today for one that has no time.
fn modified(file: &Path) -> Date {
    let metadata = std::fs::metadata(file).and_then(|it| it.modified());
    let day = aside_host::date_of(metadata.unwrap_or_else(|_| SystemTime::now()));
    Date::parse(&day).expect("a date of the calendar")
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
