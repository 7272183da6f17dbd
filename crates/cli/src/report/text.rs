//! The report as text.

use aside_cache_model::{Cost, CostFinding, Difference};
use aside_inspect::rows::{GroupBy, Sums};
use aside_inspect::{difference_lines, money as money_of, prices_of, thousands};
use aside_request_logs::day;
use aside_text::{cut, cut_start, one_line};
use uuid::Uuid;

use super::home::Source;
use crate::arguments::Report;
use crate::count::count;
use crate::screen;

/// How many sessions to show on the first screen.
const MAX_SESSIONS: usize = 5;

/// How many causes and models to show.
const MAX_GROUPS: usize = 8;

/// How many days to show as bars.
const MAX_DAYS: usize = 14;

/// How wide the longest bar is, in columns.
const BAR_COLUMNS: u64 = 40;

pub(super) fn screen(
    sources: &[Source],
    sums: &Sums,
    spending: &[CostFinding],
    arguments: &Report,
) -> String {
    let mut out = read_sources(sources);
    let all = &sums.all;
    if all.requests == 0 {
        out += match arguments.since {
            _ if arguments.project.is_some() => "no request in these projects\n",
            Some(_) => "no request in this time\n",
            None if arguments.log.is_empty() => {
                "no sessions found; pass a log, or record one: aside proxy --help\n"
            }
            None if arguments.agent.is_some() => "no request of this agent\n",
            None => "no request to show\n",
        };
        return out;
    }
    out += &bill(sums);
    out += &losses(sums, arguments);
    out += &spent(spending);
    out += &sessions(sums);
    out += &days(sums);
    out
}

fn read_sources(sources: &[Source]) -> String {
    if sources.is_empty() {
        return String::new();
    }
    let mut out = String::from("read\n");
    for source in sources {
        let agent = source.agent.unwrap_or("-");
        let counts = match source.format {
            "database" => "not read".to_owned(),
            _ => {
                let sessions = count(source.sessions as u64, "session", "sessions");
                let requests = count(source.requests as u64, "request", "requests");
                format!("{sessions}, {requests}")
            }
        };
        let (path, format) = (one_line(&source.path), source.format);
        out += &line(&format!("  {agent:<12}{format:<11} {counts:<28} {path}"));
    }
    out.push('\n');
    out
}

fn bill(sums: &Sums) -> String {
    let all = &sums.all;
    let days = [all.begin, all.end].map(|it| it.and_then(day));
    let span = match days {
        [Some(from), Some(to)] if from == to => format!(", {from}"),
        [Some(from), Some(to)] => format!(", {from} to {to}"),
        _ => String::new(),
    };
    let failed = match all.failed {
        0 => String::new(),
        failed => format!(" ({} failed)", thousands(failed)),
    };
    let requests = count(all.requests, "request", "requests");
    let mut out = format!("bill {}: {requests}{failed}{span}\n", all.money());
    out += &line(&format!(
        "  {:<22}{:>10}{:>12}{:>11}{:>11}{:>11}",
        "model", "cost", "read", "written", "plain", "output"
    ));
    let models = sums.groups(GroupBy::Model);
    // A failed request has no model, and costs nothing.
    let billed: Vec<_> = models.iter().filter(|it| it.1.usage.total() > 0).collect();
    for (name, it) in billed.iter().take(MAX_GROUPS) {
        let usage = &it.usage;
        out += &line(&format!(
            "  {:<22}{:>10}{:>12}{:>11}{:>11}{:>11}",
            cut_start(name, 22),
            it.money(),
            column(usage.read),
            column(usage.written()),
            column(usage.uncached),
            column(usage.output)
        ));
    }
    out += &more(billed.len(), "model");
    if all.unpriced_tokens > 0 {
        let tokens = thousands(all.unpriced_tokens);
        out += &format!("  no price: {tokens} tokens of models with - or +; see --models\n");
    }
    if all.predicted > 0 {
        let requests = count(all.predicted, "request", "requests");
        out += &format!("  {requests} without usage: input predicted, output unknown\n");
    }
    if all.unknown_write > 0 {
        let tokens = thousands(all.unknown_write);
        out +=
            &format!("  + {tokens} tokens may be cache writes, which cost more: not in the log\n");
    }
    out += &format!("  {}\n\n", prices_of(all.prices_as_of).trim_matches([' ', '(', ')']));
    out
}

/// Returns a line for the groups that are not shown.
fn more(number: usize, by: &str) -> String {
    match number.saturating_sub(MAX_GROUPS) {
        0 => String::new(),
        1 => format!("  and another {by}: --by {by}\n"),
        rest => format!("  and {rest} other {by}s: --by {by}\n"),
    }
}

/// Formats tokens for a column of 11: in millions where all digits would fill it.
fn column(tokens: u64) -> String {
    let text = thousands(tokens);
    if text.len() < 11 { text } else { format!("{} M", thousands(tokens / 1_000_000)) }
}

fn losses(sums: &Sums, arguments: &Report) -> String {
    let all = &sums.all;
    let share = percent(all.lost_cost, all.cost);
    let lost = all.lost_cost;
    let mut out = match all.unpriced_lost_tokens {
        0 => {
            let rest = all.unavoidable();
            format!("lost {lost} to cache misses{share}; the rest is {rest}\n")
        }
        tokens => {
            let tokens = thousands(tokens);
            format!("lost {lost} to cache misses, and {tokens} tokens that have no price\n")
        }
    };
    let causes = sums.groups(GroupBy::Cause);
    for (name, it) in causes.iter().take(MAX_GROUPS) {
        let requests = count(it.requests, "request", "requests");
        let tokens = match it.lost_tokens {
            0 => "no miss".to_owned(),
            tokens => format!("{} tokens", thousands(tokens)),
        };
        let cost = match it.lost_cost {
            Cost::ZERO if it.unpriced_lost_tokens > 0 => "-".to_owned(),
            cost => cost.to_string(),
        };
        out += &line(&format!("  {cost:<9}  {name}: {requests}, {tokens}"));
        if let Some(fix) = it.fix.filter(|_| it.lost_tokens > 0) {
            out += &line(&format!("             fix: {fix}"));
        }
        if let Some(example) = &it.example {
            out += &difference(example, arguments);
        }
    }
    out += &more(causes.len(), "cause");
    out.push('\n');
    out
}

