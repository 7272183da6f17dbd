//! A request has one price: its row, its report and its layers have the same.

use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules, Cost, Timed, Usage};
use aside_inspect::{Step, TextOptions, report};

/// Returns a request's price, if another model answered it and the log has its usage.
fn price(member: &str, answered: Option<&str>, billed: fn(Usage) -> Option<Usage>) -> String {
    let text = "word ".repeat(3_000);
    let body = format!(
        r#"{{"model":"claude-opus-5",{member}"cache_control":{{"type":"ephemeral"}},"system":"{text}","messages":[{{"role":"user","content":"Hi"}}]}}"#
    );
    let request = Body::parse(body.as_bytes()).unwrap();
    let mut entry = Timed::new(request.clone(), Duration::ZERO);
    entry.answered = answered.map(str::to_owned);
    let verdict = CacheModel::new(CacheRules::anthropic()).send_timed(&entry);
    let (usage, model) = (billed(verdict.usage), entry.billed_model());
    let step = Step::new(1, Duration::ZERO, &request, &verdict, None);
    let step = step.with_recorded(usage, Some(model));
    let report = report(&request, None, Some(&verdict)).with_recorded(usage, model);
    let layers = report.layers();
    assert_eq!(layers.iter().map(|it| it.cost).sum::<Option<Cost>>(), step.cost);
    assert_eq!(report.root.cost, step.cost);
    assert_eq!(layers.iter().map(|it| it.usage).sum::<Usage>(), report.root.usage);
    let cost = step.cost.unwrap().to_string();
    let head = report.to_text(&TextOptions::default().with_width(200));
    let head = head.lines().nth(1).unwrap();
    assert!(head.contains(&format!(", {cost} a request")), "{head}");
    cost
}

#[test]
fn a_row_and_its_parts_have_one_price() {
    const FAST: &str = r#""speed":"fast","#;
    let predicted = |_: Usage| None;
    assert_eq!(price("", None, predicted), price("", None, Some));
    assert_ne!(price("", None, predicted), price(FAST, None, predicted));
    assert_eq!(price(FAST, None, predicted), price(FAST, None, Some));
    // The usage decides: a log may leave out the parameter.
    let fast = |usage| Some(Usage { is_fast: true, ..usage });
    assert_eq!(price(FAST, None, predicted), price("", None, fast));
    let fallback = Some("claude-haiku-4-5");
    assert_eq!(price("", fallback, predicted), price("", fallback, Some));
    assert_ne!(price("", fallback, Some), price("", None, Some));
}
