//! Each change belongs to the agent and the file that it comes from.

use std::fs;

use crate::support::git;
use crate::verify::{SCENARIO, Team};

const NO_CHANGE: &str = "### What the model sees\n\nNo agent sees a change in 1 scenario.\n";

impl Team {
    fn since(&self, revision: &str, arguments: &[&str]) -> String {
        let output = self.run(&[&["--review", revision], arguments].concat(), None);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Replaces the scenario.
    fn plan(&self, scenario: &str) {
        self.write(".aside/scenarios/first/scenario.yaml", scenario);
    }
}

#[test]
fn texts_that_an_agent_does_not_read_are_not_in_its_request() {
    let team = Team::new();
    team.plan(&SCENARIO.replace("turns:", "pin: [instruction_files]\nturns:"));
    team.write(".claude/output-styles/my.md", "Be terse.\n");
    team.write(".claude/settings.json", r#"{"outputStyle":"my","cache":{"prefix":"1h"}}"#);
    team.commit();
    fs::remove_file(team.path().join(".claude/settings.json")).unwrap();
    let definition = format!("---\nname: a\ndescription: {}\n---\nx\n", "Many words. ".repeat(50));
    team.write(".claude/skills/a/SKILL.md", &definition);
    team.write(".claude/agents/a.md", &definition);
    team.remind(&definition);
    assert_eq!(team.since("HEAD", &["--max-tokens-added", "0"]), NO_CHANGE);
    // What it reads is the only thing that is counted.
    team.write("docs/style.md", "Short functions. Short lines.\n");
    let printed = team.since("HEAD", &["--max-tokens-added", "20"]);
    assert_eq!(printed.matches("\n#### ").count(), 1, "{printed}");
    assert!(printed.contains("\n#### `docs/style.md`: about +"), "{printed}");
}

#[test]
fn a_skill_that_a_read_announces_is_pinned() {
    let team = Team::new();
    let scenario = SCENARIO.replace("- - user", "- - read: pk/x.ts\n    - user");
    let pins = "pin: [instruction_files, skills]\nturns:";
    team.plan(&scenario.replace("turns:", pins));
    team.write("pk/x.ts", "let x = 1;\n");
    let skill = |does: &str| {
        let text = format!("---\nname: lint\ndescription: {does}.\n---\nx\n");
        team.write("pk/.claude/skills/lint/SKILL.md", &text);
    };
    skill("Lints");
    team.bless();
    team.commit();
    skill("Lints all");
    let expected = ", from pk/.claude/skills/lint/SKILL.md\n  - | skill lint: Lints.\n";
    team.check(&[], 1, &[expected]);
    let printed = team.since("HEAD", &[]);
    assert!(printed.contains("\n#### `pk/.claude/skills/lint/SKILL.md`: "), "{printed}");
}

#[test]
fn a_submodule_has_its_files_in_both_revisions() {
    let library = tempfile::tempdir().unwrap();
    let commit = |text: &str, place: &std::path::Path| {
        fs::write(place.join("STYLE.md"), text).unwrap();
        git(place, &["add", "--all"]);
        git(place, &["commit", "--quiet", "--message", "x"]);
    };
    git(library.path(), &["init", "--quiet"]);
    commit("Shared rules.\n", library.path());
    let team = Team::new();
    let from = library.path().to_str().unwrap();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "shared"];
    team.git(&add);
    team.write("CLAUDE.md", "Use tabs.\n@shared/STYLE.md\n");
    team.commit();
    assert_eq!(team.since("HEAD", &[]), NO_CHANGE);
    commit("Other rules.\n", &team.path().join("shared"));
    team.commit();
    let printed = team.since("HEAD^", &[]);
    assert!(printed.contains("- Shared rules.\n+ Other rules.\n"), "{printed}");
    // A commit that is not in this clone.
    let absent = "a".repeat(40);
    team.git(&["update-index", "--cacheinfo", &format!("160000,{absent},shared")]);
    team.git(&["commit", "--quiet", "--message", "x"]);
    let note = format!("- `shared: the submodule's commit {absent} cannot be read: ");
    let printed = team.since("HEAD", &[]);
    assert!(printed.contains(&note), "{printed}");
}

/// Both revisions make the request, which this version no longer refuses.
#[test]
fn a_request_that_is_no_longer_refused_is_not_gone() {
    let team = Team::new();
    team.plan(&SCENARIO.replace("turns:", "refused: \"document: a reason\"\nturns:"));
    team.commit();
    assert_eq!(team.since("HEAD", &[]), NO_CHANGE);
}

/// Neither file has the lines of the other one, and none of a file that stays.
#[test]
fn a_file_in_place_of_another_one_has_its_own_lines() {
    let team = Team(tempfile::tempdir().unwrap());
    team.git(&["init", "--quiet"]);
    let plan = |agent| {
        team.plan(&format!("repository: ../../..\ninstructions: {agent}\nturns: [[user: x]]\n"));
    };
    let changes = |printed: &str| -> Vec<String> {
        let headings = printed.lines().filter_map(|it| it.strip_prefix("#### "));
        headings.map(|it| it.trim_end_matches(|c: char| c != '+' && c != '-').to_owned()).collect()
    };
    plan("codex");
    team.write("AGENTS.md", "Root agents.\n");
    team.commit();
    team.write("AGENTS.override.md", "Override.\n");
    let printed = team.since("HEAD", &[]);
    assert_eq!(
        changes(&printed),
        ["`AGENTS.md`: about -", "`instruction files`: about +", "`AGENTS.override.md`: about +"],
        "{printed}"
    );
    assert!(printed.contains("- Root agents.\n```"), "{printed}");
    team.git(&["clean", "--quiet", "-d", "--force"]);

    plan("claude:2.1.277");
    team.write("CLAUDE.md", "# Root\n\nUse tabs.\n@docs/style.md\n");
    team.write("docs/style.md", "Style.\n");
    team.write(".claude/rules/always.md", "Always rule.\n");
    team.commit();
    let path = |name: &str| team.path().join(name);
    fs::rename(path("CLAUDE.md"), path("Claude.md")).unwrap();
    let printed = team.since("HEAD", &[]);
    assert_eq!(
        changes(&printed),
        [
            "`CLAUDE.md`: about -",
            "`docs/style.md`: about -",
            "`instruction files`: about +",
            "`AGENTS.md`: about +"
        ],
        "{printed}"
    );
    assert!(!printed.contains("Always rule."), "{printed}");
    fs::rename(path("Claude.md"), path("CLAUDE.md")).unwrap();

    // Lines of one file around a blank one are one change each.
    team.write("CLAUDE.md", "# Team\n\nUse spaces.\n@docs/style.md\n");
    let printed = team.since("HEAD", &[]);
    assert_eq!(changes(&printed).len(), 2, "{printed}");
    assert!(printed.contains("- # Root\n+ # Team\n```"), "{printed}");
    assert!(printed.contains("- Use tabs.\n+ Use spaces.\n```"), "{printed}");
}
