//! When you write a session request by request, you get the same as when you write each request
//! whole.

use std::collections::HashSet;
use std::sync::Arc;

use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, History, Marker};
use aside_messages::wire::{CacheControl, ContentBlock, Message, RawJson, Request, Role, Tool};
use aside_providers::{
    Converter, ModelChoice, Options, Outgoing, Provider, RefusedError, ServerKind, convert,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::cases::all_or;

/// A user or model block, as JSON. Ids are short, long and repeated.
fn block() -> impl Strategy<Value = String> {
    let id = select(vec!["a", "b", "c", "d", "an-id-of-more-than-forty-characters-in-all"]);
    let name = select(vec!["Read", "mcp.server/tool"]);
    let image =
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}}"#;
    prop_oneof![
        4 => "[a-c\\n\"]{1,9}".prop_map(|text| {
            format!(r#"{{"type":"text","text":{}}}"#, serde_json::to_string(&text).unwrap())
        }),
        1 => Just(r#"{"type":"text","text":" "}"#.to_owned()),
        1 => Just(r#"{"type":"thinking","thinking":"t","signature":"s"}"#.to_owned()),
        1 => Just(r#"{"type":"redacted_thinking","data":"gemini:s"}"#.to_owned()),
        1 => Just(r#"{"type":"search_result","source":"x","title":"y","content":[]}"#.to_owned()),
        1 => Just(image.to_owned()),
        1 => Just(r#"{"type":"image","source":{"type":"url","url":"https://a.example/b"}}"#.to_owned()),
        3 => (id.clone(), name).prop_map(|(id, name)| {
            format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{{"k": 1}}}}"#)
        }),
        3 => (id, any::<bool>()).prop_map(move |(id, is_image)| {
            let text = r#"{"type":"text","text":"out"}"#;
            let content = if is_image { image } else { text };
            format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":[{content}]}}"#)
        }),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![4 => Just("user"), 4 => Just("assistant"), 1 => Just("system")];
    (role, vec(block(), 0..4)).prop_map(|(role, blocks)| {
        let json = format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(","));
        Message::parse(json.as_bytes()).unwrap().value
    })
}

/// Returns a valid history: a question, then pairs of a call and its result.
fn right(pairs: usize) -> Vec<Message> {
    let mut messages = vec![Message::new(Role::User, vec![ContentBlock::text("Begin.")])];
    for index in 0..pairs {
        let long = if index % 2 == 0 { "" } else { "-and-more-than-forty-characters-long" };
        let pair = [
            format!(
                r#"{{"role":"assistant","content":[{{"type":"thinking","thinking":"t","signature":"s"}},{{"type":"text","text":"{index}"}},{{"type":"tool_use","id":"call-{index}{long}","name":"mcp.server/tool","input":{{}}}}]}}"#
            ),
            format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"call-{index}{long}","content":[{{"type":"text","text":"out"}}]}}]}}"#
            ),
        ];
        for json in pair {
            messages.push(Message::parse(json.as_bytes()).unwrap().value);
        }
    }
    messages
}

/// How many messages are closed by this request, how many there are, and whether the last one has
/// more than it will keep.
type Step = (usize, usize, bool);

fn steps(messages: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = (0..=messages, 0_usize..4, any::<bool>());
    vec(step, 1..6).prop_map(move |mut steps| {
        steps.sort_by_key(|(closed, ..)| *closed);
        let end = |(closed, more, extra)| (closed, messages.min(closed + more), extra);
        steps.into_iter().map(end).collect()
    })
}

struct Session {
    parameters: Arc<Request>,
    tools: Arc<Encoded>,
    system: Arc<Encoded>,
    messages: Vec<Message>,
    history: History,
}

