//! How texts that a request adds are sent, by model, platform, layout and
//! trust.

mod template_values;

use std::path::Path;
use std::sync::Arc;

use aside_attachments::{Attachment, CriticalSystemReminder, OpenedFile};
use aside_cache_split::Layout;
use aside_claudemd::{Dirs, Loader};
use aside_messages::Trust;
use aside_messages::conversation::{
    Conversation, EntryDraft, EntryKind, Origin, Part, PrefixReset,
};
use aside_messages::wire::{ClearAt, ContentBlock, Message, Request, Role};
use aside_models::Platform;
use aside_prompt_sections::OsKind;
use aside_reminder::{Manager, Reminder, ReminderDelivery, Schedule, Snapshot};
use aside_session::{
    Git, Note, ResumeState, Session, SessionConfig, SessionContext, SessionState, SessionTime,
};
use uuid::Uuid;

use crate::support::run;

const BOUND: &str = "claude-sonnet-5-5";
const UNBOUND: &str = "claude-sonnet-5";

/// A session whose responses have thinking.
struct Stage {
    session: Session,
    conversation: Conversation,
}

fn config(cwd: &Path) -> SessionConfig {
    let date = "2026-01-31".parse().unwrap();
    SessionConfig {
        git: Git::Skip,
        ..SessionConfig::new(cwd.to_owned(), OsKind::Linux, Loader::new(Dirs::default()), date)
    }
}

fn reminders(list: &[(&str, Trust, ReminderDelivery)]) -> Arc<Manager> {
    let manager = Manager::new();
    for (content, trust, delivery) in list {
        manager.register(Reminder {
            trust: *trust,
            delivery: *delivery,
            ..Reminder::new(*content, *content, Schedule::ALWAYS)
        });
    }
    Arc::new(manager)
}

impl Stage {
    fn new(config: SessionConfig) -> Self {
        let session = run(Session::open(config));
        let mut conversation = session.begin(Uuid::nil());
        conversation.push(EntryDraft::human("first"));
        Self { session, conversation }
    }

    /// Sends the next request and appends a response with thinking.
    fn send(&mut self) -> (Request, Option<PrefixReset>) {
        let mut prepared = self.session.prepare(&self.conversation).unwrap();
        let (request, reset) = (prepared.request(), prepared.reset);
        prepared.commit(&mut self.conversation);
        let number = self.conversation.entries().len();
        let json = format!(
            r#"{{"role":"assistant","content":[{{"type":"thinking","thinking":"t{number}","signature":"s"}},{{"type":"text","text":"x"}}]}}"#
        );
        let answer = Message::parse(json.as_bytes()).unwrap().value;
        let parts = answer.content.into_iter().map(Part::from).collect();
        let model = Origin::Model { provider: "p".into(), name: self.session.model().to_owned() };
        self.conversation.push(EntryDraft::message(Role::Assistant, model, parts));
        self.conversation.push(EntryDraft::human("next"));
        (request, reset)
    }

    fn resumed(self, config: SessionConfig) -> Self {
        let context = self.session.context().clone();
        self.resumed_with(config, context)
    }

    /// Resumes the session with another record of what was gathered.
    fn resumed_with(self, config: SessionConfig, context: SessionContext) -> Self {
        let session = self.session;
        let mut conversation = self.conversation;
        let state = ResumeState::of(
            [Note::Context(Box::new(context))],
            &conversation,
            session.turn(),
            session.time().clone(),
            Snapshot::default(),
        );
        let session = Session::resume(config, state.unwrap(), &mut conversation);
        Self { session, conversation }
    }
}

/// Returns the last messages in a request that contain the text, each as its
/// role, `*` if it is turn-scoped, and `<>` if the text is in reminder tags.
fn forms(request: &Request, text: &str) -> String {
    let mut forms = Vec::new();
    for message in &request.messages {
        for block in &message.content {
            let ContentBlock::Text(block) = block else {
                continue;
            };
            if !block.text.contains(text) {
                continue;
            }
            let star = match message.clear_at {
                Some(ClearAt::NextUserMessage) => "*",
                _ => "",
            };
            let tags = if block.text.contains("<system-reminder>") { "<>" } else { "" };
            forms.push(format!("{}{star}{tags}", message.role.as_str()));
        }
    }
    forms.join(" ")
}

