//! When the system fails, this is reported, and earlier records stay intact.

use super::*;

/// Returns the same command with hardly any space beyond the existing files. To
/// simulate a full disk, this limits the file size: the system then refuses to
/// write more.
fn on_a_full_disk(inner: &Command, before: &[u8]) -> Command {
    // In 512-byte blocks: the next lines fit, or some do.
    let blocks = before.len() / 512 + 1;
    let mut command = Command::new("sh");
    // `ulimit -f` counts in POSIX blocks; SIGXFSZ would end the process.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    command.args(["-c", &script, "sh"]);
    command.arg(inner.get_program()).args(inner.get_args());
    command.current_dir(inner.get_current_dir().unwrap());
    command.env_clear();
    command.envs(inner.get_envs().filter_map(|(k, v)| Some((k, v?))));
    command
}

#[test]
fn a_full_disk_damages_no_session() {
    let place = Place::new();
    fs::write(place.path("project/CLAUDE.md"), "Rule.\n".repeat(200)).unwrap();
    let id = place.run(&["hello"]).id();
    let path = place.transcript(&id);
    let before = fs::read(&path).unwrap();
    let long = "long ".repeat(1000);
    let inner = place.command(&[&long, "--resume", &id]);
    let ran = Ran::of(on_a_full_disk(&inner, &before).output().unwrap());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("aside: error: "), "{ran:?}");
    assert!(ran.stderr.contains(".jsonl: File too large"), "{ran:?}");
    assert!(fs::read(&path).unwrap().starts_with(&before));
    assert_eq!(aside_transcript::read(&path).unwrap().torn, None);

    let ran = place.run(&["again", "--resume", &id]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn a_message_lost_to_a_full_disk_is_reported() {
    let place = Place::new();
    let id = place.run(&["hello"]).id();
    let path = place.transcript(&id);
    let before = fs::read(&path).unwrap();
    let lines = place.path("lines");
    fs::write(&lines, "long ".repeat(1000)).unwrap();
    let inner = place.command(&["again", "--steer", "--resume", &id]);
    let mut command = on_a_full_disk(&inner, &before);
    let command = command.stdin(fs::File::open(&lines).unwrap());
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains(".jsonl: File too large"), "{ran:?}");
    let printed = format!("aside: warning: not taken up: {}…\n", "long ".repeat(40));
    assert!(ran.stderr.contains(&printed), "{ran:?}");
    assert!(!ran.stderr.contains("kept for --resume"), "{ran:?}");
    assert_eq!(aside_transcript::read(&path).unwrap().torn, None);
}

/// Root may write everywhere, so when this test runs as root, it starts the
/// command as another user.
#[test]
fn a_read_only_directory_starts_no_session() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new();
    let sessions = place.path("home/.aside/sessions");
    fs::create_dir_all(&sessions).unwrap();
    fs::set_permissions(place.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&sessions, fs::Permissions::from_mode(0o555)).unwrap();
    let mut own = place.command(&["hello"]);
    let is_root = fs::write(sessions.join("probe"), "").is_ok();
    let output = if is_root {
        fs::remove_file(sessions.join("probe")).unwrap();
        // The other user may not be able to read the binary's directory.
        let binary = place.path("aside");
        // If another test forks from this process meanwhile, the fork would
        // keep our copy open for writing, and then you could not execute it.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_aside")).arg(&binary).status();
        assert!(copied.unwrap().success());
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(binary).args(own.get_args());
        command.current_dir(place.path("project")).env_clear();
        command.envs(own.get_envs().filter_map(|(k, v)| Some((k, v?))));
        let Ok(output) = command.output() else {
            // Without setpriv, root cannot become another user.
            return;
        };
        output
    } else {
        own.output().unwrap()
    };
    fs::set_permissions(&sessions, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = Ran::of(output);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("aside: error: failed to create the session"), "{ran:?}");
    assert!(ran.stderr.contains("Permission denied"), "{ran:?}");
    assert_eq!(fs::read_dir(&sessions).unwrap().count(), 0);
}

