//! The sums of logs as a page for a browser. It needs no body: a bar for each request or
//! each day, and tables of causes, models, sessions and days.
//!
//! The page has no script, loads nothing, and has texts of a conversation only if its
//! options say so.

use aside_cache_model::Usage;
use aside_text::escape_markup as escape;

use super::row::Row;
use super::sums::{GroupBy, Sums, Totals};
use crate::html::{PageOptions, document};
use crate::text::{prices_of, thousands};
use crate::verdict_lines::difference_lines;

/// How many requests have bars of their own. A longer log has a bar for each day.
pub const MAX_CHART_ROWS: usize = 1_000;

/// How many groups a table has.
const MAX_GROUPS: usize = 50;

/// The size of the chart and of the part with bars, in pixels.
const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 90.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 172.0;

/// Returns the page of some logs. `rows` are those of all requests, or of some; with more
/// than [`MAX_CHART_ROWS`], the bars are days.
///
/// ```
/// use aside_inspect::PageOptions;
/// use aside_inspect::rows::{Sums, log_page};
///
/// let page = log_page(&Sums::default(), &[], &PageOptions::default());
/// assert!(page.contains("<title>Log of 0 requests</title>"));
/// ```
#[must_use]
pub fn log_page(sums: &Sums, rows: &[Row], options: &PageOptions) -> String {
    let all = &sums.all;
    let title = match all.requests {
        1 => "Log of 1 request".to_owned(),
        requests => format!("Log of {} requests", thousands(requests)),
    };
    let sections = [
        format!(
            "<header>\n<h1>{title}: {}, {} of it lost to cache misses</h1>\n",
            all.money(),
            all.lost_cost
        ),
        format!(
            "<p class=\"note\">The causes below and the rest of {} add up to the bill{}.{}</p>\n</header>\n<main>\n",
            all.unavoidable(),
            escape(&prices_of(all.prices_as_of)),
            unpriced(all)
        ),
        chart(sums, rows),
        causes(sums, options),
        groups(sums, GroupBy::Model, "By model"),
        groups(sums, GroupBy::Session, "Most expensive sessions"),
        groups(sums, GroupBy::Project, "By project"),
        groups(sums, GroupBy::Day, "By day (UTC)"),
        "</main>\n".to_owned(),
    ];
    document(&title, &sections.concat())
}

fn unpriced(all: &Totals) -> String {
    let note = |tokens: u64, text: &str| match tokens {
        0 => String::new(),
        tokens => format!(" {} tokens {text}.", thousands(tokens)),
    };
    note(all.unpriced_tokens, "are of models without a price")
        + &note(all.unknown_write, "may be cache writes, which cost more: the log does not say")
}

/// A bar of the chart.
struct Bar {
    usage: Usage,
    lost: u64,
    /// The start of its tooltip, and its label on the axis.
    name: String,
}

fn bars(sums: &Sums, rows: &[Row]) -> (&'static str, Vec<Bar>) {
    if rows.len() <= MAX_CHART_ROWS {
        // One log is read after the other.
        let mut rows: Vec<&Row> = rows.iter().collect();
        rows.sort_by_key(|row| row.at);
        let bars = rows.iter().map(|row| Bar {
            usage: row.usage,
            lost: row.lost_tokens,
            name: row.time().unwrap_or_else(|| format!("+{:.0} s", row.at.as_secs_f64())),
        });
        return ("Tokens of each request", bars.collect());
    }
    let days = sums.groups(GroupBy::Day).into_iter();
    let bars = days.map(|(name, totals)| Bar {
        usage: totals.usage,
        lost: totals.lost_tokens,
        name: name.to_owned(),
    });
    ("Tokens of each day", bars.collect())
}

fn chart(sums: &Sums, rows: &[Row]) -> String {
    let (heading, bars) = bars(sums, rows);
    let (Some(first), Some(last)) = (bars.first(), bars.last()) else {
        return String::new();
    };
    let input = bars.iter().map(|bar| bar.usage.input());
    let most = input.max().unwrap_or_default().max(1);
    let step = (WIDTH - LEFT) / bars.len() as f64;
    let mut out = format!(
        "<section>\n<h2>{heading}</h2>\n<p class=\"note\">From below: read from the cache, written to it, neither. ! is a cache miss.</p>\n<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{heading}\">\n"
    );
    for share in [0.0, 0.5, 1.0] {
        let y = BOTTOM - (BOTTOM - TOP) * share;
        let tokens = thousands((most as f64 * share) as u64);
        out += &format!(
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y}\" y2=\"{y}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{tokens}</text>\n",
            LEFT - 6.0,
            y + 4.0
        );
    }
    out += "<text x=\"0\" y=\"14\">tokens</text>\n";
    for (x, bar) in bars.iter().enumerate() {
        out += &drawn(bar, LEFT + step * x as f64, step, most);
    }
    out += &format!(
        "<text x=\"{LEFT}\" y=\"192\">{}</text><text x=\"{WIDTH}\" y=\"192\" text-anchor=\"end\">{}</text>\n</svg>\n</section>\n",
        escape(&first.name),
        escape(&last.name)
    );
    out
}

