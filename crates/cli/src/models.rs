//! `aside models`: the model catalogue, and warnings that other commands print
//! about a model.
//!
//! Without ids, `list` prints a table with all models; with ids, `facts` prints
//! every fact about each. The data come from `aside-models` and hold for the
//! day in `as_of`: nothing is looked up. When an id is not in the catalogue,
//! the exit code is 1, and known ids are still printed.

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

/// The largest file with figures to read, in bytes: eight times LiteLLM's map.
const MAX_FIGURES_BYTES: u64 = 32 * input::MIB;

/// The object that `--json` prints:
/// `{"as_of": "2026-11-21", "models": [{"id": "…"}]}`.
#[derive(Serialize)]
struct Catalogue<'a> {
    /// The day for which these facts hold.
    as_of: Date,
    /// All models, or those that the arguments name.
    models: Vec<&'a ModelFacts>,
}

/// Prints the models. For unknown ids, the error suggests the nearest id to
/// each.
pub(crate) fn run(arguments: &Models) -> Result<(), Failure> {
    let is_all = arguments.ids.is_empty();
    let found = arguments.ids.iter().map(|id| (id, find(id)));
    let (known, unknown): (Vec<_>, Vec<_>) = found.partition(|(_, found)| found.is_known());
    let models: Vec<&ModelFacts> = if is_all {
        aside_models::all().collect()
    } else {
        known.iter().map(|(_, found)| found.facts).collect()
    };
    if arguments.json {
        output::json(&Catalogue { as_of: AS_OF, models })?;
    } else if is_all {
        output::text(&list::table(&models, Paint::of_stdout()))?;
    } else {
        output::lines(&facts::all(&models, Paint::of_stdout())?)?;
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

/// The file with figures to lay over the catalogue. Set once, before the first
/// lookup.
static FIGURES: OnceLock<PathBuf> = OnceLock::new();

/// Lays a file's figures over the catalogue: rows, or LiteLLM's map, which is
/// an object. The first file takes precedence: the flag's over the one in the
/// settings.
///
/// # Errors
/// Fails when the file cannot be read, with the line and the value at fault.
pub(crate) fn lay_over(file: &Path) -> anyhow::Result<()> {
    if FIGURES.set(file.to_owned()).is_err() {
        return Ok(());
    }
    let text = input::text(file, MAX_FIGURES_BYTES)?;
    let figures = if text.trim_start().starts_with('{') {
        litellm(&text, modified(file))
    } else {
        Figures::parse(&text).map_err(Into::into)
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

/// Returns the day when a file was written, or today when it has no time.
fn modified(file: &Path) -> Date {
    let metadata = std::fs::metadata(file).and_then(|it| it.modified());
    let day = aside_host::date_of(metadata.unwrap_or_else(|_| SystemTime::now()));
    Date::parse(&day).expect("a date of the calendar")
}

/// Warns when a model is unknown, retired or about to retire on the session's
/// date.
///
/// Prints nothing for a model without such a notice. The id is resolved as the
/// provider would get it.
pub(crate) fn warn(config: &SessionConfig, selection: &ProviderSelection) {
    let provider = selection.provider();
    let model = selection.options(None).models.resolve(provider, &config.model);
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
