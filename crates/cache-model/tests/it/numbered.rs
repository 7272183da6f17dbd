//! Requests of one provider in a log that has others in between.

use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules, Linter, Timed};

/// Returns the parent's index and the first request of the finding, in a log whose second request
/// has another system prompt.
fn named(indices: [Option<usize>; 2]) -> (usize, usize) {
    let body = |rules: &str, more: &str| {
        let text = "word ".repeat(3_000);
        format!(
            r#"{{"model":"claude-opus-5-5","cache_control":{{"type":"ephemeral"}},"system":"{rules} {text}","messages":[{{"role":"user","content":"Hi"}}{more}]}}"#
        )
    };
    let more = r#",{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on"}"#;
    let bodies = [body("Be careful.", ""), body("Be kind.", more)];
    let (mut model, mut linter) = (CacheModel::new(CacheRules::anthropic()), Linter::new());
    let (mut parent, mut log) = (None, Vec::new());
    for (at, (body, index)) in (0..).zip(bodies.iter().zip(indices)) {
        let request = Body::parse(body.as_bytes()).unwrap();
        let mut entry = Timed::new(request, Duration::from_secs(30 * at));
        entry.index = index;
        let verdict = model.replay(&entry);
        linter.add(&model, &entry, &verdict);
        parent = verdict.parent;
        log.push(entry);
    }
    assert_eq!(aside_cache_model::parent(&log, 1).unwrap().index, 0);
    let found = linter.finish();
    let found = found.iter().find(|it| it.rule == "prefix-changed").unwrap();
    (parent.unwrap().index, found.first)
}

#[test]
fn verdicts_and_findings_name_requests_by_their_index_in_the_log() {
    assert_eq!(named([Some(3), Some(7)]), (3, 8));
    assert_eq!(named([None, None]), (0, 2));
}
