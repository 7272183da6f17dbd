//! Rules that wait for a path, in scenarios that came before them.

use std::fs;

use crate::verify::Team;
use crate::verify::init::aside;

const READ: &str = "read: \"src/a.ts\"\n";
const NOT_READ: &str =
    ".claude/rules/toml.md: scenario root reads no file of its paths (add `- read: src/b.toml`)";

/// Returns a repository whose only scenario came before two of its rules.
fn team() -> Team {
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
    team
}

/// A scenario that is kept does not read the files of rules that came later.
#[test]
fn a_rule_that_no_scenario_loads_is_named() {
    let team = team();
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
        &[NOT_READ, waits],
        "aside: warning: .claude/rules/toml.md: no scenario reads a file of this rule's paths (aside init names one)\n",
        "**New files without a scenario**: `.claude/rules/toml.md`.\n",
    );
    let path = team.path().join(".aside/scenarios/root/scenario.yaml");
    let scenario = fs::read_to_string(&path).unwrap();
    assert!(scenario.contains(READ), "{scenario}");
    let both = format!("{READ}    - read: src/b.toml\n");
    fs::write(&path, scenario.replace(READ, &both)).unwrap();
    team.run(&["--bless"], None);
    check(&[waits], "", "");
}

/// No scenario starts there, so none can read their files.
#[test]
fn rules_of_another_repository_are_not_named() {
    let team = team();
    let stderr = || String::from_utf8(team.run(&[], None).stderr).unwrap();
    let before = stderr();
    team.write("vendor/lib/.claude/rules/ts.md", "---\npaths: \"**/*.ts\"\n---\nNo any.\n");
    team.write("vendor/lib/a.ts", "x");
    let lib = "vendor/lib";
    team.git(&["init", "--quiet", lib]);
    team.git(&["-C", lib, "add", "--all"]);
    assert_eq!(stderr(), before);
}

/// `aside init` does not write the scenario, but its texts are compared, too.
#[test]
fn a_rule_that_your_own_scenario_loads_is_not_named() {
    let team = team();
    let planned = team.path().join(".aside/scenarios/root/scenario.yaml");
    let planned = fs::read_to_string(planned).unwrap();
    let check = |scenario: &str, omitted: Option<&str>| {
        team.write(".aside/scenarios/mine/scenario.yaml", scenario);
        let printed = aside(team.path(), "", &["init", "--json"]).stdout;
        let printed: serde_json::Value = serde_json::from_slice(&printed).unwrap();
        let lines = printed["not_pinned"].as_array().unwrap().iter();
        let line =
            lines.filter_map(|it| it.as_str()).find(|it| it.starts_with(".claude/rules/toml.md"));
        assert_eq!(line, omitted, "{scenario}");
        let pinned = printed["pinned"].as_array().unwrap();
        let is_pinned = pinned.iter().any(|it| it == ".claude/rules/toml.md");
        assert_eq!(is_pinned, omitted != Some(NOT_READ), "{scenario}");
    };
    check(&planned, Some(NOT_READ));
    let mine = planned.replace(READ, "read: src/b.toml\n");
    check(&mine, None);
    let agent = "instructions: claude:2.1.277\n";
    assert!(mine.contains(agent), "{mine}");
    let other = NOT_READ.replace(": scenario", ": not compared for claude:2.1.277: scenario");
    check(&mine.replace(agent, "instructions: claude:2.1.276\n"), Some(&other));
    check("turns: 1\n", Some(NOT_READ));
    // Its own files have the same names as those of the repository.
    for path in [".claude/rules/toml.md", "src/b.toml"] {
        let text = fs::read_to_string(team.path().join(path)).unwrap();
        team.write(&format!(".aside/scenarios/mine/tree/project/{path}"), &text);
    }
    check(&mine.replace("repository: ../../..\n", ""), Some(NOT_READ));
}
