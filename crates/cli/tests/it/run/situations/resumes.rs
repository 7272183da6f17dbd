use super::*;

/// Plays two turns, one with these arguments and one without.
fn check(arguments: &[&str]) -> Play {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    play.say(&["one"]);
    play.run(&[&["two"], arguments].concat());
    play.say(&["three"]);
    play
}

#[test]
fn a_resume_with_arguments_that_keep_the_prefix() {
    for arguments in [
        &["--date", "2027-01-01"] as &[&str],
        &["--max-tokens", "1000"],
        &["--query-source", "sdk"],
        &["--layout", "classic"],
        &["--bare"],
        &["--add-dir", "."],
        &["--setting-sources", ""],
        &["--beta", "context-management-2025-06-27"],
        &["--model", "claude-sonnet-5-5"],
        &["--cache-ttl", "1h"],
        &["--clear-tool-uses", "5000"],
        &["--compact-at", "off"],
    ] {
        check(arguments).kept(4, "three");
    }
}

#[test]
fn another_lifetime_of_cache_entries_is_reported() {
    let mut play = Play::new();
    let note = "note: the session keeps the lifetime of cache entries that it began with";
    for arguments in [&[] as &[&str], &["--cache-ttl", "auto"], &[]] {
        let ran = play.run(&[&["Hi"], arguments].concat());
        assert!(!ran.stderr.contains(note), "{arguments:?}: {ran:?}");
    }
    let note_of_layers = "note: the session keeps the lifetime of shared layers that it began with";
    for (prefix, is_ignored) in [("5m", false), ("auto", false), ("1h", true)] {
        let ran = play.run(&["Hi", "--cache-prefix", prefix]);
        let lifetimes = format!("{note_of_layers} (five minutes): one hour is ignored");
        assert_eq!(ran.stderr.contains(&lifetimes), is_ignored, "{prefix}: {ran:?}");
    }
    let ran = play.run(&["Hi", "--cache-ttl", "1h"]);
    let lifetimes = "(checkpoints): one hour (chosen) is ignored";
    assert!(ran.stderr.contains(&format!("{note} {lifetimes}")), "{ran:?}");
    play.variables.push(("FORCE_PROMPT_CACHING_5M", "1".to_owned()));
    let ran = play.run(&["Hi"]);
    let lifetimes = "(checkpoints): five minutes (FORCE_PROMPT_CACHING_5M) is ignored";
    assert!(ran.stderr.contains(&format!("{note} {lifetimes}")), "{ran:?}");
}

#[test]
fn on_the_next_day() {
    let play = check(&["--date", "2027-01-01"]);
    play.kept(4, "Today's date is now 2027-01-01.");
}

/// Returns the first name in backticks.
fn name(text: &str) -> String {
    text.split('`').nth(1).unwrap().to_owned()
}

#[test]
fn with_another_model() {
    for (model, kept) in [("claude-opus-5-5", 1), ("claude-opus-5", 1), ("claude-haiku-4-5", 0)] {
        // The first model's thinking is lost; Haiku 4.5 does not think by default.
        let play = check(&["--model", model]);
        play.lost(4, "three", kept);
        // The model stays without the argument, and knows its name.
        assert!(play.last().starts_with(&format!("{{\"model\":\"{model}\"")));
        let names: Vec<String> = play.last().split("- Model: ").skip(1).map(name).collect();
        assert_eq!(names, ["claude-sonnet-5-5", model]);
    }
}

#[test]
fn a_resume_without_betas_and_with_them_again() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    reminder(&play.place, "home", "own", "schedule: {kind: always}");
    play.say(&["one"]);
    let variable = "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS";
    play.variables.push((variable, "1".to_owned()));
    play.say(&["two"]);
    assert!(!play.last().contains("clear_at"));
    play.variables.clear();
    play.say(&["three", "four"]);
    play.accepted(5, "clear_at");
}

/// Plays a turn with one prompt, and three with others. The recorded prompt
/// stays unless the user changes it.
fn prompts(first: &[&str], second: &[&str], named: &str) {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.run(&[&["one"], first].concat());
    play.say(&["two"]);
    play.kept(3, "two");
    let ran = play.run(&[&["three"], second].concat());
    assert!(ran.stderr.contains(named), "{ran:?}");
    play.lost(4, "three", 0);
    let ran = play.run(&["four"]);
    assert!(!ran.stderr.contains("--"), "{ran:?}");
    play.run(&[&["five"], second].concat());
    play.lost(6, "five", 2);
}

