use super::*;
use crate::support::git;

const SCHEDULES: [(&str, &str); 5] = [
    ("always", "schedule: {kind: always}"),
    ("turn", "schedule: {kind: turn, turn_interval: 2}"),
    ("timer", "schedule: {kind: timer, interval: 1ms}"),
    ("oneshot", "schedule: {kind: oneshot}"),
    ("condition", "schedule: {kind: condition, condition: 'after_tool:Read'}"),
];

/// Plays an owner's reminder file over four turns, one with calls.
fn check(owner: &str, delivery: &str) {
    for (name, schedule) in SCHEDULES {
        let mut play = Play::of(vec![call(1, &["a.md"]), call(2, &["a.md", "gone.md"])]);
        reminder(&play.place, owner, name, &format!("{schedule}\ndelivery: {delivery}"));
        play.say(&["one", "two", "three", "four"]);
        play.kept(6, &format!("Remember {name}."));
    }
}

#[test]
fn own_ephemeral_ones_of_every_schedule() {
    check("home", "ephemeral");
}

#[test]
fn own_persistent_ones_of_every_schedule() {
    check("home", "persistent");
}

#[test]
fn ephemeral_ones_of_a_project_of_every_schedule() {
    check("project", "ephemeral");
}

#[test]
fn persistent_ones_of_a_project_of_every_schedule() {
    check("project", "persistent");
}

#[test]
fn reminders_of_every_kind_without_betas() {
    let mut play = Play::of(vec![call(1, &["a.md"]), call(2, &["a.md"])]);
    play.variables.push(("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS", "1".to_owned()));
    for (name, schedule) in SCHEDULES {
        reminder(&play.place, "home", name, schedule);
    }
    play.say(&["one", "two", "three"]);
    play.kept(5, "Remember always.");
    assert!(!play.last().contains("clear_at"));
}

#[test]
fn values_from_outside_are_filled_in() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    let directory = play.place.path("home/.aside/reminders");
    fs::create_dir_all(&directory).unwrap();
    let text =
        "---\nschedule: {kind: always}\n---\nTurn {{turn}} on {{branch}} in {{cwd}}, {{date}}.\n";
    fs::write(directory.join("values.md"), text).unwrap();
    play.say(&["one", "two", "three"]);
    play.kept(4, "Turn 3 on none in");
}

#[test]
fn the_branch_is_the_present_one() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    let project = play.place.path("project");
    let directory = project.join(".aside/reminders");
    fs::create_dir_all(&directory).unwrap();
    let text = "---\nschedule: {kind: always}\n---\nOn {{branch}}.\n";
    fs::write(directory.join("branch.md"), text).unwrap();
    git(&project, &["init", "-q", "-b", "first"]);
    play.say(&["one"]);
    git(&project, &["checkout", "-q", "-b", "second"]);
    play.say(&["two"]);
    play.kept(3, "On second.");
    assert!(play.last().contains("On first."));
}

#[test]
fn reminders_are_edited_and_deleted_between_runs() {
    let mut play = Play::new();
    let always = "schedule: {kind: always}";
    reminder(&play.place, "home", "edited", always);
    reminder(&play.place, "home", "deleted", always);
    play.say(&["one", "two"]);
    let directory = play.place.path("home/.aside/reminders");
    fs::write(directory.join("edited.md"), format!("---\n{always}\n---\nRemember another text.\n"))
        .unwrap();
    fs::remove_file(directory.join("deleted.md")).unwrap();
    play.say(&["three", "four"]);
    play.kept(4, "Remember another text.");
    assert!(play.last().contains("Remember deleted."));
}

#[test]
fn project_reminders_are_disabled_and_enabled() {
    let mut play = Play::new();
    reminder(&play.place, "project", "own", "schedule: {kind: always}");
    play.say(&["one"]);
    play.run(&["two", "--no-project-reminders"]);
    play.say(&["three"]);
    play.kept(3, "Remember own.");
}

#[test]
fn more_than_eighty_messages() {
    let mut play = Play::of((0..50).map(|number| call(number, &["a.md"])).collect());
    play.say(&["go", "on"]);
    play.kept(52, "more than 80 messages");
}
