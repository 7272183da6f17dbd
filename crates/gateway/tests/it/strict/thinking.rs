//! Thinking and the prefix that it is bound to.

use aside_gateway::strict::{Draft, StrictRequest};
use proptest::prelude::*;

use super::*;

fn talk() -> Talk {
    let mut talk = Talk::new(BOUND);
    talk.members = r#""tools":[{"name":"Read","input_schema":{"type":"object"}}],
        "system":[{"type":"text","text":"Be kind."}],"#
        .to_owned();
    talk.say("one").unwrap();
    talk.say("two").unwrap();
    talk
}

#[test]
fn an_append_only_conversation_is_accepted() {
    let mut talk = talk();
    for turn in 0..5 {
        talk.say(&format!("turn {turn}")).unwrap();
    }
}

#[test]
fn each_changed_part_of_the_prefix_is_named() {
    let cases: [(Change, &str); 5] = [
        (|it| it.members = it.members.replace("kind", "brief"), "system.0"),
        (|it| it.members = it.members.replace("Read", "Write"), "tools.0"),
        (|it| it.messages[0] = user("none"), "messages.0.content.0"),
        (|it| it.messages[2] = it.messages[2].replace("two", "zwei"), "messages.2.content.0"),
        (|it| it.messages[1] = it.messages[1].replace("fixed", "new"), "messages.1.content.1"),
    ];
    for (change, path) in cases {
        let mut talk = talk();
        change(&mut talk);
        assert_eq!(talk.first_difference(), path);
    }
}

#[test]
fn a_removed_block_is_named_and_not_the_one_behind_it() {
    let mut talk = Talk::new(BOUND);
    let two =
        r#"{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}"#;
    talk.messages.push(two.to_owned());
    talk.send(&Draft::polite()).unwrap();
    talk.messages[0] = user("one");
    assert_eq!(talk.first_difference(), "messages.0.content.1");
}

#[test]
fn between_tools_there_is_no_thinking_before_a_result() {
    let mut talk = Talk::new("claude-sonnet-5-5");
    talk.members = r#""thinking":{"type":"between_tools"},"#.to_owned();
    talk.messages.push(user("Read a.md."));
    let thinks = |answer: &aside_gateway::strict::Response| {
        answer.content_json().contains(r#""type":"thinking""#)
    };
    let draft = Draft::new().thinking("Hm.");
    let call = draft.tool_use_with_id("toolu_1", "Read", "{}").unwrap();
    assert!(!thinks(&talk.send(&call).unwrap()));
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}"#;
    talk.messages.push(result.to_owned());
    assert!(thinks(&talk.send(&Draft::polite()).unwrap()));
}

#[test]
fn an_unbound_model_takes_any_prefix() {
    let mut talk = Talk::new(UNBOUND);
    talk.say("one").unwrap();
    talk.messages[0] = user("another");
    talk.say("two").unwrap();
}

