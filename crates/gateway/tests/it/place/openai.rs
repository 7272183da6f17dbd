//! Breakpoints on Responses.

use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules};
use aside_gateway::place::Placer;
use proptest::prelude::*;

fn body(model: &str, developer: &str, task: &str) -> String {
    format!(
        r#"{{"model":"{model}","store":false,"tools":[{{"type":"function","name":"a"}}],"input":[{{"role":"developer","content":{developer}}},{{"role":"user","content":[{{"type":"input_text","text":"{task} {}"}}]}}]}}
"#,
        "task ".repeat(300)
    )
}

fn placed(body: &str) -> String {
    let placement = Placer::default().place(&body.to_owned().into(), Duration::ZERO);
    String::from_utf8(placement.placed.unwrap().body()).unwrap()
}

fn rules() -> String {
    let rules = "rule ".repeat(4_000);
    format!(r#"[{{"type":"input_text","text":"{rules}"}}]"#)
}

#[test]
fn fresh_sessions_read_the_developer_message() {
    let cost = |edit: &dyn Fn(&str) -> String| {
        let mut model = CacheModel::new(CacheRules::openai());
        let send = |(task, at): (&str, u64)| {
            let edited = edit(&body("gpt-6-sol", &rules(), task));
            let request = Body::parse(edited.as_bytes()).unwrap();
            let verdict = model.send(&request, Duration::from_secs(60 * at));
            (verdict.usage.read, verdict.cost.unwrap().dollars())
        };
        let verdicts: Vec<_> = ["one", "two", "three"].into_iter().zip(0..).map(send).collect();
        let sum: f64 = verdicts.iter().map(|it| it.1).sum();
        (verdicts[1].0, sum)
    };
    let (as_sent, as_placed) = (cost(&str::to_owned), cost(&placed));
    assert_eq!(as_sent.0, 0);
    assert!(as_placed.0 > 3_000, "{as_placed:?}");
    assert!(as_placed.1 < 0.6 * as_sent.1, "{as_placed:?} {as_sent:?}");
}

#[test]
fn only_members_are_inserted() {
    let body = body("gpt-6-sol", &rules(), "one");
    let placed = placed(&body);
    let mark = r#","prompt_cache_breakpoint":{"mode":"explicit"}"#;
    assert_eq!(placed.matches(mark).count(), 1, "{placed}");
    let (start, key) = placed.rsplit_once(r#","prompt_cache_key":""#).unwrap();
    assert!(key.ends_with("\"}\n") && key.len() == 19, "{key:?}");
    assert_eq!(format!("{}}}\n", start.replace(mark, "")), body);
    // The agent decides: its own key stays, and its own breakpoints.
    let keyed = body.replace("\"tools\"", "\"prompt_cache_key\":\"k\",\"tools\"");
    assert_eq!(self::placed(&keyed).matches("prompt_cache_key").count(), 1);
    assert_eq!(self::placed(&placed), placed);
}

/// What continues a stored response has no prompt to make the same key from.
#[test]
fn a_stored_response_gets_no_key() {
    let stored = body("gpt-6-sol", &rules(), "one").replace(r#""store":false,"#, "");
    let first = placed(&stored);
    assert!(first.contains("prompt_cache_breakpoint"), "{first}");
    assert!(!first.contains("prompt_cache_key"), "{first}");
    let next = r#"{"model":"gpt-6-sol","previous_response_id":"resp_1","input":[{"role":"developer","content":[{"type":"input_text","text":"Be brief."}]},{"role":"user","content":"Go on"}]}"#;
    assert_eq!(placed(next), next);
}

#[test]
fn models_without_breakpoints_stay_as_they_are() {
    let before = body("gpt-5.5", &rules(), "one");
    assert_eq!(placed(&before), before);
    // A string takes no breakpoint.
    let text = body("gpt-6-sol", "\"rules\"", "one");
    assert!(!placed(&text).contains("breakpoint"), "{}", placed(&text));
}

/// A session, whose requests are a minute apart.
#[derive(Clone, Debug)]
struct Session {
    model: &'static str,
    has_clock: bool,
    defers_tools: bool,
    /// A stored request gets no key, so one that is not stored misses it.
    is_stored: bool,
    developer: Vec<usize>,
    requests: Vec<Request>,
}

/// What a request has of its own.
#[derive(Clone, Debug)]
struct Request {
    /// `prompt_cache_options`.
    options: &'static str,
    has_key: bool,
    /// Which turns have a breakpoint, from the last one on.
    marks: Vec<usize>,
}

const MARK: &str = r#","prompt_cache_breakpoint":{"mode":"explicit"}"#;

impl Session {
    fn bodies(&self) -> impl Iterator<Item = String> {
        self.requests.iter().enumerate().map(|(at, request)| {
            let part = |text: String, mark: &str| {
                let text = format!("{text} {}", "word ".repeat(400));
                format!(r#"[{{"type":"input_text","text":"{text}"{mark}}}]"#)
            };
            let long = |(index, times): (usize, &usize)| {
                let content = part(format!("{index} {}", "rule ".repeat(400 * times)), "");
                format!(r#"{{"role":"developer","content":{content}}}"#)
            };
            let developer = self.developer.iter().enumerate().map(long);
            // Messages and results take turns.
            let turn = (0..=at).map(|index| {
                let is_marked = request.marks.iter().any(|it| index + it == at);
                let content = part(index.to_string(), if is_marked { MARK } else { "" });
                if index % 2 == 0 {
                    return format!(r#"{{"role":"user","content":{content}}}"#);
                }
                format!(
                    r#"{{"type":"function_call","call_id":"c{index}","name":"a","arguments":""}},{{"type":"function_call_output","call_id":"c{index}","output":{content}}}"#
                )
            });
            let input: Vec<_> = developer.chain(turn).collect();
            let tool = |index| {
                format!(r#",{{"type":"function","name":"t{index}","defer_loading":true}}"#)
            };
            let tools: String = (0..if self.defers_tools { at } else { 0 }).map(tool).collect();
            let clock = if self.has_clock { at } else { 0 };
            let key = if request.has_key { r#""k""# } else { "null" };
            format!(
                r#"{{"model":"{}","store":{},"instructions":"It is 10:{clock:02}.","prompt_cache_key":{key},"prompt_cache_options":{},"tools":[{{"type":"function","name":"a"}}{tools}],"input":[{}]}}"#,
                self.model, self.is_stored, request.options, input.join(",")
            )
        })
    }
}

fn request() -> impl Strategy<Value = Request> {
    let options = [
        "null",
        r#"{"ttl":"12h"}"#,
        r#"{"mode":"explicit"}"#,
        r#"{"mode":"explicit","ttl":"12h"}"#,
    ];
    let marks = prop::collection::vec(0..6_usize, 0..5);
    (prop::sample::select(options.to_vec()), any::<bool>(), marks)
        .prop_map(|(options, has_key, marks)| Request { options, has_key, marks })
}

/// Returns sessions whose requests all have the first one's options and key, or each its own.
fn session() -> impl Strategy<Value = Session> {
    let models = ["gpt-5.6", "gpt-6-sol", "gpt-6.2-astra"];
    let flags = any::<[bool; 4]>();
    let developer = prop::collection::vec(0..8_usize, 0..3);
    let requests = prop::collection::vec(request(), 1..=20);
    let model = prop::sample::select(models.to_vec());
    (model, flags, developer, requests).prop_map(
        |(model, [has_clock, defers_tools, is_stored, is_alike], developer, mut requests)| {
            let first = requests[0].clone();
            for request in requests.iter_mut().filter(|_| is_alike) {
                *request = Request { marks: std::mem::take(&mut request.marks), ..first.clone() };
            }
            Session { model, has_clock, defers_tools, is_stored, developer, requests }
        },
    )
}

proptest! {
    /// Whatever changes in a session, it costs no more than as sent, by the model.
    #[test]
    fn a_session_costs_no_more_than_as_sent(session in session()) {
        let placer = Placer::default();
        let mut models = [(); 2].map(|()| CacheModel::new(CacheRules::openai()));
        let mut dollars = [0.0; 2];
        for (body, minute) in session.bodies().zip(0..) {
            let at = Duration::from_secs(60 * minute);
            let placed = placer.place(&body.clone().into(), at).placed.unwrap().body();
            for ((model, dollars), body) in models.iter_mut().zip(&mut dollars).zip([body.into(), placed]) {
                let request = Body::parse(&body).unwrap();
                *dollars += model.send(&request, at).cost.unwrap().dollars();
            }
        }
        prop_assert!(dollars[1] <= dollars[0] + 1e-9, "{dollars:?}");
    }
}