/// Compares the forms of an ephemeral and a persistent reminder with either
/// trust in the second of two requests.
#[track_caller]
fn check(model: &str, service: Platform, layout: Layout, betas: bool, expected: [&str; 4]) {
    let directory = tempfile::tempdir().unwrap();
    let list = [
        ("OWN", Trust::Harness, ReminderDelivery::Ephemeral),
        ("FILE", Trust::Outside, ReminderDelivery::Ephemeral),
        ("KEPT", Trust::Harness, ReminderDelivery::Persistent),
        ("FILED", Trust::Outside, ReminderDelivery::Persistent),
    ];
    let names = ["OWN", "FILE\n", "KEPT", "FILED"];
    let mut config = SessionConfig {
        reminders: reminders(&list),
        model: model.to_owned(),
        service,
        layout,
        ..config(directory.path())
    };
    config.cache.global_scope.betas_disabled = !betas;
    let mut stage = Stage::new(config);
    stage.send();
    let (second, reset) = stage.send();
    assert_eq!(reset, None);
    let found = names.map(|name| forms(&second, name));
    assert_eq!(found, expected, "{model} {service} {layout:?}");
}

#[test]
fn reminders_have_the_form_of_the_table() {
    use Layout::{Classic, Layered};
    let tags = "user<> user<>";
    let system = "system system";
    let first = Platform::FirstParty;
    // The turn-scoped reminder's both requests are in the second request.
    let scoped = "system* system*";
    check(BOUND, first, Layered, true, [scoped, tags, system, tags]);
    check(BOUND, first, Classic, true, [scoped, tags, tags, tags]);
    check(BOUND, first, Layered, false, [system, tags, system, tags]);
    // Foundry's documentation does not mention system messages in the
    // conversation.
    check(BOUND, Platform::Foundry, Layered, true, [tags, tags, tags, tags]);
    // The next request lacks it; the model has no system messages.
    let once = "user<>";
    check(UNBOUND, first, Layered, true, [once, once, tags, tags]);
    check("claude-opus-5", first, Layered, true, [once, once, system, tags]);
    check("claude-opus-5", first, Classic, true, [once, once, tags, tags]);
    // Later Claude models are treated as bound, other vendors' models are not.
    check("claude-opus-9", first, Layered, true, [tags, tags, tags, tags]);
    check(BOUND, Platform::OpenAi, Layered, true, [once, once, tags, tags]);
}

#[test]
fn a_kept_reminder_is_reported_once_and_not_repeated() {
    let directory = tempfile::tempdir().unwrap();
    let config = SessionConfig {
        reminders: reminders(&[("FILE", Trust::Outside, ReminderDelivery::Ephemeral)]),
        ..config(directory.path())
    };
    let mut stage = Stage::new(config);
    let mut reports = 0;
    for number in 0..30 {
        let prepared = stage.session.prepare(&stage.conversation).unwrap();
        reports += prepared.diagnostics.len();
        drop(prepared);
        let (request, _) = stage.send();
        let results = Part::tool_result(format!("t{number}"), "o");
        let call = Part::tool_use(format!("t{number}"), "Read", "{}");
        // One turn: tool calls, without a new user message.
        let kept = stage.conversation.entries().len() - 2;
        let entries = stage.conversation.entries()[..kept].to_vec();
        stage.conversation = Conversation::from_entries(Uuid::nil(), entries).unwrap();
        let model = Origin::Model { provider: "p".into(), name: BOUND.into() };
        stage.conversation.push(EntryDraft::message(Role::Assistant, model, vec![call]));
        let user = EntryDraft::message(Role::User, Origin::Human, vec![results]);
        stage.conversation.push(user);
        let expected = 1 + number / 20;
        let json = serde_json::to_string(&request).unwrap();
        assert_eq!(json.matches("FILE").count(), expected, "request {number}");
    }
    assert_eq!(reports, 1);
}

