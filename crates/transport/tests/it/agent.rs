//! The client as an agent's loop meets it.

use std::sync::{Arc, Mutex};

use aside_agent::{Client, ClientErrorKind};
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::encode::{Body, BodyParts, Encoded};
use aside_messages::lower::{LowerOptions, Lowerer, Tail};
use aside_messages::wire::{Extra, Request, Role, Thinking};
use aside_providers::{Event, Options, Provider};
use aside_transport::{Credentials, Endpoint, HttpClient, Secret};
use futures_util::StreamExt;
use uuid::Uuid;
use wiremock::ResponseTemplate;

use crate::client::{END, HALF, START, answering, failing, first_party, http, whole};
use crate::server::{Act, Server};

fn body() -> Body {
    let mut conversation = Conversation::new(Uuid::nil());
    conversation.push(EntryDraft::human("Hi"));
    encoded(&conversation)
}

/// A body with a response that has these parts before a text.
fn body_of(parts: Vec<Part>) -> Body {
    let mut conversation = Conversation::new(Uuid::nil());
    conversation.push(EntryDraft::human("Hi"));
    let model = Origin::Model { provider: "p".into(), name: "m".into() };
    let parts = [parts, vec![Part::text("Hello.")]].concat();
    conversation.push(EntryDraft::message(Role::Assistant, model, parts));
    conversation.push(EntryDraft::human("Go on"));
    encoded(&conversation)
}

fn encoded(conversation: &Conversation) -> Body {
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let lowered = lowerer.lower(conversation, Tail::default()).unwrap();
    Body::new(BodyParts {
        parameters: &Arc::new(Request {
            model: "m".into(),
            max_tokens: Some(8),
            ..Request::default()
        }),
        tools: &Arc::new(Encoded::tools(vec![])),
        system: &Arc::new(Encoded::system(vec![], vec![])),
        history: lowered.history(),
        tail: lowered.tail(),
        markers: &[],
    })
    .unwrap()
}

/// Returns the events, and the kind of error that ends them.
async fn complete(base: &str) -> (Vec<Event>, Option<ClientErrorKind>) {
    let client = HttpClient::new(http(), first_party(base), Options::default());
    assert_eq!(client.provider(), "first-party");
    let body = body();
    let mut stream = match client.complete(&body).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error.kind())),
    };
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => return (events, Some(error.kind())),
        }
    }
    (events, None)
}

#[tokio::test]
async fn an_answer_is_a_stream() {
    let server = answering(vec![whole()]).await;
    let (events, error) = complete(&server.uri()).await;
    assert_eq!((events.len(), error), (6, None));
    assert_eq!(events[5], Event::MessageStop);
    let request = server.received_requests().await.unwrap().remove(0);
    let sent = String::from_utf8(request.body).unwrap();
    // The agent's body, with the parameter for a stream.
    let made = String::from_utf8(body().to_vec()).unwrap();
    assert_eq!(sent.replace(r#","stream":true"#, ""), made);
    assert_ne!(sent, made);
}

#[tokio::test]
async fn losses_are_reported_once_before_sending() {
    let server = answering(vec![failing(401)]).await;
    let key = Credentials::ApiKey(Secret::new("of-nobody"));
    let endpoint = Endpoint::new(Provider::OpenAi, Some(&server.uri()), &[], key).unwrap();
    let losses = Arc::new(Mutex::new(Vec::new()));
    let noted = losses.clone();
    let client =
        HttpClient::new(http(), endpoint, Options::default()).reporting_losses(move |loss| {
            let loss = loss.to_string();
            if loss.contains("thinking") {
                noted.lock().unwrap().push(loss);
            }
        });
    let thought = || {
        Part::Thinking(Thinking {
            thinking: "So.".into(),
            signature: "s".into(),
            extra: Extra::default(),
        })
    };
    let one = body_of(vec![thought()]);
    for (body, expected) in [
        (&one, 1),
        (&body_of(vec![]), 1),
        // A repeated loss is recognized after another request.
        (&one, 1),
        (&body_of(vec![thought(), thought()]), 2),
    ] {
        let asking = client.complete(body);
        assert!(asking.await.is_err());
        assert_eq!(losses.lock().unwrap().len(), expected);
    }
    assert_eq!(
        *losses.lock().unwrap(),
        [
            "messages[1].content[0]: left out: this thinking is not sealed by the provider that is asked",
            "messages[1].content[1]: left out: this thinking is not sealed by the provider that is asked"
        ]
    );
    assert_eq!(format!("{client:?}").matches("of-nobody").count(), 0);
}

#[tokio::test]
async fn errors_have_the_kinds_that_the_loop_knows() {
    let unauthorized = answering(vec![failing(401)]).await;
    assert_eq!(complete(&unauthorized.uri()).await.1, Some(ClientErrorKind::Unauthorized));
    let overloaded = answering(vec![failing(529)]).await;
    assert_eq!(complete(&overloaded.uri()).await.1, Some(ClientErrorKind::Overloaded));
    let too_long = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"M\",\"code\":\"context_length_exceeded\"}}\n\n";
    let too_long = ResponseTemplate::new(200).set_body_raw(too_long, "text/event-stream");
    let too_long = answering(vec![too_long]).await;
    assert_eq!(complete(&too_long.uri()).await.1, Some(ClientErrorKind::ContextFull));
    let nonsense =
        answering(vec![ResponseTemplate::new(200).set_body_raw("data: x\n\n", "text/plain")]).await;
    assert_eq!(complete(&nonsense.uri()).await.1, Some(ClientErrorKind::BrokenStream));

    let server =
        Server::start(vec![Act::stream(&[START, HALF]).then_reset(), Act::stream(&[END])]).await;
    let (events, error) = complete(&server.base()).await;
    assert_eq!((events.len(), error), (3, Some(ClientErrorKind::BrokenStream)));
    let base = server.base();
    drop(server);
    assert_eq!(complete(&base).await.1, Some(ClientErrorKind::Transport));
}
