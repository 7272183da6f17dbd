//! Rules that wait for a path, in scenarios that came before them.

use std::fs;

use crate::verify::Team;
use crate::verify::init::aside;

/// A scenario that is kept does not read the files of rules that came later.
#[test]
fn a_rule_that_no_scenario_loads_is_named() {
    let team = Team(tempfile::tempdir().unwrap());
    team.git(&["init", "--quiet"]);
    let rule = |name: &str| {
        let text = format!("---\npaths: \"**/*.{name}\"\n---\nRule.\n");
        team.write(&format!(".claude/rules/{name}.md"), &text);
    };
    for path in ["CLAUDE.md", "src/a.ts", "src/b.toml"] {
        team.write(path, "x\n");
    }
    rule("ts");
    aside(team.path(), "", &["init"]);
    team.run(&["--bless"], None);
    team.commit();
    rule("toml");
    // No file has this name.
    rule("py");
    let check = |omitted: &[&str], warning: &str, review: &str| {
        let printed = aside(team.path(), "", &["init", "--json"]).stdout;
        let printed: serde_json::Value = serde_json::from_slice(&printed).unwrap();
        assert_eq!(printed["not_pinned"], serde_json::json!(omitted));
        assert_eq!(String::from_utf8(team.run(&[], None).stderr).unwrap(), warning);
        let printed = String::from_utf8(team.run(&["--review", "HEAD"], None).stdout).unwrap();
        assert!(printed.ends_with(review), "{printed}");
    };
    let waits = ".claude/rules/py.md: rule that waits for a path: **/*.py";
    check(
        &[
            ".claude/rules/toml.md: scenario root reads no file of its paths (add `- read: src/b.toml`)",
            waits,
        ],
        "aside: warning: .claude/rules/toml.md: no scenario reads a file of this rule's paths (aside init names one)\n",
        "**New files without a scenario**: `.claude/rules/toml.md`.\n",
    );
    let path = team.path().join(".aside/scenarios/root/scenario.yaml");
    let scenario = fs::read_to_string(&path).unwrap();
    let read = "read: \"src/a.ts\"\n";
    assert!(scenario.contains(read), "{scenario}");
    let both = format!("{read}    - read: src/b.toml\n");
    fs::write(&path, scenario.replace(read, &both)).unwrap();
    team.run(&["--bless"], None);
    check(&[waits], "", "");
}