#[test]
fn the_form_of_attachments_follows_their_trust() {
    let directory = tempfile::tempdir().unwrap();
    let state = SessionState { auto_mode: Some(true), ..SessionState::default() };
    for (layout, expected) in [(Layout::Layered, "system"), (Layout::Classic, "user<>")] {
        let mut stage =
            Stage::new(SessionConfig { layout, state: state.clone(), ..config(directory.path()) });
        let (request, _) = stage.send();
        assert_eq!(forms(&request, "## Auto Mode"), expected);
    }
    let critical = CriticalSystemReminder::from_outside("CANARY");
    assert_eq!(Attachment::CriticalSystemReminder(critical).trust(), Trust::Outside);
    let opened = OpenedFile { path: "x".into() };
    assert_eq!(Attachment::OpenedFileInIde(opened).trust(), Trust::Outside);
}

#[test]
fn another_model_loses_the_thinking_and_reports_it() {
    let directory = tempfile::tempdir().unwrap();
    let with = |model: &str| SessionConfig {
        model: model.to_owned(),
        reminders: reminders(&[("OWN", Trust::Harness, ReminderDelivery::Ephemeral)]),
        ..config(directory.path())
    };
    let thinking = |request: &Request| {
        let json = serde_json::to_string(request).unwrap();
        json.matches(r#""type":"thinking""#).count()
    };
    let mut stage = Stage::new(with("claude-opus-5-5"));
    stage.send();
    stage.send();
    let mut same = stage.resumed(with("claude-opus-5-5"));
    let (request, reset) = same.send();
    assert_eq!((reset, thinking(&request)), (None, 2));

    let mut other = same.resumed(with(BOUND));
    let prepared = other.session.prepare(&other.conversation).unwrap();
    assert_eq!(prepared.lost_thinking, 3);
    assert_eq!(prepared.diagnostics.len(), 1);
    drop(prepared);
    let (request, reset) = other.send();
    assert_eq!((reset, thinking(&request)), (Some(PrefixReset::Model), 0));
    let (request, reset) = other.send();
    assert_eq!((reset, thinking(&request)), (None, 1));
    let kinds =
        other.conversation.entries().iter().filter(|entry| {
            matches!(entry.kind, EntryKind::Delivery(_) | EntryKind::PrefixChange(_))
        });
    assert_eq!(kinds.count(), 2);
}

#[test]
fn a_rewind_is_a_fork_and_keeps_the_thinking_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut stage = Stage::new(SessionConfig {
        reminders: reminders(&[("OWN", Trust::Harness, ReminderDelivery::Ephemeral)]),
        ..config(directory.path())
    });
    stage.send();
    let before = stage.conversation.entries().len();
    let (second, _) = stage.send();
    stage.send();
    // The user takes back the last two prompts and asks something else.
    let kept = stage.conversation.entries()[..before - 1].to_vec();
    stage.conversation = Conversation::from_entries(Uuid::nil(), kept).unwrap();
    stage.conversation.push(EntryDraft::human("another"));
    let (request, reset) = stage.send();
    assert_eq!(reset, Some(PrefixReset::Forked));
    let thoughts = |request: &Request| {
        let json = serde_json::to_string(&request.messages).unwrap();
        json.matches(r#""type":"thinking""#).count()
    };
    assert_eq!((thoughts(&second), thoughts(&request)), (1, 1));
    // What comes before the prompt is as it was sent.
    let [second, request] = [second, request].map(|it| serde_json::to_string(&it.messages));
    let (second, request) = (second.unwrap(), request.unwrap());
    let end = request.find("another").unwrap();
    assert_eq!(second.get(..end), request.get(..end));
    // A later request continues the fork.
    assert_eq!(stage.send().1, None);
}

#[test]
fn a_record_without_delivery_loses_the_thinking_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut stage = Stage::new(config(directory.path()));
    stage.send();
    let mut session = stage.session;
    let mut conversation = stage.conversation;
    let notes = session.take_notes(&conversation);
    let mut state =
        ResumeState::of(notes, &conversation, 1, session.time().clone(), Snapshot::default())
            .unwrap();
    state.context.delivery = None;
    let session = Session::resume(config(directory.path()), state, &mut conversation);
    let mut stage = Stage { session, conversation };
    assert_eq!(stage.send().1, Some(PrefixReset::Unrecorded));
    assert_eq!(stage.send().1, None);
    let mut stage = stage.resumed(config(directory.path()));
    assert_eq!(stage.send().1, None);
}

