//! The documentation's rule table follows from the code.

use std::fmt::Write;
use std::path::Path;

use aside_rules::RULES;

const BEGIN: &str = "<!-- rules -->\n";

fn table() -> String {
    let mut text =
        String::from("\n| id | wire | level | expected | source |\n|---|---|---|---|---|\n");
    for rule in RULES {
        for on in rule.wires() {
            let expected = on.expected.replace('|', "\\|");
            let (id, wire, level, source) = (rule.id, on.wire, on.level, on.source);
            let level =
                if rule.is_of_conversions(wire) { format!("{level}*") } else { level.to_string() };
            writeln!(text, "| `{id}` | {wire} | {level} | {expected} | {source} |").unwrap();
        }
    }
    text
}

/// Run with `ASIDE_BLESS_DOCS=1` to write the table.
#[test]
fn the_documentation_lists_every_rule() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let (intro, listed) = written.split_once(BEGIN).unwrap();
    let table = table();
    if std::env::var_os("ASIDE_BLESS_DOCS").is_some() {
        std::fs::write(&path, format!("{intro}{BEGIN}{table}")).unwrap();
        return;
    }
    let command = "docs/rules.md is stale: run this test with ASIDE_BLESS_DOCS=1";
    assert_eq!(listed, table, "{command}");
}