/// Returns a bar with its three parts on each other.
fn drawn(bar: &Bar, x: f64, step: f64, most: u64) -> String {
    let usage = &bar.usage;
    let parts = [("read", usage.read), ("written", usage.written()), ("plain", usage.uncached)];
    let mut out = format!("<g><title>{}", escape(&bar.name));
    for (name, tokens) in parts {
        out += &format!(", {} {name}", thousands(tokens));
    }
    out += "</title>";
    let (mut y, width) = (BOTTOM, (step * 0.9).min(48.0));
    for (name, tokens) in parts.into_iter().filter(|part| part.1 > 0) {
        let height = (BOTTOM - TOP) * tokens as f64 / most as f64;
        y -= height;
        out += &format!(
            "<rect class=\"{name}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\"/>"
        );
    }
    if bar.lost > 0 {
        out += &format!("<text class=\"lost\" x=\"{x:.2}\" y=\"{:.2}\">!</text>", y - 2.0);
    }
    out + "</g>\n"
}

fn causes(sums: &Sums, options: &PageOptions) -> String {
    let mut out = String::from(
        "<section>\n<h2>Money lost, by cause</h2>\n<table>\n<tr><th>cause</th><th>requests</th><th>tokens</th><th>lost</th></tr>\n",
    );
    for (name, totals) in sums.groups(GroupBy::Cause).into_iter().take(MAX_GROUPS) {
        let fix = totals.fix.filter(|_| totals.lost_tokens > 0);
        let fix = fix.map(|fix| format!("<br><span class=\"note\">fix: {}</span>", escape(fix)));
        let cell = escape(name) + &fix.unwrap_or_default() + &example(totals, options);
        out += &format!(
            "<tr><td>{cell}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            thousands(totals.requests),
            thousands(totals.lost_tokens),
            totals.lost_cost
        );
    }
    let (rest, cost) = (sums.all.unavoidable(), sums.all.cost);
    out += &format!(
        "<tr><td>rest</td><td></td><td></td><td>{rest}</td></tr>\n<tr><th>bill</th><th></th><th></th><th>{cost}</th></tr>\n</table>\n</section>\n"
    );
    out
}

/// Returns where the most expensive miss of a cause differs.
fn example(totals: &Totals, options: &PageOptions) -> String {
    let Some(difference) = &totals.example else {
        return String::new();
    };
    if options.has_texts {
        let lines = difference_lines(difference, true);
        return format!("<pre>{}</pre>", escape(&lines.join("\n")));
    }
    let (path, byte) = (escape(&difference.path), thousands(difference.value_offset as u64));
    format!("<br><span class=\"note\">at {path}, byte {byte}</span>")
}

fn groups(sums: &Sums, by: GroupBy, heading: &str) -> String {
    let mut out = format!(
        "<section>\n<h2>{heading}</h2>\n<table>\n<tr><th>{}</th><th>requests</th><th>read</th><th>written</th><th>plain</th><th>output</th><th>cost</th><th>lost</th></tr>\n",
        by.as_str()
    );
    let groups = sums.groups(by);
    for (name, totals) in groups.iter().take(MAX_GROUPS) {
        let usage = &totals.usage;
        let tokens = [usage.read, usage.written(), usage.uncached, usage.output].map(thousands);
        let cost = totals.money();
        out += &format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{cost}</td><td>{}</td></tr>\n",
            escape(name),
            thousands(totals.requests),
            tokens.join("</td><td>"),
            totals.lost_cost
        );
    }
    out += "</table>\n";
    if groups.len() > MAX_GROUPS {
        let more = thousands((groups.len() - MAX_GROUPS) as u64);
        out += &format!("<p class=\"note\">and {more} more</p>\n");
    }
    out + "</section>\n"
}

#[cfg(test)]
mod tests {
    use aside_request_logs::read;

    use super::*;
    use crate::rows::{RequestOptions, RequestReader, RowBuilder};

    #[test]
    fn the_axis_begins_with_the_first_request_of_all_logs() {
        let log = |day: u8| {
            format!(
                r#"{{"type":"assistant","sessionId":"{day}","timestamp":"2026-11-2{day}T00:00:00Z","message":{{"id":"{day}","model":"claude-haiku-4-5","usage":{{"input_tokens":9}}}}}}"#
            )
        };
        let mut reader = RequestReader::new(RequestOptions::default());
        let mut builder = RowBuilder::default();
        let mut rows = Vec::new();
        for log in [log(3), log(1)] {
            for exchange in read(log.as_bytes(), None) {
                let item = reader.read(exchange.unwrap()).unwrap();
                rows.extend(item.and_then(|item| builder.row(item)));
            }
        }
        let page = log_page(&Sums::default(), &rows, &PageOptions::default());
        let axis = page.find("y=\"192\">2026-11-21T").expect("the first");
        assert!(page[axis..].contains("text-anchor=\"end\">2026-11-23T"));
    }
}
