use aside_agent::{ClientErrorKind, LoopError, Outcome};
use aside_messages::conversation::EntryDraft;
use aside_transport::Replay;

use crate::agent_loop::scripted::{World, cassette, run, transcript, turn};
use crate::agent_loop::strict::StrictClient;

/// Checks the error for a text that is no recording.
fn check(json: &str, expected: &str) {
    let error = Replay::parse("c.json", json).unwrap_err();
    assert_eq!(error.to_string(), expected, "{json}");
}

#[test]
fn a_malformed_cassette_is_reported_with_its_line() {
    check("", "c.json:1: EOF while parsing a value");
    check("[1,[]]", "c.json:1: expected an object, found a list");
    check("{}", "c.json:1: missing key `version`");
    check("\u{feff}{}", "c.json:1: missing key `version`");
    check(
        "{\"version\":1,\"answers\":[\n[]]}",
        "c.json:2: answers[0]: expected an object, found a list",
    );
    check("{\"version\":2}", "c.json:1: unsupported version 2, expected 1");
    check(
        "{\n\"version\":1,\n\"answers\":[\n{\"content\":1}]}",
        "c.json:4: content: expected a string or an array of content blocks, found 1",
    );
    check(
        "{\"version\":1,\"answers\":[\n{\n\"content\":\n[{\"type\":\"text\"}]}]}",
        "c.json:4: content[0].text: expected a string, found nothing",
    );
    check("{\"version\":1,\"answers\":[{},\n{}]}", "c.json:1: an answer has content or an error");
    check(
        "{\"version\":1,\"answers\":[{\"content\":\"\",\n\"usage\":{\"output_tokens\":-1}}]}",
        "c.json:2: answers[0].usage.output_tokens: \
         expected a whole number that is not negative, found -1",
    );
    check(
        "{\"version\":1,\"answers\":[{\"content\":\"\",\"error\":{\"status\":500}}]}",
        "c.json:1: an answer with an error has no content",
    );
    for key in ["expect", "usage"] {
        check(
            &format!("{{\"version\":1,\"answers\":[{{\"content\":\"\",\n\"{key}\":[]}}]}}"),
            &format!("c.json:2: answers[0].{key}: expected an object, found a list"),
        );
    }
    check(
        "{\"version\":1,\"answers\":[\n{\"error\":[500]}]}",
        "c.json:2: answers[0].error: expected an object, found a list",
    );
}

#[test]
fn unknown_keys_of_a_cassette_are_ignored() {
    let json = r#"{"version":1,"made_by":"x","answers":[{"content":[{"type":"hologram","x":1}],"mood":"good"}]}"#;
    assert!(Replay::parse("c.json", json).is_ok());
}

/// Checks the error for a request without a recorded response.
fn refused(answers: &str, expected: &str) {
    let json = format!(r#"{{"version":1,"answers":[{answers}]}}"#);
    let client = StrictClient::new(Replay::parse("c.json", &json).unwrap());
    let mut agent = World::default().start(&client);
    agent.push(EntryDraft::human("hello")).unwrap();
    let Err(LoopError::Client(error)) = run(&mut agent) else {
        unreachable!("{answers} was an answer");
    };
    assert_eq!(error.kind(), ClientErrorKind::Unexpected);
    assert_eq!(error.to_string(), expected);
}

#[test]
fn an_unexpected_request_is_refused() {
    refused("", "c.json: no response to request 1, only to 0");
    refused(
        r#"{"when":{"last":["bye"]},"content":"x"}"#,
        "c.json: no response to request 1, the `when` of no answer left matches it",
    );
    refused(
        r#"{"content":[{"type":"tool_use","reads":"a.md"}]}"#,
        "c.json: answer 1 has `reads` or `delegates`, for which only a server chooses a tool",
    );
    let other = "c.json: answer 1 is to another request: ";
    refused(
        r#"{"expect":{"messages":2},"content":"x"}"#,
        &format!("{other}the number of messages: expected 2, found 1"),
    );
    refused(
        r#"{"expect":{"last":["hello","bye"]},"content":"x"}"#,
        &format!("{other}the last message: expected \"bye\" in it"),
    );
    refused(
        r#"{"expect":{"anywhere":["You are Aside","bye"]},"content":"x"}"#,
        &format!("{other}the request: expected \"bye\" in it"),
    );
    refused(
        r#"{"expect":{"tools":["Read"]},"content":"x"}"#,
        &format!(
            "{other}the tools: expected [\"Read\"], found [\"Abort\", \"Fail\", \"Fast\", \"Panic\", \"Slow\"]"
        ),
    );
    refused(
        r#"{"expect":{"model":"m"},"content":"x"}"#,
        &format!("{other}the model: expected \"m\", found \"claude-sonnet-5-5\""),
    );
}

/// A script for a server is replayed too: responses are left for the requests that they are for,
/// and incomplete calls are completed.
#[test]
fn a_script_of_a_server_is_replayed() {
    let script = cassette(&[
        r#"{"when":{"last":["never"]},"content":"Never."}"#,
        r#"{"content":[{"type":"tool_use","name":"Fast"}],"delay_ms":60000}"#,
        r#"{"content":"Done.","times":2}"#,
    ]);
    let mut agent = World::default().start(&StrictClient::new(script));
    assert_eq!(turn(&mut agent, "Go"), Outcome::Done);
    assert_eq!(turn(&mut agent, "Again"), Outcome::Done);
    let entries = transcript(agent.conversation());
    let answers = entries.iter().filter(|it| *it == "assistant: Done.");
    assert_eq!(answers.count(), 2, "{entries:?}");
    assert!(entries[1].starts_with("assistant: Fast#toolu_"), "{entries:?}");
}
