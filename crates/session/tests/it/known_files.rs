//! Which files the model knows, and what a mention of them sends.

mod stage;

use std::fs;

use aside_messages::conversation::EntryDraft;
use aside_session::{ReadExtent, removable};

use self::stage::Stage;
use crate::support::run;

fn lines(word: &str) -> String {
    (0..300).map(|line| format!("{word} {line} of the text\n")).collect()
}

#[test]
fn a_change_that_is_not_shown_is_not_known() {
    for is_resumed in [false, true] {
        let mut stage = Stage::new();
        stage.write("long", &lines("old"));
        stage.write("short", "old\n");
        stage.write("binary", "old\n");
        stage.mention(&["long", "short", "binary"]);
        stage.send();
        stage.answer();
        stage.write("long", &lines("new"));
        stage.write("short", "new\n");
        stage.disk.write(&stage.path("binary"), None);
        stage.conversation.push(EntryDraft::human("Go on."));
        let body = stage.send();
        assert!(body.contains("old 5 of") && !body.contains("new 299 of"), "{body}");
        if is_resumed {
            stage.resume();
            stage.session.take_notes(&stage.conversation);
        }
        let extents = ["long", "short", "binary"].map(|name| stage.extent(name).unwrap());
        assert_eq!(extents, [ReadExtent::Stale, ReadExtent::Whole, ReadExtent::Stale]);
        stage.answer();
        // A later change is told, and shows no more than itself.
        stage.write("long", &lines("new").replace("new 7 ", "newer 7 "));
        stage.conversation.push(EntryDraft::human("Go on."));
        assert!(stage.send().contains("newer 7 of"));
        assert_eq!(stage.extent("long"), Some(ReadExtent::Stale));
        stage.answer();
        stage.mention(&["long", "short", "binary"]);
        let body = stage.send();
        assert!(body.contains("new 299 of") && body.contains(r#""type":"image""#), "{body}");
        assert_eq!(stage.extent("long"), Some(ReadExtent::Whole));
        assert_eq!(body.matches("Result of calling the Read tool").count(), 5, "{body}");
    }
}

#[test]
fn a_compaction_sends_a_changed_file_as_it_is() {
    let mut stage = Stage::new();
    stage.write("long", &lines("old"));
    stage.mention(&["long"]);
    stage.send();
    stage.answer();
    stage.write("long", &lines("new"));
    stage.conversation.push(EntryDraft::human("Go on."));
    stage.send();
    stage.answer();
    run(stage.session.compact(&mut stage.conversation, "A summary."));
    stage.conversation.push(EntryDraft::human("Go on."));
    let body = stage.send();
    assert!(body.contains("new 299 of") && !body.contains("old 5 of"), "{body}");
    assert_eq!(stage.extent("long"), Some(ReadExtent::Whole));
}

#[test]
fn a_file_that_is_mentioned_after_a_compaction_is_sent_once() {
    for (text, is_resumed) in [("old\n", false), ("new\n", false), ("new\n", true)] {
        let mut stage = Stage::new();
        stage.write("file", "old\n");
        stage.write("other", "another text\n");
        stage.mention(&["file", "other"]);
        stage.send();
        stage.answer();
        run(stage.session.compact(&mut stage.conversation, "A summary."));
        stage.notes.extend(stage.session.take_notes(&stage.conversation));
        stage.write("file", text);
        stage.mention(&["file"]);
        if is_resumed {
            stage.notes.extend(stage.session.take_notes(&stage.conversation));
            stage.resume();
        }
        let body = stage.send();
        let (old, new) = if text == "old\n" { (1, 0) } else { (0, 1) };
        for (text, count) in
            [(r"1\told", old), (r"1\tnew", new), ("another text", 1), ("was modified", 0)]
        {
            assert_eq!(body.matches(text).count(), count, "{text}: {body}");
        }
        stage.answer();
        assert_eq!(stage.mention(&["file", "other"]).len(), 0);
    }
}

#[test]
fn a_file_whose_result_is_snipped_is_not_known() {
    for is_resumed in [false, true] {
        let mut stage = Stage::new();
        for name in ["a", "b", "c"] {
            stage.write(name, "text\n");
        }
        stage.mention(&["a"]);
        stage.send();
        let snipped = stage.read(&["b", "c"]);
        stage.send();
        stage.answer();
        stage.mention(&["c"]);
        stage.conversation.push(EntryDraft::snip(vec![snipped]));
        stage.send();
        stage.answer();
        if is_resumed {
            stage.resume();
        }
        let extents = ["a", "b", "c"].map(|name| stage.extent(name));
        assert_eq!(extents, [Some(ReadExtent::Whole), None, None]);
        assert_eq!(stage.mention(&["a", "b", "c"]).len(), 2);
        stage.send();
        stage.answer();
        assert_eq!(stage.mention(&["a", "b", "c"]).len(), 0);
    }
}

#[test]
fn an_image_that_is_left_out_is_sent_again() {
    for is_resumed in [false, true] {
        let mut stage = Stage::new();
        stage.disk.write(&stage.path("image"), None);
        stage.write("text", "text\n");
        let images = stage.mention(&["image", "text"]);
        stage.send();
        stage.answer();
        assert_eq!(stage.mention(&["image", "text"]).len(), 0);
        stage.send();
        stage.answer();
        stage.conversation.push(EntryDraft::human("And these?"));
        for _ in 0..600 {
            stage.conversation.push(images[0].clone());
        }
        assert!(stage.send().contains("An older image or document was left out"));
        stage.answer();
        if is_resumed {
            stage.resume();
        }
        assert_eq!(stage.mention(&["image", "text"]).len(), 1);
        stage.send();
        stage.answer();
        assert_eq!(stage.mention(&["image", "text"]).len(), 0);
    }
}

#[test]
fn files_of_a_prompt_that_a_compaction_keeps_stay_known() {
    for is_resumed in [false, true] {
        let mut stage = Stage::new();
        fs::create_dir(stage.path("sub")).unwrap();
        fs::write(stage.path("sub/CLAUDE.md"), "Use tabs.").unwrap();
        let long = lines("kept").repeat(5);
        stage.write("old", "earlier text\n");
        stage.write("sub/long", &long);
        stage.mention(&["old"]);
        stage.send();
        stage.answer();
        stage.mention(&["sub/long"]);
        stage.compact(None);
        let body = stage.send();
        for (text, count) in
            [("Use tabs.", 1), ("kept 5 of", 5), ("earlier text", 1), ("not repeated here", 0)]
        {
            assert_eq!(body.matches(text).count(), count, "{text}: {body}");
        }
        stage.answer();
        if is_resumed {
            stage.resume();
        }
        assert_eq!(stage.mention(&["old", "sub/long"]).len(), 0);
        stage.write("sub/long", &long.replacen("kept 7 ", "newer 7 ", 1));
        assert!(stage.send().contains("newer 7 of"));
        stage.answer();
        // What the next one does not keep is named.
        stage.conversation.push(EntryDraft::human("Go on."));
        stage.compact(None);
        assert!(stage.send().contains("not repeated here"));
    }
}

#[test]
fn results_that_a_compaction_keeps_are_not_sent_twice() {
    for (max_bytes, extent) in [(100, ReadExtent::Whole), (3, ReadExtent::Part)] {
        let mut stage = Stage::new();
        stage.write("old", "earlier text\n");
        stage.write("new", "later text\n");
        stage.mention(&["old"]);
        stage.send();
        stage.read(&["old"]);
        stage.send();
        stage.read(&["new"]);
        stage.compact(Some(max_bytes));
        let body = stage.send();
        assert_eq!(body.matches("earlier text").count(), 1, "{body}");
        assert_eq!(body.matches("later text").count(), usize::from(max_bytes > 3), "{body}");
        let extents = ["old", "new"].map(|name| stage.extent(name));
        assert_eq!(extents, [Some(ReadExtent::Whole), Some(extent)]);
    }
}

/// What a compaction shows again comes with the instruction files that concern it, and what it only
/// names comes without them.
#[test]
fn a_file_that_a_compaction_sends_again_has_its_instruction_files() {
    for is_resumed in [false, true] {
        let mut stage = Stage::new();
        for (file, text) in [
            ("sub/CLAUDE.md", "Use tabs."),
            ("large/CLAUDE.md", "Use spaces."),
            (".claude/rules/txt.md", "---\npaths: '**/*.txt'\n---\nWrap at 80."),
        ] {
            let path = stage.path(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        stage.write("sub/file.txt", "short text\n");
        stage.write("large/file", &lines("long").repeat(5));
        stage.mention(&["sub/file.txt", "large/file"]);
        stage.send();
        stage.answer();
        run(stage.session.compact(&mut stage.conversation, "A summary."));
        stage.notes.extend(stage.session.take_notes(&stage.conversation));
        if is_resumed {
            stage.resume();
        }
        stage.conversation.push(EntryDraft::human("Go on."));
        let body = stage.send();
        for (text, count) in
            [("short text", 1), ("Use tabs.", 1), ("Wrap at 80.", 1), ("Use spaces.", 0)]
        {
            assert_eq!(body.matches(text).count(), count, "{text}: {body}");
        }
        stage.answer();
        // What was only named is delivered with the file.
        stage.mention(&["sub/file.txt", "large/file"]);
        let body = stage.send();
        for text in ["short text", "Use tabs.", "Wrap at 80.", "Use spaces."] {
            assert_eq!(body.matches(text).count(), 1, "{text}: {body}");
        }
    }
}

#[test]
fn a_compaction_brings_no_removed_file_back() {
    let mut stage = Stage::new();
    let names = ["a", "b", "c", "d", "e", "f", "large"];
    for name in names {
        stage.write(name, &format!("the text {name}\n"));
    }
    stage.write("large", &lines("long").repeat(5));
    stage.mention(&names);
    stage.send();
    stage.answer();
    for name in ["b", "large"] {
        stage.disk.remove(&stage.path(name));
    }
    assert_eq!(run(stage.session.forget_removed_files(stage.disk.clone())), []);
    run(stage.session.compact(&mut stage.conversation, "A summary."));
    stage.conversation.push(EntryDraft::human("Go on."));
    let body = stage.send();
    for name in ["a", "c", "d", "e", "f"] {
        assert_eq!(body.matches(&format!("the text {name}")).count(), 1, "{name}: {body}");
    }
    assert!(!body.contains("the text b") && !body.contains("large"), "{body}");
}

#[test]
fn a_file_that_was_removed_after_a_compaction_is_not_shown_again() {
    for is_resumed in [false, true] {
        let mut stage = Stage::new();
        stage.write("a", "the text a\n");
        stage.write("b", "the text b\n");
        stage.mention(&["a", "b"]);
        stage.send();
        stage.answer();
        stage.write("b", "the later text b\n");
        run(stage.session.detect_external_edits(stage.disk.clone()));
        run(stage.session.compact(&mut stage.conversation, "A summary."));
        stage.notes.extend(stage.session.take_notes(&stage.conversation));
        stage.disk.remove(&stage.path("b"));
        if is_resumed {
            stage.resume();
        }
        stage.conversation.push(EntryDraft::human("Go on."));
        let body = stage.send();
        assert_eq!(body.matches("the text a").count(), 1, "{body}");
        assert!(!body.contains("text b"), "{body}");
        stage.answer();
        // Another file of this name is one that the model has not read.
        stage.write("b", "the text b\n");
        if is_resumed {
            stage.resume();
        }
        assert_eq!(stage.extent("b"), Some(ReadExtent::Stale));
        stage.conversation.push(EntryDraft::human("Go on."));
        assert!(!stage.send().contains("text b"));
    }
}

/// The result of an edit does not show the file, which the compaction removes.
#[test]
fn a_compaction_that_keeps_an_edit_forgets_the_file() {
    let mut stage = Stage::new();
    stage.write("file", "earlier text\n");
    stage.mention(&["file"]);
    stage.send();
    stage.answer();
    stage.conversation.push(EntryDraft::human("Edit it."));
    stage.send();
    stage.write("file", "later text\n");
    stage.call("Edit", &["file"], ReadExtent::Edit);
    stage.compact(Some(100));
    let body = stage.send();
    assert!(body.contains("was read before the conversation was compacted"), "{body}");
    assert_eq!(stage.extent("file"), None);
}

/// What the model knows of the other lines is of an earlier state.
#[test]
fn a_read_of_some_lines_hides_no_change_of_others() {
    for (first, later, extent) in [
        (ReadExtent::Whole, ReadExtent::Part, ReadExtent::Whole),
        (ReadExtent::Part, ReadExtent::Part, ReadExtent::Part),
        (ReadExtent::Edit, ReadExtent::Part, ReadExtent::Part),
        // The model's own edit, and a read of everything, leave nothing to tell.
        (ReadExtent::Whole, ReadExtent::Edit, ReadExtent::Part),
        (ReadExtent::Part, ReadExtent::Whole, ReadExtent::Whole),
    ] {
        let mut stage = Stage::new();
        stage.write("file", "one\ntwo\n");
        stage.conversation.push(EntryDraft::human("Look."));
        stage.send();
        stage.call("Read", &["file"], first);
        stage.send();
        stage.write("file", "one\nTWO\n");
        stage.call("Again", &["file"], later);
        let is_told = later == ReadExtent::Part;
        let body = stage.send();
        assert_eq!(body.matches("What changed").count(), usize::from(is_told), "{body}");
        stage.answer();
        stage.resume();
        assert_eq!(stage.extent("file"), Some(extent), "{first:?} {later:?}");
        stage.conversation.push(EntryDraft::human("Go on."));
        assert_eq!(stage.send().matches("What changed").count(), usize::from(is_told));
    }
}

#[test]
fn what_a_snipped_prompt_mentioned_is_gone() {
    let mut stage = Stage::new();
    stage.write("a", "text of a\n");
    stage.write("b", "text of b\n");
    let prompt = stage.conversation.entries().len();
    stage.mention(&["a"]);
    stage.send();
    stage.answer();
    stage.mention(&["b"]);
    let entries = stage.conversation.entries();
    let ids = removable(entries, &[entries[prompt].id.tag()]).unwrap();
    stage.conversation.push(EntryDraft::snip(ids));
    let body = stage.send();
    assert!(!body.contains("text of a") && body.contains("text of b"), "{body}");
    let extents = ["a", "b"].map(|name| stage.extent(name));
    assert_eq!(extents, [None, Some(ReadExtent::Whole)]);
}

#[test]
fn a_file_that_was_brought_back_is_unknown_once_its_prompt_is_snipped() {
    let mut stage = Stage::new();
    stage.write("a", "text of a\n");
    stage.mention(&["a"]);
    stage.send();
    stage.answer();
    stage.compact(None);
    let prompt = stage.conversation.entries().len();
    stage.conversation.push(EntryDraft::human("Go on."));
    assert!(stage.send().contains("text of a"));
    stage.answer();
    stage.conversation.push(EntryDraft::human("And now?"));
    let entries = stage.conversation.entries();
    let ids = removable(entries, &[entries[prompt].id.tag()]).unwrap();
    stage.conversation.push(EntryDraft::snip(ids));
    assert!(!stage.send().contains("text of a"));
    assert_eq!(stage.extent("a"), None);
}

#[test]
fn a_skill_is_not_withdrawn_when_its_file_is_snipped() {
    let mut stage = Stage::new();
    let skill = stage.path(".claude/skills/lex");
    fs::create_dir_all(&skill).unwrap();
    let header = "---\nname: lex\ndescription: Writes a lexer.\npaths: src/**\n---\n";
    fs::write(skill.join("SKILL.md"), header).unwrap();
    stage.write("src/x", "text\n");
    let send = |stage: &mut Stage| {
        assert_eq!(run(stage.session.refresh()), []);
        stage.send()
    };
    stage.conversation.push(EntryDraft::human("Look."));
    assert!(!send(&mut stage).contains("Writes a lexer."));
    let answer = stage.read(&["src/x"]);
    assert!(send(&mut stage).contains("Writes a lexer."));
    stage.answer();
    stage.conversation.push(EntryDraft::snip(vec![answer]));
    for is_resumed in [false, true] {
        if is_resumed {
            stage.resume();
        }
        stage.conversation.push(EntryDraft::human("Go on."));
        let body = send(&mut stage);
        assert_eq!(stage.extent("src/x"), None);
        assert_eq!(body.matches("Writes a lexer.").count(), 1, "{body}");
        assert!(!body.contains("skills are no longer available"), "{body}");
        stage.answer();
    }
}
