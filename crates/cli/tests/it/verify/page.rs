//! `docs/verify.md` shows what `aside init` prints.

use std::fs;

use super::init::aside;
use crate::support::git;

const PAGE: &str = include_str!("../../../../../docs/verify.md");

#[test]
fn the_page_shows_what_init_prints() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    for (path, text) in [
        (".codex/config.toml", ""),
        (".claude/rules/py.md", "---\npaths: \"**/*.py\"\n---\nUse tabs.\n"),
        (".claude/rules/ts.md", "---\npaths: \"**/*.ts\"\n---\nUse tabs.\n"),
        (".claude/skills/a/SKILL.md", "---\nname: a\ndescription: b\n---\nc\n"),
        (".github/workflows/ci.yml", "on: push\n"),
        ("AGENTS.md", "Use spaces.\n"),
        ("CLAUDE.md", "Use tabs.\n"),
        ("docs/claude.md", "Use tabs.\n"),
        ("packages/web/CLAUDE.md", "Use tabs.\n"),
        ("src/a.ts", "x\n"),
    ] {
        let path = home.join("shop").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    git(&home.join("shop"), &["init", "--quiet"]);
    let printed = String::from_utf8(aside(&home, "shop", &["init"]).stdout).unwrap();
    let start = "```text\n/home/alex/shop\n";
    let block = PAGE.split_once(start).and_then(|(_, rest)| rest.split_once("```")).unwrap().0;
    assert_eq!(printed, format!("{}\n{block}", home.join("shop").display()));
}
