//! Compaction on demand.

use super::*;

fn compacted(talk: &mut Talk) {
    let members = talk.members.clone();
    talk.members += r#""compaction":{"type":"summarize"},"#;
    talk.messages.push(user("Summarize."));
    let answer = talk.send(&Draft::polite()).unwrap();
    assert_eq!(answer.stop_reason, "compaction");
    // The tokens of a compaction are in `iterations` alone.
    let usage = &answer.usage;
    assert_eq!((usage.total_input(), usage.output_tokens), (0, 0));
    assert_eq!(usage.iterations.len(), 1, "{usage:?}");
    let compaction = &usage.iterations[0];
    assert!(compaction.input_tokens > 0 && compaction.output_tokens > 0);
    let events = answer.events();
    let is_with = |event: &String| event.contains(r#""iterations":[{"type":"compaction""#);
    assert_eq!(events.iter().filter(|it| is_with(it)).count(), 1);
    talk.members = members;
    talk.messages = vec![assistant(&answer.content_json())];
}

#[test]
fn the_compaction_block_replaces_the_summarized_messages() {
    let mut talk = Talk::new(BOUND);
    talk.say("one").unwrap();
    compacted(&mut talk);
    talk.say("two").unwrap();
    talk.say("three").unwrap();
    talk.messages[1] = user("zwei");
    assert_ne!(talk.first_difference(), "");
}

#[test]
fn a_changed_or_misplaced_block_is_refused() {
    let cases: [(Change, &str); 4] = [
        (|it| it.messages.insert(0, user("x")), "compaction_block_misplaced"),
        (|it| it.messages.push(it.messages[0].clone()), "compaction_block_ambiguous"),
        (
            |it| it.messages[0] = it.messages[0].replace("sentence", "word"),
            "compaction_content_mismatch",
        ),
        (
            |it| it.messages[0] = it.messages[0].replace(r#""signature":""#, r#""signature":"0"#),
            "compaction_signature_invalid",
        ),
    ];
    for (change, code) in cases {
        let mut talk = Talk::new(BOUND);
        talk.say("one").unwrap();
        compacted(&mut talk);
        change(&mut talk);
        assert_eq!(talk.say("two").unwrap_err().code(), Some(code));
    }
}