impl Session {
    fn new(messages: Vec<Message>) -> Self {
        let schema = RawJson::parse(r#"{"type":"object","x-more":1}"#).unwrap();
        let tools = ["Read", "mcp_server_tool"].map(|name| Tool::new(name, "", schema.clone()));
        let parameters = Request {
            model: "claude-opus-5".into(),
            max_tokens: Some(64),
            metadata: Some(RawJson::parse(r#"{"user_id":"u"}"#).unwrap()),
            cache_control: Some(CacheControl::EPHEMERAL),
            ..Request::default()
        };
        let system = vec![ContentBlock::text("Be brief.")];
        Self {
            parameters: Arc::new(parameters),
            tools: Arc::new(Encoded::tools(tools.to_vec())),
            system: Arc::new(Encoded::system(system, Vec::new())),
            messages,
            history: History::default(),
        }
    }

    fn body(&mut self, (closed, end, extra): Step) -> Body {
        for message in &self.messages[self.history.len()..closed] {
            self.history.push(Arc::new(Encoded::message(message.clone(), Vec::new())));
        }
        let mut tail = self.messages[closed..end].to_vec();
        if let Some(last) = tail.last_mut().filter(|_| extra) {
            last.content.push(ContentBlock::text("For this request."));
        }
        let encoded = |message| Arc::new(Encoded::message(message, Vec::new()));
        let tail: Vec<_> = tail.into_iter().map(encoded).collect();
        let control = CacheControl::EPHEMERAL;
        let at = BlockRef::System(0);
        Body::new(BodyParts {
            parameters: &self.parameters,
            tools: &self.tools,
            system: &self.system,
            history: &self.history,
            tail: &tail,
            markers: &[Marker { at, control }],
        })
        .unwrap()
    }
}

/// A provider, its server, and the model to request.
type Target = (Provider, ServerKind, &'static str);

/// Every provider, and every wire if it has several.
fn targets() -> Vec<Target> {
    let own = Provider::ALL.map(|provider| (provider, ServerKind::Own, "a-model"));
    let more = [
        (Provider::OpenAi, ServerKind::Compatible, "a-model"),
        // With breakpoints.
        (Provider::OpenAi, ServerKind::Own, "gpt-6.2-sol"),
        (Provider::OpenAi, ServerKind::Own, "gpt-5.5"),
    ];
    own.into_iter().chain(more).collect()
}

fn options((provider, server, model): Target) -> Options {
    let outright = (!provider.spec().platform.is_anthropic()).then(|| model.to_owned());
    Options {
        server,
        models: ModelChoice { outright, ..ModelChoice::default() },
        session_id: Some("s".to_owned()),
        ..Options::default()
    }
}

/// Returns the findings in sorted order.
fn findings(refused: &RefusedError) -> Vec<String> {
    let mut found: Vec<_> = refused.findings().iter().map(ToString::to_string).collect();
    found.sort();
    found
}

fn check(target: Target, messages: &[Message], steps: &[Step]) -> Result<usize, TestCaseError> {
    let provider = target.0;
    let options = options(target);
    let mut session = Session::new(messages.to_vec());
    let mut converter = Converter::new(provider, options.clone());
    let mut reported = HashSet::new();
    let mut written = 0;
    for step in steps {
        let body = session.body(*step);
        let whole = convert(&body.to_request(), provider, &options);
        let found = converter.outgoing(&body);
        match (found, whole) {
            (Ok(found), Ok(whole)) => {
                written += 1;
                let text = |outgoing: &Outgoing| String::from_utf8(outgoing.body()).unwrap();
                prop_assert_eq!(text(&found), text(&whole), "{} {:?}", provider, step);
                prop_assert_eq!(&found.path, &whole.path);
                prop_assert_eq!(&found.headers, &whole.headers);
                prop_assert_eq!(&found.names, &whole.names);
                for loss in found.losses {
                    prop_assert!(whole.losses.contains(&loss));
                    prop_assert!(reported.insert(loss.clone()), "again: {loss}");
                }
                for loss in whole.losses {
                    prop_assert!(reported.contains(&loss), "not reported: {loss}");
                }
            }
            (Err(found), Err(whole)) => {
                prop_assert_eq!(findings(&found), findings(&whole), "{} {:?}", provider, step);
            }
            (found, whole) => {
                let found = found.map(|it| it.body_len()).map_err(|it| it.to_string());
                let whole = whole.map(|it| it.body_len()).map_err(|it| it.to_string());
                prop_assert!(false, "{provider} {step:?}: {found:?}, as a whole {whole:?}");
            }
        }
    }
    Ok(written)
}

proptest! {
    #[test]
    fn any_session(
        (messages, steps) in vec(message(), 1..9)
            .prop_flat_map(|messages| { let len = messages.len(); (Just(messages), steps(len)) })
    ) {
        for target in targets() {
            check(target, &messages, &steps)?;
        }
    }

    #[test]
    fn a_session_that_is_right(steps in steps(13)) {
        let messages = right(6);
        for target in targets() {
            let wanted = steps.iter().filter(|(_, end, _)| end % 2 == 1).count();
            // Every request that ends with the user is written.
            prop_assert!(check(target, &messages, &steps)? >= wanted);
        }
    }
}

#[test]
fn every_cut_of_a_long_session() {
    let turns = all_or(30, 60);
    let messages = right(turns);
    let steps: Vec<Step> =
        (0..=turns).map(|turn| (2 * turn, 2 * turn + 1, turn % 3 == 0)).collect();
    for target in targets() {
        assert_eq!(check(target, &messages, &steps).unwrap(), steps.len());
    }
}

/// Calls and outputs are in consecutive messages with one role, and the last of these is closed.
#[test]
fn a_run_of_messages_keeps_its_calls() {
    let messages: Vec<Message> = serde_json::from_value(serde_json::json!([
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "a", "name": "Read", "input": {}},
            {"type": "tool_use", "id": "b", "name": "Read", "input": {}}]},
        {"role": "assistant", "content": [{"type": "text", "text": "b"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "c"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "d"}]}
    ]))
    .unwrap();
    for target in targets() {
        for closed in 0..=5 {
            let steps = [(closed, 5, false), (5, 5, false)];
            assert_eq!(check(target, &messages, &steps).unwrap(), 2, "{closed}");
        }
    }
}

#[test]
fn another_session_is_written_from_its_beginning() {
    for target in targets() {
        let mut converter = Converter::new(target.0, options(target));
        let mut first = Session::new(right(3));
        let mut second = Session::new(right(5));
        let before = converter.outgoing(&first.body((4, 5, false))).unwrap();
        let body = second.body((2, 3, false));
        assert!(!converter.continues(&body));
        let other = converter.outgoing(&body).unwrap();
        assert_ne!(other.body(), before.body());
        let again = converter.outgoing(&first.body((4, 5, false))).unwrap();
        assert_eq!((again.body(), again.losses), (before.body(), before.losses));
        drop((first, second));
        assert!(converter.is_idle());
    }
}
