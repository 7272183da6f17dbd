//! Plugin file directories, their precedence, and files that are not opened.

use std::fs;

use aside_reminder::{Manager, Reminder, ReminderLoader, Severity, load_path};

/// Creates a home and a project directory with these files.
fn world(files: &[(&str, &str)]) -> (tempfile::TempDir, ReminderLoader) {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let loader = ReminderLoader {
        home: Some(directory.path().join("home")),
        claude_config: None,
        project: Some(directory.path().join("project")),
        ..ReminderLoader::default()
    };
    (directory, loader)
}

fn ids(reminders: &[Reminder]) -> Vec<&str> {
    reminders.iter().map(|it| it.id.as_str()).collect()
}

#[test]
fn later_directories_take_precedence_and_order_is_by_directory_and_name() {
    let (_directory, loader) = world(&[
        ("project/.aside/reminders/b.md", "project aside b"),
        ("project/.agents/reminders/z.md", "project agents z"),
        ("project/.agents/reminders/y.yaml", "content: project agents y"),
        ("project/.bitcode/reminders/p.md", "p"),
        ("project/.claude/reminders/q.md", "q"),
        ("home/.aside/reminders/a.md", "home aside a"),
        ("home/.claude/reminders/a.md", "home claude a"),
        ("home/.bitcode/reminders/m.md", "m"),
        ("home/.agents/reminders/b.md", "home agents b"),
        ("home/.agents/reminders/c.md", "c"),
        ("home/.agents/reminders/d.txt", "no reminder"),
        ("home/.agents/reminders/sub/d.md", "no reminder"),
    ]);
    let loaded = loader.load();
    assert_eq!(ids(&loaded.reminders), ["c", "m", "a", "y", "z", "q", "p", "b"]);
    let content = |id: &str| {
        let reminder = loaded.reminders.iter().find(|it| it.id == id);
        reminder.unwrap().content.as_str()
    };
    assert_eq!((content("a"), content("b")), ("home aside a", "project aside b"));
    // Only a project file that replaces one of the user's is reported.
    let reported: Vec<_> =
        loaded.diagnostics.iter().map(|it| (it.severity, it.message.as_str())).collect();
    assert_eq!(reported.len(), 1);
    assert_eq!(reported[0].0, Severity::Note);
    assert!(reported[0].1.starts_with("the project's reminder \"b\" replaces the user's, "));
    assert!(reported[0].1.ends_with("home/.agents/reminders/b.md"));
}

#[test]
fn a_project_can_be_left_out() {
    let (_directory, loader) = world(&[
        ("home/.aside/reminders/a.md", "home"),
        ("project/.aside/reminders/a.md", "---\nenabled: false\n---\n"),
    ]);
    let loaded = loader.load();
    assert!(!loaded.reminders[0].active);
    assert!(loaded.diagnostics[0].message.contains("switches off"));
    let alone = ReminderLoader { project: None, ..loader.clone() };
    assert_eq!(alone.load().reminders[0].content, "home");
    assert_eq!(alone.load().diagnostics, []);
    // The home directory is not also a project.
    let at_home = ReminderLoader { project: loader.home.clone(), ..loader };
    assert_eq!(at_home.load().diagnostics, []);
    assert_eq!(at_home.load().reminders.len(), 1);
}

#[test]
fn the_claude_configuration_directory_can_be_replaced() {
    let (directory, loader) = world(&[
        ("home/.claude/reminders/a.md", "claude"),
        ("elsewhere/reminders/b.md", "elsewhere"),
    ]);
    let loader =
        ReminderLoader { claude_config: Some(directory.path().join("elsewhere")), ..loader };
    assert_eq!(ids(&loader.load().reminders), ["b"]);
}

#[test]
fn of_two_files_with_one_id_the_first_is_loaded() {
    let (_directory, loader) = world(&[
        ("home/.aside/reminders/a.md", "first"),
        ("home/.aside/reminders/b.yaml", "content: second\nid: a"),
    ]);
    let loaded = loader.load();
    assert_eq!(loaded.reminders[0].content, "first");
    assert_eq!(loaded.reminders.len(), 1);
    let diagnostic = &loaded.diagnostics[0];
    assert_eq!((diagnostic.severity, diagnostic.line()), (Severity::Error, Some(2)));
    assert!(diagnostic.path().unwrap().ends_with("b.yaml"));
    assert!(diagnostic.message.starts_with("found the id \"a\" of "));
}