/// Returns where a cause's most expensive miss is, and its texts for `--text`.
fn difference(difference: &Difference, arguments: &Report) -> String {
    if arguments.text {
        let lines = difference_lines(difference, true).into_iter();
        return lines.map(|text| format!("             {}\n", one_line(&text))).collect();
    }
    let (path, byte) = (one_line(&difference.path), thousands(difference.value_offset as u64));
    line(&format!("             at {path}, byte {byte}"))
}

/// Returns what requests with bodies paid without a miss. A request may pay for
/// several of these.
fn spent(spending: &[CostFinding]) -> String {
    if spending.is_empty() {
        return String::new();
    }
    let mut out = String::from("paid without a miss\n");
    for found in spending {
        let requests = count(found.requests as u64, "request", "requests");
        let tokens = thousands(found.lost_tokens);
        out += &line(&format!(
            "  {:<9}  {}: {requests}, {tokens} tokens",
            money_of(found.lost_cost),
            found.rule
        ));
        out += &line(&format!("             fix: {}", found.fix));
    }
    out.push('\n');
    out
}

fn sessions(sums: &Sums) -> String {
    let mut out = String::from("most expensive sessions\n");
    for (name, it) in sums.groups(GroupBy::Session).into_iter().take(MAX_SESSIONS) {
        let (agent, project) = (it.agent.unwrap_or("-"), it.project.as_deref());
        let day = it.begin.and_then(day).unwrap_or_default();
        out += &line(&format!(
            "  {:<9}  {day:<10}  {agent:<11}  {:<8}  {}",
            it.money(),
            short_name(name),
            cut_start(project.unwrap_or("-"), 32)
        ));
    }
    out.push('\n');
    out
}

/// Returns eight characters of a session's name: the first, or the last if it begins with a time, as
/// a record's and a UUID of version 7 do.
fn short_name(name: &str) -> String {
    let time = name.split_once('-').map_or("", |it| it.0);
    let is_record = time.len() >= 10 && time.bytes().all(|it| it.is_ascii_digit());
    let is_by_time = is_record || Uuid::parse_str(name).is_ok_and(|it| it.get_version_num() == 7);
    let from = if is_by_time { name.chars().count().saturating_sub(8) } else { 0 };
    name.chars().skip(from).take(8).collect()
}

fn days(sums: &Sums) -> String {
    let mut days = sums.groups(GroupBy::Day);
    // A log with its own times has no days.
    days.retain(|it| it.0 != "unknown");
    let shown = &days[days.len().saturating_sub(MAX_DAYS)..];
    let most = shown.iter().map(|it| it.1.cost).max().unwrap_or_default();
    if shown.is_empty() {
        return String::new();
    }
    let mut out = String::from("days (UTC)\n");
    for (name, it) in shown {
        let cost = u128::from(it.cost.nanodollars());
        let most = u128::from(most.nanodollars().max(1));
        let columns = cost * u128::from(BAR_COLUMNS) / most;
        let bar = "█".repeat(usize::try_from(columns).unwrap_or_default());
        out += &line(&format!("  {name:<10}  {:>9}  {bar}", it.money()));
    }
    out
}

pub(super) fn table(sums: &Sums, by: GroupBy) -> String {
    let mut out = line(&format!(
        "{:<24}{:>8}{:>10}{:>10}{:>14}{:>13}",
        by.as_str(),
        "requests",
        "cost",
        "lost",
        "input",
        "output"
    ));
    for (name, it) in sums.groups(by) {
        out += &line(&format!(
            "{:<24}{:>8}{:>10}{:>10}{:>14}{:>13}",
            cut_start(name, 23),
            thousands(it.requests),
            it.money(),
            it.lost_cost.to_string(),
            thousands(it.usage.input()),
            thousands(it.usage.output)
        ));
    }
    out
}

fn percent(part: Cost, whole: Cost) -> String {
    match whole.nanodollars() {
        0 => String::new(),
        whole => {
            let share = part.nanodollars() as f64 / whole as f64;
            format!(" ({:.0} % of the bill)", share * 100.0)
        }
    }
}

/// Returns a line without trailing spaces, cut to the screen.
fn line(text: &str) -> String {
    cut(text.trim_end(), screen::width()).into_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_stays_a_column() {
        let texts = [99_999_999, 100_000_000, 2_345_678_901].map(column);
        assert_eq!(texts, ["99,999,999", "100 M", "2,345 M"]);
    }

    #[test]
    fn sessions_of_one_record_have_different_names() {
        let names = ["1795899004-5f64a24e-0001", "1795899004-5f64a24e-0012"].map(short_name);
        assert_eq!(names, ["24e-0001", "24e-0012"]);
        assert_eq!(short_name("5a6e1c9e-0000-4000-8000-000000000000"), "5a6e1c9e");
        assert_eq!(short_name("019aaf3c-1b2d-7000-8000-0123456789ab"), "456789ab");
        assert_eq!(short_name("s1"), "s1");
    }
}
