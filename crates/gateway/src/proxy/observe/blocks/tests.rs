use super::*;

/// Returns the block that these deltas make from this start.
fn block(start: &str, deltas: &[&str]) -> Option<String> {
    let mut blocks = Blocks::default();
    let mut event = |json: String| {
        let tape = Tape::parse(json.as_bytes()).unwrap();
        blocks.event(tape.root());
    };
    event(format!(
        r#"{{"type":"content_block_start","index":0,"content_block":{start}}}"#
    ));
    for delta in deltas {
        event(format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#
        ));
    }
    let content = blocks.end()?;
    content.first().map(|it| it.get().to_owned())
}

#[test]
fn deltas_complete_a_block_of_every_type() {
    for (start, deltas, expected) in [
        (
            r#"{"type":"text","text":"","citations":[]}"#,
            &[
                r#"{"type":"text_delta","text":"a"}"#,
                r#"{"type":"citations_delta","citation":{"type":"page_location"}}"#,
                r#"{"type":"text_delta","text":"b"}"#,
            ][..],
            r#"{"type":"text","text":"ab","citations":[{"type":"page_location"}]}"#,
        ),
        (
            r#"{"type":"thinking","thinking":"","signature":""}"#,
            &[
                r#"{"type":"thinking_delta","thinking":"Hm"}"#,
                r#"{"type":"signature_delta","signature":"s"}"#,
            ],
            r#"{"type":"thinking","thinking":"Hm","signature":"s"}"#,
        ),
        (
            r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{},"caller":{"type":"direct"}}"#,
            &[
                r#"{"type":"input_json_delta","partial_json":"{\"query\": "}"#,
                r#"{"type":"input_json_delta","partial_json":"1.50}"}"#,
            ],
            r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","caller":{"type":"direct"},"input":{"query": 1.50}}"#,
        ),
        (
            r#"{"type":"compaction","content":null}"#,
            &[r#"{"type":"compaction_delta","content":"A summary."}"#],
            r#"{"type":"compaction","content":"A summary."}"#,
        ),
        (
            r#"{"type":"later","parts":[]}"#,
            &[r#"{"type":"later_delta","content":[1]}"#],
            r#"{"type":"later","parts":[]}"#,
        ),
    ] {
        assert_eq!(block(start, deltas).as_deref(), Some(expected));
    }
}

#[test]
fn a_call_that_broke_off_is_left_out() {
    let start = r#"{"type":"tool_use","id":"toolu_1","name":"Read","input":{}}"#;
    let half = r#"{"type":"input_json_delta","partial_json":"{\"a\":"}"#;
    assert_eq!(block(start, &[half]), None);
    assert_eq!(block(start, &[]).as_deref(), Some(start));
}
