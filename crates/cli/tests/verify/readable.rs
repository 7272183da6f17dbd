//! The readable form of requests, and pinned parts.

use std::fs;

use crate::{SCENARIO, Team};

#[test]
fn a_readable_form_is_written_and_compared() {
    let team = Team::new();
    team.bless();
    let text = team.path().join(".aside/scenarios/first/request-1.txt");
    let written = fs::read_to_string(&text).unwrap();
    let line = |margin: &str, line: &str| format!("{margin:<28}| {line}\n");
    for expected in [
        line("CLAUDE.md", "# Team"),
        line("docs/style.md", "Short functions."),
        line("reminder tests", "<system-reminder>"),
        line("", "Run the tests."),
        "== system[0] type: text\n".to_owned(),
        "section intro               | You help".to_owned(),
        format!("{:<28}: \"cache_control\":{{\"type\":\"ephemeral\"}}\n", ""),
    ] {
        assert!(
            written.contains(&expected),
            "{expected:?} is not in: {written}"
        );
    }
    assert!(!written.contains(team.path().to_str().unwrap()));
    fs::write(&text, written.replace("Use tabs.", "Use spaces.")).unwrap();
    team.check(
        &[],
        1,
        &["request-1.txt is out of date", "1 scenario, 1 failed"],
    );
    fs::remove_file(&text).unwrap();
    team.check(&[], 1, &["request-1.txt is out of date"]);
    team.bless();
    assert_eq!(fs::read_to_string(&text).unwrap(), written);
}

#[test]
fn pinned_parts_alone_are_compared() {
    let team = Team::new();
    let pins = "pin: [instruction_files, reminders, settings, skills]";
    let scenario = SCENARIO.replace("turns:", &format!("{pins}\nturns:"));
    team.write(".aside/scenarios/first/scenario.yaml", &scenario);
    let skill = "---\nname: release\ndescription: Cuts a release.\n---\nx\n";
    team.write(".claude/skills/release/SKILL.md", skill);
    team.bless();
    let folder = team.path().join(".aside/scenarios/first");
    assert!(!folder.join("request-1.json").exists());
    let written = fs::read_to_string(folder.join("request-1.txt")).unwrap();
    for expected in [
        "release: Cuts a release.",
        "Use tabs.",
        "Run the tests.",
        "French",
    ] {
        assert!(
            written.contains(expected),
            "{expected:?} is not in: {written}"
        );
    }
    // Nothing of ours: neither the identity nor the prompt nor the user's text.
    for other in ["Explain the build", "== ", "/scenario"] {
        assert!(!written.contains(other), "{other:?} is in: {written}");
    }
    assert!(written.lines().count() < 20, "{written}");
    team.remind("Run all tests.");
    let expected = [
        " 1 request: first/request-1\n  line ",
        ", from reminder tests\n",
        "  - | Run the tests.\n  + | Run all tests.\n",
    ];
    team.check(&[], 1, &expected);
    team.bless();
    team.write("docs/style.md", "Long functions.\n");
    team.check(&[], 1, &[", from docs/style.md\n", "+ | Long functions."]);
}
