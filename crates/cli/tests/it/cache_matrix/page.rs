//! The page `docs/cache-matrix.md`, generated from the test data.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::cache_matrix::session::Wire;
use crate::cache_matrix::{Cell, Fault};

const HEAD: &str = "\
# What the commands report about the cache

You have a log, two bodies, an agent behind the proxy, or a test against `aside serve`: for the faults of this table, the commands report the same. A test holds each fault on every wire, in a session of four requests. A cell names the cause, the path of the first changed byte and its offset in the value; the lost tokens are equal, too.

The commands are `aside diff`, `cache explain`, `cache lint` (the rule in brackets), `context`, `proxy` (its live line, `--deny miss`) and `serve` (report, JUnit, exit code). OpenAI's model is GPT-5.5, but for the rows about GPT-5.6 and GPT-6.2, whose caches have other rules.

Your log needs no session ids: the commands find the request that another one continues by its content. A conversation that the request contains as a whole comes first, then equal tools and an equal system prompt, then the longest common conversation. Ids of responses and calls link what was rewritten. A request that shares neither tools nor system prompt, and that no id links, begins a session.

";

pub(crate) fn page(wires: &[Wire], faults: &[Fault]) -> String {
    let mut page = HEAD.to_owned();
    page.push_str("| fault |");
    for wire in wires {
        write!(page, " {} |", wire.wire).unwrap();
    }
    page.push_str("\n|---|");
    page.push_str(&"---|".repeat(wires.len()));
    page.push('\n');
    for fault in faults {
        write!(page, "| {} |", fault.fault).unwrap();
        for wire in wires {
            write!(page, " {} |", cell(&fault.cells[&wire.wire])).unwrap();
        }
        page.push('\n');
    }
    for fault in faults {
        page.push_str(&silent(&fault.fault, &fault.silent));
        for wire in wires {
            let name = format!("{} on {}", fault.fault, wire.wire);
            page.push_str(&silent(&name, &fault.cells[&wire.wire].silent));
        }
    }
    page
}

/// Lists the commands that do not report a fault, if there are any.
fn silent(fault: &str, commands: &BTreeMap<String, String>) -> String {
    if commands.is_empty() {
        return String::new();
    }
    let mut list = format!("\nCommands that do not report {fault}:\n\n");
    for (command, reason) in commands {
        writeln!(list, "- `{command}`: {reason}.").unwrap();
    }
    list
}

fn cell(cell: &Cell) -> String {
    if let Some(reason) = &cell.absent {
        return format!("– ({reason})");
    }
    let rule = cell.lint.iter().map(|it| format!(" (`{it}`)"));
    let rule: String = rule.collect();
    if let Some(reason) = &cell.kept {
        return format!("no miss: {reason}{rule}");
    }
    let cause = cell.cause.as_deref().or(cell.detail.as_deref());
    let mut text = match cause.unwrap_or_default() {
        "lifetime_unknown" => "probably expired: the provider states no lifetime".to_owned(),
        cause => cause.replace('_', " "),
    };
    if let (Some(path), Some(byte)) = (&cell.path, cell.byte) {
        write!(text, ", `{path}`, byte {byte}").unwrap();
    }
    text + &rule
}

/// Compares the page to the one in docs, or writes it.
pub(crate) fn check(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cache-matrix.md");
    if std::env::var_os("ASIDE_BLESS_DOCS").is_some() {
        std::fs::write(&path, page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(written, page, "run ASIDE_BLESS_DOCS=1 cargo test -p aside --test it cache_matrix");
}
