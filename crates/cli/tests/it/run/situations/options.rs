//! Session options that decide its bytes: when resumed, it keeps the recorded
//! ones.

use aside_gateway::strict::Draft;

use super::*;

const ATTRIBUTION: &str = r#"{"type":"text","text":"x-aside-attribution: version="#;

fn calls(tool: &str, input: &str) -> Answer {
    Answer::Draft(Draft::new().thinking("T.").tool_use(tool, input).unwrap())
}

/// Returns the id of the last request's message with these words.
fn id_of(play: &Play, words: &str) -> String {
    let body = play.last();
    let rest = &body[body.find(words).unwrap() + words.len()..];
    rest[r"\n[id:".len()..][..6].to_owned()
}

/// Plays three turns. In the last one, the model removes the first prompt.
fn snipped(first: &[&str], later: &[&str]) -> Play {
    let mut play = Play::new();
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    play.run(&[&["The first words"], first].concat());
    play.run(&[&["The second words"], later].concat());
    let input = format!(r#"{{"ids":["{}"]}}"#, id_of(&play, "The first words"));
    play.judge.script(vec![calls("Snip", &input)]);
    play.say(&["The third words"]);
    play
}

#[test]
fn ids_and_their_tool_are_kept() {
    let mut play = snipped(&["--snip"], &[]);
    play.say(&["four"]);
    play.accepted(5, "four");
    let last = play.last();
    assert!(!last.contains("The first words"), "{last}");
    assert!(last.contains("The messages are removed."), "{last}");
    // Thinking from turns before the removal is lost with it.
    assert_eq!(thoughts(&last), 1, "{last}");
}

#[test]
fn ids_and_their_tool_are_added() {
    for disabled in [None, Some("1")] {
        let mut play = Play::new();
        let variable = "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS";
        play.variables.extend(disabled.map(|it| (variable, it.to_owned())));
        play.say(&["The first words"]);
        let ran = play.run(&["The second words", "--snip"]);
        assert!(ran.stderr.contains("--snip"), "{ran:?}");
        play.lost(2, "The second words", 0);
        let input = format!(r#"{{"ids":["{}"]}}"#, id_of(&play, "The first words"));
        play.judge.script(vec![calls("Snip", &input)]);
        let ran = play.run(&["The third words"]);
        assert!(!ran.stderr.contains("--snip"), "{ran:?}");
        play.accepted(4, "The messages are removed.");
        assert!(!play.last().contains("The first words"));
    }
}

/// When a process is killed at any moment, it leaves a removal with its result,
/// or neither.
#[test]
fn a_transcript_that_ends_at_any_line_of_a_removal_is_resumed() {
    let mut play = snipped(&["--snip"], &[]);
    let path = play.place.transcript(play.id.as_ref().unwrap());
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let call = lines.iter().position(|it| it.contains(r#""name":"Snip","input""#));
    let mut found = [0, 0];
    for kept in call.unwrap()..=lines.len() {
        fs::write(&path, lines[..kept].concat()).unwrap();
        play.judge.script(Vec::new());
        play.say(&["four", "five"]);
        play.judge.refuses_nothing();
        let last = play.last();
        let says = last.contains("The messages are removed.");
        assert_eq!(says, !last.contains("The first words"), "{kept}: {last}");
        found[usize::from(says)] += 1;
    }
    assert!(found[0] > 0 && found[1] > 0, "{found:?}");
}

#[test]
fn an_attribution_is_kept() {
    let mut play = Play::new();
    play.run(&["one", "--attribution", "sdk"]);
    play.say(&["two"]);
    play.run(&["three", "--attribution", "sdk"]);
    play.kept(3, ATTRIBUTION);
    let ran = play.run(&["four", "--attribution", "cli"]);
    assert!(ran.stderr.contains("--attribution"), "{ran:?}");
    play.lost(4, "entrypoint=cli", 0);
    let ran = play.run(&["five"]);
    assert!(!ran.stderr.contains("--attribution"), "{ran:?}");
    play.lost(5, "entrypoint=cli", 1);
}

#[test]
fn an_attribution_is_added() {
    let mut play = Play::new();
    play.say(&["one"]);
    let ran = play.run(&["two", "--attribution", "sdk"]);
    assert!(ran.stderr.contains("--attribution"), "{ran:?}");
    play.lost(2, ATTRIBUTION, 0);
    play.say(&["three"]);
    play.lost(3, ATTRIBUTION, 1);
}

#[test]
fn a_coordinator_keeps_its_workers() {
    let mut play = Play::new();
    play.run(&["one", "--coordinator", "--worker-tool", "Dispatch"]);
    play.judge.script(vec![calls("Dispatch", r#"{"prompt":"Look at a.md."}"#)]);
    let ran = play.run(&["two"]);
    assert!(!ran.stderr.contains("cannot be called"), "{ran:?}");
    // The coordinator, twice, and the worker.
    play.judge.refuses_nothing();
    let last = play.last();
    assert!(last.contains("Answer 3.") && last.contains("Dispatch"), "{last}");
    assert_eq!(thoughts(&last), 2, "{last}");
}

#[test]
fn a_coordinator_is_added() {
    let mut play = Play::new();
    play.say(&["one"]);
    play.judge.script(vec![calls("Dispatch", r#"{"prompt":"Look at a.md."}"#)]);
    let ran = play.run(&["two", "--coordinator", "--worker-tool", "Dispatch"]);
    assert!(ran.stderr.contains("--coordinator"), "{ran:?}");
    play.judge.refuses_nothing();
    let last = play.last();
    assert!(last.contains("Answer 3."), "{last}");
    assert!(!last.contains("There is no tool"), "{last}");
}

/// This version's text may differ from the version that began the session.
#[test]
fn the_program_has_another_system_prompt() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.say(&["one"]);
    let path = play.place.transcript(play.id.as_ref().unwrap());
    let text = fs::read_to_string(&path).unwrap();
    let hash = regex::Regex::new(r#""system_hash":"[0-9a-f]{16}""#).unwrap();
    assert!(hash.is_match(&text), "{text}");
    let other = hash.replace_all(&text, r#""system_hash":"0000000000000000""#);
    fs::write(&path, &*other).unwrap();
    let ran = play.run(&["two"]);
    assert!(ran.stderr.contains("another system prompt"), "{ran:?}");
    play.lost(3, "two", 0);
    let ran = play.run(&["three"]);
    assert!(!ran.stderr.contains("system prompt"), "{ran:?}");
    play.lost(4, "three", 1);
}

#[test]
fn a_request_is_explained() {
    let mut play = Play::new();
    play.say(&["one"]);
    let id = play.id.clone().unwrap();
    let explain = |arguments: &[&str]| {
        let render = ["render", "two", "--explain", "--resume", &id];
        let ran = Ran::of(play.place.aside(&[&render, arguments].concat()).output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.starts_with(r#"{"model":"#), "{ran:?}");
        ran.stderr
    };
    let told = explain(&[]);
    let form = "delivery: claude-sonnet-5-5 (first-party) binds its thinking to the prefix; \
                ephemeral reminders: system messages that the next user message clears; text of \
                the harness: system messages; tools that change: appended";
    assert!(told.contains(form) && told.contains(" tokens: "), "{told}");
    assert!(!told.contains("are lost"), "{told}");
    let told = explain(&["--append-system-prompt", "Be brief."]);
    assert!(told.contains("another system prompt: thinking is lost, 1 block"), "{told}");
    let told = explain(&["--model", "claude-opus-5"]);
    assert!(told.contains("claude-opus-5 (first-party) does not bind"), "{told}");
    assert!(told.contains("another model or platform"), "{told}");
}
