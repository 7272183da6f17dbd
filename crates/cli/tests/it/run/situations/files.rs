use super::*;

/// The smallest PNG that every reader accepts.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, 0x49, 0x44, 0x41, 0x54,
    0x78, 0x9c, 0x63, 0, 1, 0, 0, 5, 0, 1, 0x0d, 0x0a, 0x2d, 0xb4, 0, 0, 0, 0, 0x49, 0x45, 0x4e,
    0x44, 0xae, 0x42, 0x60, 0x82,
];

#[test]
fn nested_memory_and_rules_load() {
    let mut play = Play::of(vec![call(1, &["sub/b.md", "a.md", "gone.md"])]);
    play.write("sub/CLAUDE.md", "Sub rule.");
    play.write("sub/b.md", "b\n");
    play.write(
        ".claude/rules/md.md",
        "---\npaths: \"**/*.md\"\n---\nMarkdown rule.\n",
    );
    play.say(&["one", "two"]);
    play.kept(3, "Sub rule.");
    assert!(play.last().contains("Markdown rule."));
}

#[test]
fn a_file_is_edited_by_another_program() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.say(&["one"]);
    play.write("a.md", "one\nthree\n");
    play.say(&["two"]);
    play.write("a.md", "one\nfour\n");
    play.say(&["three"]);
    play.kept(4, "four");
}

#[test]
fn a_file_that_was_read_is_deleted() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.say(&["one"]);
    fs::remove_file(play.place.path("project/a.md")).unwrap();
    play.say(&["two", "three"]);
    play.kept(4, "three");
}

#[test]
fn files_and_directories_are_mentioned() {
    let mut play = Play::new();
    play.write("sub/b.md", "deep\n");
    play.say(&[
        "see @a.md",
        "and @sub",
        "and @sub/b.md and @gone.md",
        "and @a.md",
    ]);
    play.kept(4, "deep");
}

#[test]
fn an_image_is_mentioned() {
    let mut play = Play::new();
    play.write("a.png", PNG);
    play.say(&["see @a.png", "again", "and @a.png"]);
    play.kept(3, r#""type":"image""#);
}

#[test]
fn instruction_files_and_settings_change_between_runs() {
    let mut play = Play::new();
    play.write("CLAUDE.md", "Use tabs.");
    play.say(&["one"]);
    play.write("CLAUDE.md", "Use spaces.");
    play.write(
        ".claude/settings.json",
        r#"{"language":"French","includeGitInstructions":false}"#,
    );
    play.say(&["two", "three"]);
    play.kept(3, "Use tabs.");
}

#[test]
fn the_repository_changes_between_runs() {
    let mut play = Play::new();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let command = command
            .args(arguments)
            .current_dir(play.place.path("project"));
        let done = command
            .env("HOME", play.place.path("home"))
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["checkout", "-q", "-b", "other"]);
    play.say(&["one"]);
    let project = play.place.path("project");
    let switched = Command::new("git")
        .args(["checkout", "-q", "-b", "third"])
        .current_dir(project)
        .output();
    assert!(switched.unwrap().status.success());
    play.say(&["two", "three"]);
    play.kept(3, "three");
}

#[test]
fn five_images_per_response() {
    let images = ["a.png"; 5];
    let mut play = Play::of((0..24).map(|number| call(number, &images)).collect());
    play.write("a.png", PNG);
    play.say(&["look", "and now?"]);
    play.kept(26, r#""type":"image""#);
    assert_eq!(play.last().matches(r#""type":"image""#).count(), 120);
}

#[test]
fn more_media_than_the_model_takes() {
    let images = ["a.png"; 10];
    let mut play = Play::of((0..61).map(|number| call(number, &images)).collect());
    play.write("a.png", PNG);
    play.say(&["look", "and now?"]);
    play.accepted(63, r#""type":"image""#);
    assert!(play.last().matches(r#""type":"image""#).count() <= 600);
    let lost = play.produced() - thoughts(&play.last());
    assert!(lost > 0);
}