#[test]
fn parameters_outside_the_prefix_may_change() {
    let changes: [Change; 4] = [
        // A marker.
        |it| {
            let marked = r#""text":"one","cache_control":{"type":"ephemeral"}"#;
            it.messages[0] = it.messages[0].replace(r#""text":"one""#, marked);
        },
        // Parameters.
        |it| it.members += r#""output_config":{"effort":"low"},"stop_sequences":["x"],"#,
        // A deferred tool that was appended.
        |it| {
            let more =
                r#"}},{"name":"New","defer_loading":true,"input_schema":{"type":"object"}}]"#;
            it.members = it.members.replace("}}]", more);
        },
        // The thinking itself, all of it.
        |it| {
            for message in &mut it.messages {
                if let Some(end) = message.find(r#"{"type":"text","text":"This answer"#) {
                    *message = assistant(&format!("[{}", &message[end..message.len() - 1]));
                }
            }
        },
    ];
    for change in changes {
        let mut talk = talk();
        change(&mut talk);
        talk.say("three").unwrap();
    }
}

#[test]
fn a_deferred_tool_is_bound_to_the_blocks_after_its_first_reference() {
    let mut talk = talk();
    let before = talk.members.clone();
    let deferred = |kind| {
        let schema = format!(r#"{{"type":"object","title":"{kind}"}}"#);
        let tool =
            format!(r#""tools":[{{"name":"New","defer_loading":true,"input_schema":{schema}}},"#);
        before.replacen(r#""tools":["#, &tool, 1)
    };
    // Nothing refers to it: it can be added before other tools, and changed.
    for members in [deferred("one"), deferred("two")] {
        talk.members = members;
        talk.say("three").unwrap();
    }
    let addition = r#"{"type":"tool_addition","tool":{"type":"tool_reference","name":"New"}}"#;
    talk.messages.push(user("four"));
    talk.messages.push(format!(r#"{{"role":"system","content":[{addition}]}}"#));
    talk.send(&Draft::polite()).unwrap();
    talk.members = deferred("three");
    assert_eq!(talk.first_difference(), "messages.9.content.0");
}

#[test]
fn a_forged_or_cut_signature_is_refused_without_a_remedy() {
    let mut talk = talk();
    talk.messages[1] = talk.messages[1].replacen(r#""signature":""#, r#""signature":"0"#, 1);
    talk.members += DROP;
    let refused = talk.say("three").unwrap_err();
    assert_eq!(refused.message(), "messages.1.content.0: Invalid `signature` in `thinking` block");
}

const DROP: &str = r#""thinking":{"type":"adaptive",
    "block_binding":{"prefix_mismatch_behavior":"drop_block"}},"#;

#[test]
fn drop_block_drops_the_block_and_every_later_one() {
    let mut talk = talk();
    talk.members += DROP;
    talk.messages[2] = user("zwei");
    let answer = talk.say("three").unwrap();
    let dropped = answer.input_transformations.unwrap();
    let paths: Vec<_> = dropped.iter().map(|it| (&*it.path, it.reason)).collect();
    assert_eq!(paths, [("messages.3.content.0", "prefix_binding_mismatch")]);
    // It has to be sent with every later request.
    let answer = talk.say("four").unwrap();
    assert_eq!(answer.input_transformations.unwrap().len(), 2);
    talk.members = talk.members.replace("drop_block", "error");
    let refused = talk.say("five").unwrap_err();
    assert!(refused.message().starts_with("messages.3.content.0: "), "{refused}");
}

/// Thinking that is dropped, and a text in thinking that was omitted, are not billed.
#[test]
fn only_thinking_that_the_model_reads_is_billed() {
    let long = "a long thought ".repeat(200);
    let billed = |display: &str, change: Change| {
        let mut talk = Talk::new(BOUND);
        talk.members = format!(
            r#""thinking":{{"type":"adaptive","display":"{display}","block_binding":{{"prefix_mismatch_behavior":"drop_block"}}}},"system":[{{"type":"text","text":"Be kind."}}],"#
        );
        talk.messages.push(user("one"));
        talk.send(&Draft::new().thinking(&long).text("Done.")).unwrap();
        talk.messages.push(user("two"));
        change(&mut talk);
        talk.send(&Draft::polite()).unwrap().usage.total_input()
    };
    let read = billed("summarized", |_| {});
    assert!(read > 600, "{read}");
    let dropped = billed("summarized", |it| it.members = it.members.replace("kind", "nice"));
    assert!(dropped < 30, "{dropped}");
    let omitted = billed("omitted", |_| {});
    let filled = billed("omitted", |it| {
        let text = format!(r#""thinking":"{}""#, "put there ".repeat(200));
        it.messages[1] = it.messages[1].replace(r#""thinking":"""#, &text);
        assert!(it.messages[1].contains("put there"));
    });
    assert_eq!(filled, omitted);
}

#[test]
fn the_control_needs_its_beta() {
    let body = body(BOUND, DROP, &[user("one")]);
    let refused = judge().answer(&StrictRequest::new(body.as_bytes())).unwrap_err();
    assert!(refused.message().ends_with("block_binding: Extra inputs are not permitted"));
    assert!(judge().answer(&request(&body)).is_ok());
}

/// Removes the thinking of these turns, counted from 0.
fn without(talk: &mut Talk, turns: &[usize]) {
    for turn in turns {
        let message = &mut talk.messages[turn * 2 + 1];
        let end = message.find(r#"{"type":"text","text":"This answer"#).unwrap();
        *message = assistant(&format!("[{}", &message[end..message.len() - 1]));
    }
}

#[test]
fn thinking_may_be_removed_from_an_end_and_not_restored() {
    for (removed, is_valid) in [
        (&[0][..], true),
        (&[0, 1], true),
        (&[2], true),
        (&[0, 1, 2], true),
        (&[1], false),
        (&[0, 2], true),
    ] {
        let mut talk = talk();
        talk.say("three").unwrap();
        without(&mut talk, removed);
        assert_eq!(talk.say("four").is_ok(), is_valid, "{removed:?}");
    }
    let mut talk = talk();
    let whole = talk.messages.clone();
    without(&mut talk, &[0, 1]);
    talk.say("three").unwrap();
    talk.messages[..4].clone_from_slice(&whole);
    let refused = talk.say("four").unwrap_err();
    assert!(refused.message().starts_with("messages.5.content.0: "), "{refused}");
}

#[test]
fn another_models_thinking_is_dropped_without_an_error() {
    let mut talk = talk();
    talk.model = "claude-sonnet-5-5";
    talk.messages[0] = user("changed");
    let answer = talk.say("three").unwrap();
    let dropped = answer.input_transformations.unwrap();
    assert_eq!(dropped.len(), 2);
    assert_eq!(dropped[0].reason, "model_binding_mismatch");
}

#[test]
fn thinking_is_signed_in_several_blocks_of_one_answer() {
    let mut talk = talk();
    talk.messages.push(user("three"));
    let draft =
        Draft::new().thinking("a").text("A").redacted_thinking().tool_use("Read", "{}").unwrap();
    talk.send(&draft).unwrap();
    let id = talk.messages[5].split("toolu_").nth(1).unwrap()[..24].to_owned();
    let result = format!(
        r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{id}","content":"x"}}]}}"#
    );
    talk.messages.push(result);
    let before = talk.messages.clone();
    talk.send(&Draft::polite()).unwrap();
    // Without its first block, the latest message is a modified one.
    talk.messages = before;
    let start = talk.messages[5].find(r#"{"type":"text""#).unwrap();
    talk.messages[5] =
        assistant(&format!("[{}", &talk.messages[5][start..talk.messages[5].len() - 1]));
    let refused = talk.send(&Draft::polite()).unwrap_err();
    assert!(refused.message().contains("cannot be modified"), "{refused}");
}

/// A response's blocks: thinking, text, thinking, text, tool use.
type Blocks = Vec<serde_json::Value>;

/// Sends a changed response back, alone or behind another one without thinking.
fn sent_back(is_latest: bool, change: fn(&mut Blocks)) -> Result<(), String> {
    let mut talk = talk();
    talk.messages.push(user("three"));
    let draft = Draft::new().thinking("a").text("Äh \"A\"").thinking("b").text("B");
    talk.send(&draft.tool_use_with_id("toolu_1", "Read", r#"{"b":1,"a":2}"#).unwrap()).unwrap();
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}"#;
    talk.messages.push(result.to_owned());
    if !is_latest {
        talk.send(&Draft::new().text("Done.")).unwrap();
        talk.messages.push(user("four"));
    }
    let mut message: serde_json::Value = serde_json::from_str(&talk.messages[5]).unwrap();
    let blocks = message["content"].as_array_mut().unwrap();
    assert_eq!(blocks.len(), 5);
    change(blocks);
    talk.messages[5] = message.to_string();
    talk.send(&Draft::polite()).map(|_| ()).map_err(|it| it.message().to_owned())
}

#[test]
fn thinking_keeps_its_place_in_its_response() {
    let moved: [fn(&mut Blocks); 5] = [
        |it| it[1]["text"] = "edited".into(),
        |it| drop(it.remove(1)),
        |it| it.insert(0, serde_json::json!({"type": "text", "text": "new"})),
        |it| it.swap(1, 2),
        |it| it.swap(0, 1),
    ];
    for (index, change) in moved.into_iter().enumerate() {
        for is_latest in [true, false] {
            let refused = sent_back(is_latest, change).expect_err(&index.to_string());
            assert!(refused.contains("bound to a different conversation"), "{index}: {refused}");
        }
    }
    let kept: [fn(&mut Blocks); 5] = [
        |_| {},
        |it| it[3]["text"] = "behind the thinking".into(),
        |it| it.retain(|it| it["type"] != "thinking"),
        // As serializers write them.
        |it| it[1]["citations"] = serde_json::Value::Null,
        // Broken off, and answered nevertheless.
        |it| drop(it.drain(2..4)),
    ];
    for (index, change) in kept.into_iter().enumerate() {
        for is_latest in [true, false] {
            assert_eq!(sent_back(is_latest, change), Ok(()), "{index}");
        }
    }
}

#[test]
fn thinking_of_the_latest_response_is_whole_or_gone() {
    let without_last: fn(&mut Blocks) = |it| drop(it.remove(2));
    let modified: [fn(&mut Blocks); 3] =
        [|it| drop(it.remove(0)), without_last, |it| it.swap(0, 2)];
    for (change, block) in modified.into_iter().zip([1, 0, 0]) {
        let path = &format!("messages.5.content.{block}: ");
        let refused = sent_back(true, change).expect_err(path);
        assert!(refused.starts_with(path.as_str()), "{refused}");
        assert!(refused.contains("cannot be modified"), "{refused}");
    }
    // Of an earlier response, it may be removed from the newest back.
    assert_eq!(sent_back(false, without_last), Ok(()));
}

/// Sends a response back without its texts, which clients do if they are blank.
fn sent_without(text: &str, change: fn(&mut Blocks)) -> Result<(), String> {
    let mut talk = talk();
    talk.messages.push(user("three"));
    let draft = Draft::new().thinking("a").text(text).thinking("b").text(text);
    talk.send(&draft.tool_use_with_id("toolu_1", "Read", "{}").unwrap()).unwrap();
    let mut message: serde_json::Value = serde_json::from_str(&talk.messages[5]).unwrap();
    let blocks = message["content"].as_array_mut().unwrap();
    blocks.retain(|it| it["type"] != "text");
    assert_eq!(blocks.len(), 3);
    change(blocks);
    talk.messages[5] = message.to_string();
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}"#;
    talk.messages.push(result.to_owned());
    talk.send(&Draft::polite()).map(|_| ()).map_err(|it| it.message().to_owned())
}

#[test]
fn thinking_is_not_bound_to_blank_text() {
    let without_last: fn(&mut Blocks) = |it| drop(it.remove(1));
    for blank in ["", "\n\n", " \u{a0}"] {
        assert_eq!(sent_without(blank, |_| {}), Ok(()), "{blank:?}");
        // All other blocks are there, so the response was not broken off.
        let refused = sent_without(blank, without_last).expect_err(blank);
        assert!(refused.contains("cannot be modified"), "{blank:?}: {refused}");
    }
    let refused = sent_without("\n.", |_| {}).expect_err("text was removed");
    assert!(refused.contains("bound to a different conversation"), "{refused}");
    assert_eq!(sent_without("\n.", without_last), Ok(()));
}

/// An edit of an earlier message, at random.
#[derive(Clone, Debug)]
enum Edit {
    Byte(usize),
    Insert(usize),
    Remove(usize),
    Swap(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    (0..4_u8, 0..64_usize).prop_map(|(kind, at)| match kind {
        0 => Edit::Byte(at),
        1 => Edit::Insert(at),
        2 => Edit::Remove(at),
        _ => Edit::Swap(at),
    })
}

proptest! {
    /// After an edit before a thinking block, the block is refused; after an
    /// edit behind the last one, the request is accepted.
    #[test]
    fn an_edit_before_thinking_is_refused(turns in 1..5_usize, edit in edit()) {
        let mut talk = Talk::new(BOUND);
        for turn in 0..turns {
            talk.say(&format!("turn {turn}")).unwrap();
        }
        // The user messages are at even indices, the last at `turns * 2 - 2`.
        let place = |at: usize| (at % turns) * 2;
        match edit {
            Edit::Byte(at) => {
                let message = &mut talk.messages[place(at)];
                *message = message.replace("turn", "burn");
            }
            Edit::Insert(at) => talk.messages.insert(place(at), user("new")),
            Edit::Remove(at) => drop(talk.messages.remove(place(at))),
            Edit::Swap(at) => {
                let message = &mut talk.messages[place(at)];
                *message = message.replace(r#""content":["#, r#""content":[{"type":"text","text":"reminder"},"#);
            }
        }
        let refused = talk.say("last");
        prop_assert!(refused.is_err());
        prop_assert!(refused.unwrap_err().message().contains("bound to a different conversation"));
    }
}