/// Nothing says whether a model with an unknown name binds its thinking until a
/// response has signed thinking. On a cloud it is a Claude.
#[test]
fn an_unknown_model_binds_from_its_first_signed_thinking() {
    let directory = tempfile::tempdir().unwrap();
    let config = |service| SessionConfig {
        model: "our-model".to_owned(),
        service,
        reminders: reminders(&[("OWN", Trust::Harness, ReminderDelivery::Ephemeral)]),
        ..config(directory.path())
    };
    let mut stage = Stage::new(config(Platform::FirstParty));
    let (first, reset) = stage.send();
    assert_eq!((forms(&first, "OWN").as_str(), reset), ("user<>", None));
    // The response had signed thinking, which is left out once.
    let (second, reset) = stage.send();
    assert_eq!(forms(&second, "OWN"), "user<>");
    assert_eq!(reset, Some(PrefixReset::Delivery));
    let (third, reset) = stage.send();
    assert_eq!(forms(&third, "OWN"), "user<> user<>");
    assert_eq!(reset, None);
    let mut stage = stage.resumed(config(Platform::FirstParty));
    let (fourth, reset) = stage.send();
    assert_eq!(forms(&fourth, "OWN"), "user<> user<> user<>");
    assert_eq!(reset, None);

    let mut stage = Stage::new(config(Platform::Foundry));
    stage.send();
    let (second, reset) = stage.send();
    assert_eq!(forms(&second, "OWN"), "user<> user<>");
    assert_eq!(reset, None);
    // Other wires do not bind.
    let mut stage = Stage::new(config(Platform::OpenAi));
    stage.send();
    let (second, reset) = stage.send();
    assert_eq!(forms(&second, "OWN"), "user<>");
    assert_eq!(reset, None);
}

#[test]
fn the_media_limit_is_that_of_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let image = r#"{"role":"user","content":[{"type":"image","source":{"type":"url","url":"u"}}]}"#;
    let image = Message::parse(image.as_bytes()).unwrap().value.content.remove(0);
    for (model, expected) in [(BOUND, 150), ("claude-haiku-4-5", 100)] {
        let mut stage =
            Stage::new(SessionConfig { model: model.to_owned(), ..config(directory.path()) });
        let images = vec![Part::from(image.clone()); 150];
        stage.conversation.push(EntryDraft::message(Role::User, Origin::Human, images));
        let (request, _) = stage.send();
        let json = serde_json::to_string(&request).unwrap();
        assert_eq!(json.matches(r#""type":"image""#).count(), expected, "{model}");
    }
}

#[test]
fn documents_go_where_the_provider_takes_them() {
    let directory = tempfile::tempdir().unwrap();
    let pdf = r#"{"role":"user","content":[{"type":"document","source":
        {"type":"base64","media_type":"application/pdf","data":"JVBERi0="}}]}"#;
    let pdf = Message::parse(pdf.as_bytes()).unwrap().value.content.remove(0);
    for (service, expected) in [(Platform::OpenAi, true), (Platform::Xai, false)] {
        let mut stage = Stage::new(SessionConfig { service, ..config(directory.path()) });
        stage.conversation.push(EntryDraft::message(
            Role::User,
            Origin::Human,
            vec![Part::from(pdf.clone())],
        ));
        let (request, _) = stage.send();
        let json = serde_json::to_string(&request).unwrap();
        assert_eq!(json.contains(r#""type":"document""#), expected, "{service:?}");
    }
}
