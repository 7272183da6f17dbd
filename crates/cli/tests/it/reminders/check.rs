//! Faults in reminder files.

use crate::reminders::{FILES, run, world};

#[test]
fn check_names_file_and_line() {
    let world = world(FILES);
    let (code, stdout, stderr) = run(world.path(), &["check"], "");
    assert_eq!((code, stderr.as_str()), (1, "aside: error: 1 fault\n"));
    assert_eq!(
        stdout,
        "WORLD/project/.aside/reminders/bad.md:2: priority: found string \"high\", expected an integer from -2147483648 to 2147483647\n\
         WORLD/project/.aside/reminders/careful.md:1: the project's reminder \"careful\" switches off the user's, WORLD/home/.claude/reminders/careful.md (note)\n"
    );
    assert_eq!(
        run(world.path(), &["check", "--no-project-reminders"], ""),
        (0, "no faults\n".to_owned(), String::new())
    );
}

/// A session leaves it out, so the directory has a fault.
#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_a_fault_of_its_directory() {
    let world = world(&[("out/a.md", "x"), ("project/.aside/reminders/b.md", "x")]);
    let link = world.path().join("project/.aside/reminders/a.md");
    std::os::unix::fs::symlink("../../../out/a.md", link).unwrap();
    for arguments in [&["check"][..], &["check", ".aside/reminders"]] {
        let (code, stdout, _) = run(world.path(), arguments, "");
        assert_eq!(code, 1, "{stdout}");
        assert!(stdout.contains("outside the project and not approved"), "{stdout}");
    }
}

#[test]
fn check_takes_files_and_directories() {
    let world = world(&[
        ("project/good.md", "---\nschedule: {kind: always}\n---\nx"),
        ("project/once.md", "x"),
        (
            "project/dir/never.yaml",
            "content: '{{user}}'\nschedule: {kind: condition, condition: whenever}\nprio: 2\n",
        ),
        ("project/dir/other.txt", "not looked at"),
    ]);
    let check = |arguments: &[&str]| run(world.path(), &[&["check"], arguments].concat(), "");
    let good = (0, "no faults\n".to_owned(), String::new());
    assert_eq!(check(&["good.md"]), good);
    let (code, stdout, _) = check(&["once.md", "--json"]);
    assert_eq!(code, 0);
    assert_eq!(
        stdout,
        r#"{
  "diagnostics": [
    {
      "severity": "note",
      "code": "reminder-advice",
      "path": "once.md",
      "line": 1,
      "message": "fires once and is not in the next request; if the model should keep it in context, set delivery: persistent"
    }
  ]
}
"#
    );
    let (code, stdout, stderr) = check(&["good.md", "dir"]);
    assert_eq!((code, stderr.as_str()), (1, "aside: error: 3 faults\n"));
    assert_eq!(
        stdout,
        "dir/never.yaml:3: unknown key \"prio\" is ignored\n\
         dir/never.yaml:2: condition \"whenever\" never fires: expected always, after_tool:NAMES, turn_gt:N, messages_gt:N or repeated_tool:N\n\
         dir/never.yaml:1: found {{user}}, which remains as written: expected now, date, cwd, branch or turn\n"
    );
    let (code, stdout, stderr) = check(&["nowhere.md"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("failed to read nowhere.md"), "{stderr}");
    let (code, stdout, _) = check(&["dir/other.txt"]);
    assert_eq!(code, 1);
    assert_eq!(stdout, "dir/other.txt:1: expected a name that ends in .md, .yaml or .yml\n");
}

#[test]
fn two_files_of_one_directory_have_two_ids() {
    let world = world(&[
        ("project/one/d1.md", "---\nid: d\n---\nx"),
        ("project/one/d2.md", "---\npriority: 1\nid: d\n---\ny"),
        ("project/other/d.md", "z"),
    ]);
    let doubled = |paths: &[&str], first: &str, second: &str| {
        let arguments = [&["check"], paths].concat();
        let (code, stdout, _) = run(world.path(), &arguments, "");
        let stdout: Vec<_> = stdout.lines().filter(|it| !it.ends_with("(note)")).collect();
        let expected = format!("{second}:3: found the id \"d\" of {first} again");
        assert_eq!((code, stdout), (1, vec![expected.as_str()]), "{paths:?}");
    };
    doubled(&["one"], "one/d1.md", "one/d2.md");
    doubled(&["one/d1.md", "one/d2.md"], "one/d1.md", "one/d2.md");
    doubled(&["one/d1.md", "./one/../one/d2.md"], "one/d1.md", "./one/../one/d2.md");
    let good = |paths: &[&str]| {
        let arguments = [&["check"], paths].concat();
        assert_eq!(run(world.path(), &arguments, "").0, 0, "{paths:?}");
    };
    good(&["one/d1.md", "one/d1.md"]);
    good(&["one/d1.md", "other/d.md", "other"]);
}

#[test]
fn an_empty_list_is_reported() {
    let world = world(&[("project/.aside/reminders/a.txt", "x")]);
    let check = |arguments: &[&str], expected: &str| {
        let arguments = [&["check"], arguments].concat();
        let stderr = format!("aside: note: {expected}\n");
        assert_eq!(run(world.path(), &arguments, ""), (0, "no faults\n".to_owned(), stderr));
    };
    let none = "no file in it ends in .md, .yaml or .yml";
    check(&[".aside"], &format!(".aside: {none}; those of a session are in .aside/reminders"));
    check(&[".aside/reminders"], &format!(".aside/reminders: {none}"));
    check(&[], "no reminder file was found");
}