#[test]
fn a_resume_with_another_appended_prompt() {
    let append = "--append-system-prompt";
    prompts(&[append, "Be brief."], &[append, "Be kind."], append);
    prompts(&[], &[append, "Be kind."], append);
}

#[test]
fn with_another_prompt() {
    let custom = "--system-prompt";
    prompts(&[custom, "You are a poet."], &[custom, "You are a cook."], custom);
    prompts(&[], &["--override-system-prompt", "Rhyme."], "--override-system-prompt");
}

#[test]
fn with_another_agent() {
    let mut play = Play::new();
    play.write("agent.md", "---\nname: reviewer\n---\nReview.\n");
    play.say(&["one"]);
    let ran = play.run(&["two", "--agent", "agent.md"]);
    assert!(ran.stderr.contains("--agent"), "{ran:?}");
    play.say(&["three"]);
    play.lost(3, "Review.", 1);
}

#[test]
fn a_resume_of_a_record_without_a_form_of_delivery() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.say(&["one"]);
    let path = play.place.transcript(play.id.as_ref().unwrap());
    let text = fs::read_to_string(&path).unwrap();
    let start = text.find(r#","delivery":{"#).unwrap();
    let end = start + text[start..].find('}').unwrap() + 1;
    fs::write(&path, format!("{}{}", &text[..start], &text[end..])).unwrap();
    play.say(&["two", "three"]);
    play.lost(4, "three", 1);
}

#[test]
fn after_a_snip() {
    let mut play = Play::of(vec![call(1, &["a.md"]), call(2, &["a.md"])]);
    play.say(&["one", "two"]);
    let path = play.place.transcript(play.id.as_ref().unwrap());
    let (mut transcript, contents) = SessionFile::open(&path, Owner::Session).unwrap();
    let records = contents.records.iter().flat_map(Record::entries);
    let entries: Vec<Entry> = records.cloned().collect();
    let response = entries.iter().find(|it| word(it) == "assistant").unwrap();
    let snip = aside_messages::conversation::EntryDraft::snip(vec![response.id]);
    let mut conversation = aside_messages::conversation::Conversation::new(
        uuid::Uuid::parse_str(play.id.as_ref().unwrap()).unwrap(),
    );
    for entry in &entries {
        conversation.push(entry.clone().into());
    }
    let snip = conversation.push(snip).clone();
    transcript.append(&[Record::Entry(Box::new(snip))]).unwrap();
    drop(transcript);
    play.say(&["three", "four"]);
    play.accepted(6, "four");
    assert!(!play.last().contains("toolu_1_0"));
}

/// Prompt sections keep their text in a session; the texts of the arguments
/// that you pass to resume it are appended.
#[test]
fn with_other_sections() {
    for layout in ["layered", "classic"] {
        for (arguments, text) in [
            (&["--brief"] as &[&str], "asked for brief answers"),
            (&["--token-budget", "1000"], "1000 output tokens"),
            (&["--scratchpad", "/tmp"], "`/tmp`"),
            (&["--add-dir", "/tmp"], "Additional working directory: /tmp"),
            (&["--unattended"], "three"),
        ] {
            let mut play = Play::of(vec![call(1, &["a.md"])]);
            play.say(&["one"]);
            play.run(&[&["two", "--layout", layout], arguments].concat());
            play.say(&["three"]);
            play.kept(4, text);
        }
    }
}

/// The tools refuse it from then on.
#[test]
fn without_an_additional_directory_of_the_earlier_run() {
    let mut play = Play::of(vec![call(1, &["a.md"])]);
    play.run(&["one", "--add-dir", "/tmp"]);
    assert!(play.last().contains("Additional working directory: /tmp"));
    play.say(&["two", "three"]);
    let last = play.last();
    let environments: Vec<&str> = last.split("# environment").skip(1).collect();
    let has_directory = environments.iter().map(|it| it.contains("Additional working directory"));
    assert_eq!(has_directory.collect::<Vec<_>>(), [true, false], "{last}");
    play.kept(4, "three");
}
