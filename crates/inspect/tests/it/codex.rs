//! When requests of Codex began.

use crate::rows::rows;

/// Codex writes the usage of a response after its tools have ended.
#[test]
fn a_request_of_codex_has_the_time_of_its_response() {
    // The minutes of the second response, its end and the third, and the cause of the third.
    let check = |[response, end, third]: [u64; 3], expected: &str| {
        let line = |minute: u64, kind: &str, payload: &str| {
            format!(
                r#"{{"timestamp":"2026-11-20T10:{minute:02}:00Z","type":"{kind}","payload":{{{payload}}}}}"#
            )
        };
        let item = |minute, kind: &str| line(minute, "response_item", kind);
        let call = |minute| item(minute, r#""type":"function_call","call_id":"c""#);
        let output = |minute| item(minute, r#""type":"function_call_output","call_id":"c""#);
        let count = |minute, number: u64, read: u64| {
            let payload = format!(
                r#""type":"token_count","info":{{"total_token_usage":{{"total_tokens":{number}}},"last_token_usage":{{"input_tokens":3{number}000,"cached_input_tokens":{read},"cache_write_input_tokens":1000}}}}"#
            );
            line(minute, "event_msg", &payload)
        };
        let record = |minute| line(minute, "token_usage_record", r#""usage":{}"#);
        let log = [
            line(0, "session_meta", r#""id":"s""#),
            line(0, "turn_context", r#""model":"gpt-5.6""#),
            // An interrupted response.
            call(0),
            line(1, "turn_context", r#""model":"gpt-5.6""#),
            item(1, r#""type":"message","role":"user""#),
            call(2),
            record(2),
            output(2),
            count(2, 1, 0),
            call(response),
            record(response),
            count(response, 1, 0),
            output(end),
            count(end, 2, 30_000),
            record(third),
            count(third, 3, 0),
        ];
        let rows = rows(&log.join("\n"));
        let minutes: Vec<_> = rows.iter().map(|it| it.at.as_secs() / 60 % 60).collect();
        assert_eq!(minutes, [2, response, third]);
        let cause = rows[2].cause.as_ref().map(|it| it.name.as_ref());
        assert_eq!(cause, Some(expected), "{rows:?}");
    };
    check([3, 48, 49], "expired");
    check([3, 4, 49], "expired");
    check([47, 48, 49], "unknown: the log has no bodies");
}

/// Earlier versions of Codex wrote the usage of a response before its items.
#[test]
fn the_items_of_a_response_may_follow_its_usage() {
    let line = |minute: u64, kind: &str, payload: &str| {
        format!(
            r#"{{"timestamp":"2026-11-20T10:{minute:02}:00Z","type":"{kind}","payload":{{{payload}}}}}"#
        )
    };
    let count = |minute, total: u64| {
        let payload = format!(
            r#""type":"token_count","info":{{"total_token_usage":{{"total_tokens":{total}}},"last_token_usage":{{"input_tokens":9}}}}"#
        );
        line(minute, "event_msg", &payload)
    };
    let log = [
        count(1, 9),
        line(1, "response_item", r#""type":"function_call","call_id":"c""#),
        line(45, "response_item", r#""type":"function_call_output","call_id":"c""#),
        count(46, 18),
    ];
    let rows = rows(&log.join("\n"));
    let minutes: Vec<_> = rows.iter().map(|it| it.at.as_secs() / 60 % 60).collect();
    assert_eq!(minutes, [1, 46]);
}