/// A running session, and a second process to resume it.
#[test]
fn the_second_of_two_processes_is_refused() {
    let (place, server) = (Place::new(), Server::new());
    let child = with_server(&place, &server, &["hello"]).spawn().unwrap();
    let (_, mut stream) = server.request();
    let projects = fs::read_dir(place.path("home/.aside/sessions")).unwrap();
    let project = projects.map(|it| it.unwrap().path()).next().unwrap();
    let files = fs::read_dir(project).unwrap();
    let mut paths = files.map(|it| it.unwrap().path());
    let path = paths.find(|it| it.extension().is_some()).unwrap();
    let before = fs::read(&path).unwrap();
    let id = path.file_stem().unwrap().to_str().unwrap();
    let second = place.run(&["hello", "--resume", id]);
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(second.stderr.contains("another process writes it"), "{second:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
    begin(&mut stream, "Hi.");
    end(&mut stream);
    drop(stream);
    let first = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((first.code, first.stdout.as_str()), (Some(0), "Hi.\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn an_unwritable_response_is_reported() {
    let place = Place::new();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = place.command(&["hello"]).stdout(full).output();
    let ran = Ran::of(output.unwrap());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("failed to write to stdout: No space"), "{ran:?}");
}

#[test]
fn a_recording_may_come_through_stdin() {
    let place = Place::new();
    let recording = place.path("recording.json");
    let json = r#"{"version":1,"answers":[{"content":"From afar."}]}"#;
    fs::write(&recording, json).unwrap();
    let mut command = place.command(&["hello", "--replay", "-"]);
    let stdin = fs::File::open(recording).unwrap();
    let ran = Ran::of(command.stdin(stdin).output().unwrap());
    assert_eq!(ran.stdout, "From afar.\n", "{ran:?}");
}

#[test]
fn a_run_without_a_client_leaves_no_session() {
    let place = Place::new();
    let ran = place.run(&["hello", "--replay", "gone"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(!place.path("home/.aside").exists());
}

#[test]
fn a_session_without_its_first_entries_is_not_restarted() {
    let place = Place::new();
    let id = place.run(&["hello"]).id();
    let path = place.transcript(&id);
    let text = fs::read_to_string(&path).unwrap();
    let rest = &text[text.find('\n').unwrap() + 1..];
    fs::write(&path, rest).unwrap();
    let ran = place.run(&["And?", "--resume", &id]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("the session's context is missing"), "{ran:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), rest);
}

/// Commands that only read a session also report its faults, each once.
#[test]
fn faults_of_a_session_are_reported() {
    let place = Place::new();
    let id = place.run(&["hello"]).id();
    let path = place.transcript(&id);
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("{\"entry\":");
    fs::write(&path, &text).unwrap();
    let look = |id: &str| {
        let mut command = place.aside(&["render", "And?", "--resume", id]);
        Ran::of(command.output().unwrap())
    };
    let ran = look(&id);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("an incomplete line of 9 bytes is left out"), "{ran:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);

    let ran = look("67e55044-10b1-426f-9247-bb680e5fe0c8");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.stderr.matches("os error 2").count(), 1, "{ran:?}");

    let mut command = place.command(&["hello"]);
    let ran = Ran::of(command.env("HOME", "relative").output().unwrap());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("is an absolute path"), "{ran:?}");
}

/// Any limit on open files is reported.
#[test]
#[cfg(unix)]
fn without_descriptors_nothing_panics() {
    let place = Place::new();
    for limit in 4..20 {
        let run = place.command(&["hello"]);
        let mut command = Command::new("sh");
        let script = format!("ulimit -n {limit}; exec \"$0\" \"$@\"");
        command.arg("-c").arg(script).arg(run.get_program());
        command.args(run.get_args()).current_dir(place.path("project"));
        command.env("HOME", place.path("home"));
        let ran = Ran::of(command.output().unwrap());
        assert!(!ran.stderr.contains("panicked"), "{limit}: {ran:?}");
        assert!([Some(0), Some(1), Some(127)].contains(&ran.code), "{limit}: {ran:?}");
    }
}