#[test]
fn broken_files_do_not_affect_the_others() {
    let faults = [
        "---\nsecret: 1\n",
        "---\nsecret: a: b\n---\nx",
        "---\nschedule: {kind: secret}\n---\nx",
        "---\npriority: secret\n---\nx",
        "---\nid: secret\n---\n",
        "---\nschedule: {turn_interval: 0}\n---\nsecret",
        "---\nschedule: {interval: secret}\n---\nx",
        "---\ndelivery: secret\n---\nx",
    ];
    let broken: Vec<_> = (0..40)
        .map(|index| {
            let path = format!("project/.aside/reminders/broken-{index:02}.md");
            (path, faults[index % faults.len()])
        })
        .collect();
    let mut files: Vec<_> = broken.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    files.push(("project/.aside/reminders/a.md", "good a"));
    files.push(("project/.aside/reminders/z.md", "good z"));
    let (_directory, loader) = world(&files);
    let loaded = loader.load();
    assert_eq!(ids(&loaded.reminders), ["a", "z"]);
    assert_eq!(loaded.diagnostics.len(), 40);
    for (diagnostic, (path, _)) in loaded.diagnostics.iter().zip(&broken) {
        assert!(diagnostic.path().unwrap().ends_with(path), "{diagnostic}");
        assert!(diagnostic.line().is_some() && diagnostic.severity == Severity::Error);
    }
    let manager = Manager::new();
    loaded.register(&manager);
    let due: Vec<_> = manager.list().into_iter().map(|it| it.reminder.content).collect();
    assert_eq!(due, ["good a", "good z"]);
}

#[test]
fn large_and_unreadable_files_are_left_out() {
    let long = "x".repeat(256 * 1024 + 1);
    let (directory, loader) = world(&[("home/.aside/reminders/b.md", &long)]);
    let reminders = directory.path().join("home/.aside/reminders");
    fs::write(reminders.join("a.md"), "x".repeat(256 * 1024)).unwrap();
    fs::write(reminders.join("c.md"), b"one\ntwo \xff\n").unwrap();
    fs::create_dir(reminders.join("d.md")).unwrap();
    let loaded = loader.load();
    assert_eq!(ids(&loaded.reminders), ["a"]);
    let reported: Vec<_> =
        loaded.diagnostics.iter().map(|it| (it.line(), it.message.as_str())).collect();
    assert_eq!(
        reported,
        [
            (Some(1), "found 262145 bytes or more, expected at most 256 KB"),
            (Some(2), "found the byte 0xff, expected UTF-8"),
            (Some(1), "found a directory, expected a file"),
        ]
    );
    // 20 such files exceed 4 MB.
    for index in 10..30 {
        fs::write(reminders.join(format!("e{index}.md")), "x".repeat(256 * 1024)).unwrap();
    }
    let loaded = loader.load();
    assert_eq!(loaded.reminders.len(), 16);
    assert!(loaded.diagnostics.last().unwrap().message.contains("4 MB"));
}

#[test]
fn the_number_of_files_of_a_directory_is_limited() {
    let (directory, loader) = world(&[("home/.aside/reminders/a.md", "a")]);
    let reminders = directory.path().join("home/.aside/reminders");
    for index in 0..1000 {
        fs::write(reminders.join(format!("b{index:04}.md")), "b").unwrap();
    }
    let loaded = loader.load();
    assert_eq!(loaded.reminders.len(), 1000);
    let diagnostic = &loaded.diagnostics[0];
    assert_eq!((diagnostic.line(), loaded.diagnostics.len()), (None, 1));
    assert!(diagnostic.message.starts_with("found 1001 files, expected at most 1000"));
}

#[cfg(unix)]
#[test]
fn links_to_files_are_followed_and_nothing_else_is_opened() {
    use std::os::unix::fs::symlink;

    let (directory, loader) =
        world(&[("elsewhere/text.md", "linked"), ("home/.aside/reminders/a.md", "a")]);
    let reminders = directory.path().join("home/.aside/reminders");
    symlink(directory.path().join("elsewhere/text.md"), reminders.join("b.md")).unwrap();
    symlink("/dev/zero", reminders.join("c.md")).unwrap();
    symlink("nowhere", reminders.join("d.md")).unwrap();
    symlink("e.md", reminders.join("e.md")).unwrap();
    let fifo = reminders.join("f.md");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let loaded = loader.load();
    assert_eq!(ids(&loaded.reminders), ["a", "b"]);
    let reported: Vec<_> = loaded.diagnostics.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(reported[0], "found a device, expected a file");
    assert_eq!(reported[1], "unreadable: link that leads nowhere");
    assert!(reported[2].starts_with("unreadable: Too many levels"));
    assert_eq!(reported[3], "found a FIFO, expected a file");
}

#[test]
fn a_file_in_place_of_a_directory_is_reported() {
    let (directory, loader) =
        world(&[("home/.aside/reminders", "a file"), ("home/.claude", "a file")]);
    let loaded = loader.load();
    assert_eq!(loaded.diagnostics.len(), 1);
    assert_eq!(
        loaded.diagnostics[0].path().unwrap(),
        directory.path().join("home/.aside/reminders")
    );
}

#[test]
fn a_single_file_can_be_loaded() {
    let (directory, _) = world(&[("a.md", "a"), ("b.yaml", "id: a: b")]);
    assert_eq!(ids(&load_path(&directory.path().join("a.md")).reminders), ["a"]);
    assert_eq!(load_path(&directory.path().join("b.yaml")).diagnostics.len(), 1);
    assert_eq!(load_path(&directory.path().join("c.md")).diagnostics.len(), 1);
    assert_eq!(load_path(directory.path()).reminders.len(), 1);
}
