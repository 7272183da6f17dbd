//! `aside report --watch`: one line per request in the newest session.
//!
//! This reads the session again when it grows. Agents write a response several
//! times while it arrives, so it is printed once two readings agree.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::anyhow;
use aside_inspect::rows::{Row, RowBuilder};
use aside_inspect::{money, thousands};
use aside_request_logs::{Format, rfc3339};
use aside_user_files::open::list_inputs;

use super::home::Home;
use crate::Failure;
use crate::arguments::Report;
use crate::logs::Logs;
use crate::output;

/// How long to wait between two readings.
const PAUSE: Duration = Duration::from_millis(500);

/// Follows the newest session until a signal ends the program.
///
/// # Errors
/// Fails when there is no session, or when it cannot be read.
pub(super) fn run(arguments: &Report, home: &Home) -> Result<(), Failure> {
    let paths = if arguments.log.is_empty() {
        home.directories(arguments.agent)
    } else {
        arguments.log.clone()
    };
    let Some(path) = newest(&paths) else {
        return Err(anyhow!("no session found").into());
    };
    output::progress("watching", &path.display().to_string());
    let format = arguments.format;
    let format = format.or(arguments.log.is_empty().then_some(Format::Transcript));
    let (mut printed, mut before, mut length) = (0, Vec::new(), None);
    loop {
        let now = fs::metadata(&path).map(|it| it.len()).ok();
        let rows = if now == length { before.clone() } else { read(&path, format)? };
        length = now;
        let same = rows.iter().zip(&before).take_while(|(a, b)| a == b).count();
        for row in rows.iter().take(same).skip(printed) {
            output::lines(&line(row))?;
        }
        printed = printed.max(same);
        before = rows;
        thread::sleep(PAUSE);
    }
}

/// Returns the session that was written last.
fn newest(paths: &[PathBuf]) -> Option<PathBuf> {
    let is_session = |it: &Path| it.extension().is_some_and(|it| it == "jsonl");
    let files = list_inputs(paths, is_session).files;
    let time = |it: &PathBuf| -> Option<SystemTime> { fs::metadata(it).ok()?.modified().ok() };
    files.into_iter().max_by_key(|it| time(it))
}

fn read(path: &Path, format: Option<Format>) -> Result<Vec<Row>, Failure> {
    let logs = Logs { may_be_empty: true, paths: vec![path.to_owned()], format, ..Logs::default() };
    let (mut builder, mut rows) = (RowBuilder::default(), Vec::new());
    logs.each(&mut |item| {
        rows.extend(builder.row(item));
        Ok(())
    })?;
    Ok(rows)
}

/// Returns a request's line, such as
/// `06:29:05  claude-opus-5-5  9,000 read, …`.
fn line(row: &Row) -> String {
    let time = rfc3339(row.at).unwrap_or_default();
    let time = time.get(11..19).unwrap_or("-").to_owned();
    let model = row.model.as_deref().unwrap_or("-");
    if row.is_failed() {
        let status = row.status.map_or_else(String::new, |it| format!(" {it}"));
        let error = row.error.as_deref().unwrap_or_default();
        return format!("{time}  failed{status} {error}\n");
    }
    let usage = &row.usage;
    let mut line = format!(
        "{time}  {model}  {} read, {} written, {} plain, {} output  {}",
        thousands(usage.read),
        thousands(usage.written()),
        thousands(usage.uncached),
        thousands(usage.output),
        money(row.cost)
    );
    if let Some(cause) = &row.cause {
        line += &format!("  {}", cause.name);
        if row.lost_tokens > 0 {
            line += &format!(", {} lost", money(row.lost_cost));
        }
    }
    line + "\n"
}
