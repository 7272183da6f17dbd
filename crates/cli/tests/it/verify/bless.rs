//! `aside verify --bless`: what it writes, and what it leaves alone.

use std::fs;

#[cfg(unix)]
use crate::verify::limited;
use crate::verify::{SCENARIO, SCENARIOS, Team};

#[test]
fn blessing_is_refused_in_ci() {
    let team = Team::new();
    let output = team.run(&[SCENARIOS, "--bless"], Some("1"));
    assert_eq!(output.status.code(), Some(2));
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("CI is set"), "{printed}");
    let written = team.path().join(".aside/scenarios/first/request-1.json");
    assert!(!written.exists());
}

#[test]
fn blessing_is_suggested_if_it_helps() {
    let check = |scenario: &str, helps: bool, expected: &str| {
        let team = Team::new();
        team.write(".aside/scenarios/first/scenario.yaml", scenario);
        team.check(&[SCENARIOS], 1, &["1 scenario, 1 failed", expected]);
        let printed = String::from_utf8(team.run(&[SCENARIOS], None).stderr).unwrap();
        assert_eq!(printed.contains("--bless"), helps, "{printed}");
        assert!(!printed.contains("no instruction file"), "{printed}");
    };
    check(SCENARIO, true, "request-1.json is missing");
    check("turns: [", false, "scenario.yaml:1: ");
    let turns = "repository: ../../..\nturns: []\n";
    check(turns, false, "the scenario has no turns");
    let pins = SCENARIO.replace("turns:", "pin: []\nturns:");
    check(&pins, false, "`pin` is empty, so nothing is compared");
    check("extends: ../first\n", false, "expected the name of a scenario");
    check("extends: nowhere\n", false, "failed to read");
    let both = format!("{SCENARIO}resets: {{1: tools}}\n");
    check(&both, false, "resets the prefix for no reason, expected tools");
    let deep = format!("turns: {}", "[".repeat(50_000));
    check(&deep, false, "scenario.yaml:1: expected at most 1000 brackets");
}

#[cfg(unix)]
#[test]
fn no_link_is_followed() {
    use std::os::unix::fs::symlink;

    let victim = "not a request";
    let folder = ".aside/scenarios/first";
    let check = |link: &str, target: &str, expected: &str| {
        let team = Team::new();
        team.write("victim/request-1.json", victim);
        team.write("victim/scenario.yaml", SCENARIO);
        let link = team.path().join(link);
        let _ = fs::remove_file(&link).or_else(|_| fs::remove_dir_all(&link));
        symlink(team.path().join(target), &link).unwrap();
        team.check(&[SCENARIOS, "--bless"], 1, &[expected]);
        team.check(&[SCENARIOS], 1, &[expected]);
        let printed = String::from_utf8(team.run(&[SCENARIOS], None).stderr).unwrap();
        assert!(!printed.contains("--bless"), "{printed}");
        let now = fs::read_to_string(team.path().join("victim/request-1.json")).unwrap();
        assert_eq!(now, victim);
        assert!(fs::symlink_metadata(link).unwrap().is_symlink());
    };
    let file = "request-1.json: expected a file, found a link";
    let request = format!("{folder}/request-1.json");
    check(&request, "victim/request-1.json", file);
    check(&request, "victim/absent.json", file);
    check(folder, "victim", "first: expected a folder, found a link");
    let scenario = "scenario.yaml: expected a file, found a link";
    check(&format!("{folder}/scenario.yaml"), "victim/scenario.yaml", scenario);
    let tree = "tree: expected a folder, found a link";
    check(&format!("{folder}/tree"), "docs", tree);
}

/// This prints a new request, so a folder elsewhere must not be played.
#[cfg(unix)]
#[test]
fn the_folder_of_the_scenarios_is_no_link_to_elsewhere() {
    let (team, other) = (Team::new(), Team::new());
    fs::rename(team.path().join(".aside/scenarios"), team.path().join("own")).unwrap();
    let link = team.path().join(".aside/scenarios");
    std::os::unix::fs::symlink(other.path().join(SCENARIOS), &link).unwrap();
    let output = team.run(&[], None);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("a link leads out of this directory"), "{error}");
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("../own", &link).unwrap();
    // It is read, and its repository is not three folders above.
    team.check(&[], 1, &["first: repository: "]);
}

