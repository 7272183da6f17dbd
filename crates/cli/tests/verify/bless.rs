//! `aside verify --bless`: what it writes, and what it leaves alone.

use std::fs;

use crate::{SCENARIO, SCENARIOS, Team};

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
    };
    check(SCENARIO, true, "request-1.json is missing");
    check("turns: [", false, "scenario.yaml:1: ");
    check("turns: []\n", false, "the scenario has no turns");
    check(
        "extends: ../first\n",
        false,
        "expected the name of a scenario",
    );
    check("extends: nowhere\n", false, "failed to read");
    let both = format!("{SCENARIO}resets: {{1: tools}}\n");
    check(
        &both,
        false,
        "resets the prefix for no reason, expected tools",
    );
    let deep = format!("turns: {}", "[".repeat(50_000));
    check(
        &deep,
        false,
        "scenario.yaml:1: expected at most 128 brackets",
    );
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
    check(
        &format!("{folder}/scenario.yaml"),
        "victim/scenario.yaml",
        scenario,
    );
    let tree = "tree: expected a folder, found a link";
    check(&format!("{folder}/tree"), "docs", tree);
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
