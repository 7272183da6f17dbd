//! Mentions in a prompt, with different tools.

use std::fs;
use std::process::Command;

use crate::run::{Place, Ran};

#[test]
fn a_mention_names_only_abilities_of_the_tool() {
    let place = Place::new();
    fs::write(place.path("project/big.pdf"), "%PDF-1.7 /Count 380 %%EOF").unwrap();
    let rendered = |tools: &str| {
        let file = place.path("tools.json");
        fs::write(&file, tools).unwrap();
        let arguments = ["render", "See @big.pdf", "--tools", file.to_str().unwrap()];
        let ran = Ran::of(place.aside(&arguments).output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("big.pdf (380 pages"), "{ran:?}");
        ran.stdout
    };
    let (pages, none) = ("Read tool and its `pages` parameter", "cannot read single pages of it");
    let read = |properties: &str| {
        format!(
            r#"[{{"name":"Read","input_schema":{{"type":"object","properties":{{{properties}}}}}}}]"#
        )
    };
    assert!(rendered(&read(r#""pages":{"type":"string"}"#)).contains(pages));
    assert!(rendered(&read(r#""path":{"enum":["pages"]}"#)).contains(none));
    assert!(rendered("[]").contains(none));

    // The command's own Read tool has the parameter.
    let answer = format!(r#"{{"expect":{{"anywhere":["{pages}"]}},"content":"No."}}"#);
    let ran = place.replay(&["See @big.pdf"], &[&answer]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// A path has several spellings.
#[test]
fn a_file_that_is_mentioned_twice_is_sent_once() {
    let place = Place::new();
    fs::write(place.path("project/b.md"), "Tea at five.").unwrap();
    let arguments = ["render", "See @b.md, @./b.md and @b.md#L1-1."];
    let ran = Ran::of(place.aside(&arguments).output().unwrap());
    assert_eq!(ran.stdout.matches("Tea at five.").count(), 2, "{ran:?}");
}

/// Their names look like those of an agent and of a resource.
#[test]
fn files_with_other_names_are_attached() {
    let place = Place::new();
    fs::write(place.path("project/agent-notes.md"), "Tea\nat five.").unwrap();
    fs::write(place.path("project/p:q.txt"), "Milk first.").unwrap();
    let rendered = |prompt: &str| {
        let ran = Ran::of(place.aside(&["render", prompt]).output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    };
    let both = rendered("See @agent-notes.md and @./p:q.txt.");
    assert!(both.contains("at five.") && both.contains("Milk first."), "{both}");
    let first = rendered("See @agent-notes.md#L1");
    assert!(first.contains("Tea") && !first.contains("at five."), "{first}");
    assert!(!rendered("See @agent-none and @no:thing").contains("the Read tool with the"));
}

/// An agent can be started only by a tool that is offered.
#[test]
fn an_agent_without_a_tool_is_read_from_its_file() {
    let place = Place::new();
    let agents = place.path("project/.claude/agents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("rev.md"), "---\nname: rev\ndescription: Reviews\n---\nYou review.\n")
        .unwrap();
    let tool = r#"[{"name":"Task","input_schema":{"type":"object"}}]"#;
    fs::write(place.path("project/tools.json"), tool).unwrap();
    let rendered = |arguments: &[&str]| {
        let all = ["render", "ask @agent-rev"].iter().chain(arguments);
        let ran = Ran::of(place.aside(&all.copied().collect::<Vec<_>>()).output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        (ran.stdout, ran.stderr)
    };
    for arguments in [&[][..], &["--tools", "none"]] {
        let (body, stderr) = rendered(arguments);
        assert!(body.contains("No tool starts it: read its instructions in"), "{body}");
        assert!(body.contains("agents/rev.md and follow them"), "{body}");
        let reported = "@agent-rev: no tool starts it, so the model is given its file";
        assert!(stderr.contains(reported), "{arguments:?}: {stderr}");
    }
    let (body, stderr) = rendered(&["--tools", "tools.json"]);
    assert!(body.contains("Start it with the tool for agents"), "{body}");
    assert!(!stderr.contains("@agent-rev"), "{stderr}");
}

/// Reports a mention when its file cannot be shown.
#[test]
fn a_mention_that_cannot_be_shown_is_reported() {
    let place = Place::new();
    crate::run::fifo::make(&place.path("project/pipe"));
    std::os::unix::fs::symlink("/etc/passwd", place.path("project/users")).unwrap();
    let arguments = ["render", "See @pipe, @users and @nothing"];
    let ran = Ran::of(place.aside(&arguments).output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.stdout.contains("root:"), "{ran:?}");
    for warning in [
        "warning: @pipe stays text: a FIFO, not a file",
        "warning: @users stays text: outside the directories of the session: /etc/passwd",
    ] {
        assert!(ran.stderr.contains(warning), "{ran:?}");
    }
    assert!(!ran.stderr.contains("@nothing"), "{ran:?}");
}

/// The process was killed between writing the prompt and writing the mentioned
/// file.
#[test]
fn a_mention_lost_to_a_kill_was_not_read() {
    let place = Place::new();
    fs::write(place.path("project/b.md"), "Tea at five.").unwrap();
    let ran = place.replay(&["See @b.md"], &[r#"{"content":"I see."}"#]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let path = place.transcript(&ran.id());
    let written = fs::read_to_string(&path).unwrap();
    let prompt = written.find("See @b.md").unwrap();
    let end = prompt + written[prompt..].find('\n').unwrap() + 1;
    assert!(
        written[..end].contains(r#""read":{"#) && !written[..prompt].contains("Called the Read")
    );
    fs::write(&path, &written[..end]).unwrap();

    let read = r#"{"expect":{"anywhere":["Tea at five."]},"content":"I do now."}"#;
    let ran = place.replay(&["And @b.md", "--resume", &ran.id()], &[read]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// The model was told that its paths are relative to the directory where the session began.
#[test]
fn a_session_stays_in_its_directory() {
    let place = Place::new();
    let mut git = Command::new("git");
    assert!(
        git.args(["init", "-q"]).current_dir(place.path("project")).status().unwrap().success()
    );
    fs::create_dir(place.path("project/sub")).unwrap();
    fs::write(place.path("project/f.md"), "Root.").unwrap();
    fs::write(place.path("project/sub/f.md"), "Sub.").unwrap();
    let id = place.replay(&["Go"], &[r#"{"content":"Done."}"#]).id();
    let resumed = |cwd: &str| {
        let mut aside = place.aside(&["render", "See @f.md", "--resume", &id]);
        let ran = Ran::of(aside.current_dir(place.path(cwd)).output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("Root.") && !ran.stdout.contains("Sub."), "{ran:?}");
        ran.stderr
    };
    let reported = resumed("project/sub");
    assert!(reported.contains("warning: the session continues in "), "{reported}");
    let reported = resumed("project");
    assert!(!reported.contains("the session continues in "), "{reported}");
}