#[cfg(unix)]
#[test]
fn blessing_writes_no_other_name_of_a_file() {
    let team = Team::new();
    team.write("elsewhere.json", "{}");
    let written = team.path().join(".aside/scenarios/first/request-1.json");
    fs::hard_link(team.path().join("elsewhere.json"), &written).unwrap();
    team.bless();
    let elsewhere = fs::read_to_string(team.path().join("elsewhere.json")).unwrap();
    assert_eq!(elsewhere, "{}");
    assert!(fs::metadata(written).unwrap().len() > 2);
}

/// With a limit for the size of files in place of a full disk.
#[cfg(unix)]
#[test]
fn blessing_keeps_the_accepted_bytes_when_a_write_fails() {
    let team = Team::new();
    team.bless();
    let scenario = team.path().join(".aside/scenarios/first");
    let files = || {
        let files = fs::read_dir(&scenario).unwrap().map(|it| it.unwrap().path());
        let mut files: Vec<_> = files.map(|it| (fs::read(&it).unwrap(), it)).collect();
        files.sort();
        files
    };
    let accepted = files();
    team.write("CLAUDE.md", &"Use tabs, and no spaces.\n".repeat(1_000));
    for arguments in ["--bless", "--accept all"] {
        let output = limited(team.path(), 20, &format!("verify {arguments}"));
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("failed to write .aside/scenarios/first/request-1."), "{error}");
        assert!(!error.contains(".new"), "{error}");
        assert!(files() == accepted);
    }
    team.check(&["--bless"], 0, &["1 scenario, 0 failed"]);
    team.check(&[], 0, &[]);
    assert_eq!(files().len(), accepted.len());
}

#[cfg(unix)]
#[test]
fn a_blessed_file_has_the_mode_of_a_new_file() {
    use std::os::unix::fs::PermissionsExt;

    let team = Team::new();
    team.bless();
    let mode = |path: &str| fs::metadata(team.path().join(path)).unwrap().permissions().mode();
    assert_eq!(mode(".aside/scenarios/first/request-1.txt"), mode("CLAUDE.md"));
}

#[cfg(unix)]
#[test]
fn a_link_that_no_turn_makes_is_left_alone() {
    let team = Team::new();
    team.bless();
    let surplus = team.path().join(".aside/scenarios/first/request-2.json");
    std::os::unix::fs::symlink(team.path().join("CLAUDE.md"), &surplus).unwrap();
    team.check(&[SCENARIOS], 1, &["found a link"]);
    team.check(&[SCENARIOS, "--bless"], 1, &["found a link"]);
    assert!(team.path().join("CLAUDE.md").is_file());
}

/// Two scenarios with a common change, and one with its own.
fn two_changes() -> (Team, String, String) {
    let team = Team::new();
    team.write(".aside/scenarios/second/scenario.yaml", SCENARIO);
    team.check(&["--bless"], 0, &["2 scenarios, 0 failed"]);
    team.write("CLAUDE.md", "# Team\n\nUse spaces.\n@docs/style.md\n");
    let other = SCENARIO.replace("Explain", "Describe");
    team.write(".aside/scenarios/second/scenario.yaml", &other);
    let output = team.run(&["--json"], None).stdout;
    let json: serde_json::Value = serde_json::from_slice(&output).unwrap();
    let id = |index: usize| json["changes"][index]["id"].as_str().unwrap().to_owned();
    assert_eq!(json["changes"][0]["requests"][0], "second/request-1");
    assert_eq!(json["changes"][1]["requests"].as_array().unwrap().len(), 2);
    (team, id(0), id(1))
}

#[test]
fn accepted_changes_alone_are_in_the_paragraph() {
    let (team, rare, common) = two_changes();
    // The only request with it has another change, so nothing is accepted.
    let printed = String::from_utf8(team.run(&["--accept", &rare], None).stdout).unwrap();
    assert!(printed.contains(&format!("second/request-1 needs {common},{rare}")), "{printed}");
    assert!(!printed.contains("Golden snapshots"), "{printed}");
    let output = team.run(&["--accept", &common], None);
    let printed = String::from_utf8(output.stdout).unwrap();
    let (before, paragraph) = printed.split_once("Golden snapshots: ").unwrap();
    assert!(before.contains("wrote .aside/scenarios/first/request-1.json"), "{printed}");
    assert!(before.contains("wrote .aside/scenarios/second/request-1.new"), "{printed}");
    assert!(paragraph.starts_with("1 distinct change in 1 request of 1 scenario."), "{printed}");
    assert!(paragraph.contains("- first/request-1: CLAUDE.md: tabs. → spaces."), "{printed}");
    assert!(!paragraph.contains("Explain → Describe"), "{printed}");
    assert!(paragraph.contains(&format!("second/request-1 needs {common},{rare}")), "{printed}");
    for unknown in ["000000", "", "all,000000"] {
        team.check(&["--accept", unknown], 2, &[]);
    }
    let both = format!("{common},{}", rare.to_uppercase());
    team.check(&["--accept", &both], 0, &["2 scenarios, 0 failed"]);
    assert!(!team.path().join(".aside/scenarios/second/request-1.new").exists());
}

#[test]
fn scenarios_that_are_gone_since_a_revision_are_named() {
    let team = Team::new();
    team.write(".aside/scenarios/second/scenario.yaml", SCENARIO);
    team.check(&["--bless"], 0, &["2 scenarios, 0 failed"]);
    team.commit();
    fs::remove_dir_all(team.path().join(".aside/scenarios/second")).unwrap();
    team.check(&["--bless"], 0, &["1 scenario, 0 failed"]);
    let expected = ["No agent sees a change in 1 scenario.", "**Removed scenarios**: `second`."];
    team.check(&["--review", "HEAD"], 0, &expected);
    team.check(&["--max-tokens-added", "5"], 2, &[]);
    team.check(&["--review", "--max-tokens-added", "5"], 2, &[]);
    for wrong in ["--output=x", "no-such-revision"] {
        team.check(&[&format!("--review={wrong}")], 2, &[]);
    }
}

#[test]
fn common_texts_are_files_like_others() {
    let team = Team::new();
    team.write(".aside/scenarios/second/scenario.yaml", SCENARIO);
    team.check(&["--bless"], 0, &["2 scenarios, 0 failed"]);
    let path = team.path().join(".aside/scenarios/texts/section-intro.txt");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.trim_end()).unwrap();
    let output = team.run(&["--json"], None);
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["failed"], &json["scenarios"][2]["name"]), (&1.into(), &"texts".into()));
    team.check(&["--bless"], 0, &["wrote .aside/scenarios/texts/section-intro.txt"]);
    team.write(".aside/scenarios/texts/scenario.yaml", SCENARIO);
    team.check(&[], 1, &["\"texts\" is the folder of the common texts"]);
}

/// Which texts are common depends on all scenarios, also if only one is named.
#[test]
fn scenarios_are_blessed_one_by_one() {
    let team = Team::new();
    team.write(".aside/scenarios/second/scenario.yaml", SCENARIO);
    let bless = |name: &str| {
        let scenario = format!("{SCENARIOS}/{name}");
        team.check(&[&scenario, "--bless"], 0, &["1 scenario, 0 failed"]);
    };
    bless("first");
    assert!(!team.path().join(".aside/scenarios/second/request-1.json").exists());
    bless("second");
    team.check(&[], 0, &["2 scenarios, 0 failed"]);
    // The other scenario is the only one left with most of these texts.
    let simple = SCENARIO.replace("model:", "simple: true\nmodel:");
    team.write(".aside/scenarios/second/scenario.yaml", &simple);
    bless("second");
    team.check(&[], 0, &["2 scenarios, 0 failed"]);
    // A change of both is accepted for one.
    team.write("CLAUDE.md", "# Team\n\nUse spaces.\n@docs/style.md\n");
    bless("second");
    team.check(&[], 1, &["1 distinct change in 1 request of 1 scenario", "1 failed"]);
    // One that cannot be played hides no change of another.
    team.write(".aside/scenarios/third/scenario.yaml", "turn: []\n");
    bless("first");
    fs::remove_dir_all(team.path().join(".aside/scenarios/third")).unwrap();
    team.check(&[], 0, &["2 scenarios, 0 failed"]);
}
