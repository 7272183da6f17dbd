//! Sections that are computed for every request.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use aside_attachments::{AgentListing, Skill};
use aside_cache_split::Layout;
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{Conversation, EntryDraft};
use aside_messages::lower::PrefixReset;
use aside_prompt_sections::{Lifetime, OsKind, Section, section, uncached_section};
use aside_session::{
    Diagnostic, Git, PromptMode, ResumeState, Session, SessionConfig, SessionTime,
};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::support::runtime;

/// A session with one section, whose text a test can change.
struct Stage {
    runtime: Runtime,
    session: Session,
    conversation: Conversation,
    text: Arc<Mutex<Result<Option<&'static str>, &'static str>>>,
}

fn config(layout: Layout, sections: Vec<Section>) -> SessionConfig {
    let memory = Loader::new(Dirs::default());
    let date = "2026-01-31".parse().unwrap();
    SessionConfig {
        git: Git::Skip,
        layout,
        sections,
        ..SessionConfig::new(PathBuf::from("/nowhere"), OsKind::Linux, memory, date)
    }
}

const PLACES: [(Layout, Lifetime); 3] = [
    (Layout::Classic, Lifetime::Session),
    (Layout::Layered, Lifetime::Project),
    (Layout::Layered, Lifetime::Session),
];

impl Stage {
    fn new(layout: Layout, lifetime: Lifetime, mode: PromptMode) -> Self {
        Self::with_model(layout, lifetime, mode, UNBOUND)
    }

    fn with_model(layout: Layout, lifetime: Lifetime, mode: PromptMode, model: &str) -> Self {
        let text = Arc::new(Mutex::new(Ok(Some("The cluster is up."))));
        let read = text.clone();
        let compute = move || {
            let text = *read.lock().unwrap();
            async move { Ok(text?.map(str::to_owned)) }
        };
        let section = uncached_section("cluster", lifetime, compute, "it changes midway");
        let config =
            SessionConfig { mode, model: model.to_owned(), ..config(layout, vec![section]) };
        let runtime = runtime();
        let session = runtime.block_on(Session::open(config));
        let conversation = session.begin(Uuid::nil());
        Self { runtime, session, conversation, text }
    }

    /// Changes the section and returns the session's diagnostics.
    fn becomes(&mut self, text: Result<Option<&'static str>, &'static str>) -> Vec<String> {
        *self.text.lock().unwrap() = text;
        let faults = self.runtime.block_on(self.session.refresh());
        faults.iter().map(ToString::to_string).collect()
    }

    /// Returns the next request and why its prefix was reset.
    fn send(&mut self) -> (String, Option<PrefixReset>) {
        self.conversation.push(EntryDraft::human("Go on."));
        let mut prepared = self.session.prepare(&self.conversation).unwrap();
        let body = String::from_utf8(prepared.body.to_vec()).unwrap();
        let reset = prepared.reset;
        prepared.commit(&mut self.conversation);
        (body, reset)
    }
}

#[test]
fn a_system_prompt_keeps_its_first_text() {
    let places = [
        (Layout::Classic, Lifetime::Session, "claude-sonnet-5-5"),
        (Layout::Classic, Lifetime::Project, "claude-sonnet-5-5"),
        (Layout::Layered, Lifetime::Project, "claude-sonnet-5-5"),
        (Layout::Layered, Lifetime::Project, UNBOUND),
    ];
    for (layout, lifetime, model) in places {
        let mut stage = Stage::with_model(layout, lifetime, PromptMode::Full, model);
        let (first, _) = stage.send();
        stage.becomes(Ok(Some("The cluster is down.")));
        let (second, reset) = stage.send();
        assert_eq!(reset, None, "{layout:?} {lifetime:?} {model}");
        let system = |body: &str| {
            let start = body.find(r#""system":"#).unwrap();
            body[start..body.find(r#""messages":"#).unwrap()].to_owned()
        };
        assert_eq!(system(&first), system(&second));
        assert!(second.contains("# cluster\\nThe cluster is down."), "{second}");
    }
}

/// A model that does not bind its thinking to the prefix.
const UNBOUND: &str = "claude-opus-5";

#[test]
fn a_changed_section_replaces_its_text_in_the_system_prompt() {
    let places = [(Layout::Classic, Lifetime::Session), (Layout::Classic, Lifetime::Project)];
    for (layout, lifetime) in places {
        let mut stage = Stage::new(layout, lifetime, PromptMode::Full);
        let (first, reset) = stage.send();
        assert!(first.contains("The cluster is up."));
        assert_eq!(reset, None);

        assert!(stage.becomes(Ok(Some("The cluster is down."))).is_empty());
        let (second, reset) = stage.send();
        assert_eq!(reset, Some(PrefixReset::Prompt), "{layout:?} {lifetime:?}");
        assert!(second.contains("The cluster is down."));
        assert!(!second.contains("The cluster is up."));

        assert!(stage.becomes(Ok(Some("The cluster is down."))).is_empty());
        assert_eq!(stage.send().1, None);
        stage.becomes(Ok(None));
        let (last, reset) = stage.send();
        assert!(!last.contains("The cluster"));
        assert_eq!(reset, Some(PrefixReset::Prompt));
    }
}

#[test]
fn the_first_message_stays_and_a_change_is_delivered_at_the_end() {
    let mut stage = Stage::new(Layout::Layered, Lifetime::Session, PromptMode::Full);
    let (first, _) = stage.send();
    let news = [
        (Some("The cluster is down."), "# cluster\\nThe cluster is down."),
        (None, "no longer apply:\\n- cluster"),
        (Some("The cluster is up."), "# cluster\\nThe cluster is up."),
    ];
    let mut before = first;
    for (text, expected) in news {
        stage.becomes(Ok(text));
        // A request that is not sent delivers nothing.
        drop(stage.session.prepare(&stage.conversation));
        let (body, reset) = stage.send();
        assert_eq!(reset, None);
        let new = continuation(&before, &body);
        assert!(new.contains(expected), "{expected}: {new}");
        let (again, _) = stage.send();
        let new = continuation(&body, &again);
        assert!(!new.contains("cluster"), "{new}");
        before = again;
    }
}

/// Returns what a body has after its common start with another one.
fn continuation<'a>(before: &str, body: &'a str) -> &'a str {
    let same = before.bytes().zip(body.bytes()).take_while(|(one, other)| one == other).count();
    // After the last block with its marker, the two cannot differ.
    assert!(before.len() - same < 200, "{}", &before[same..]);
    &body[same..]
}

#[test]
fn a_section_that_fails_is_reported_once_and_left_out() {
    for layout in [Layout::Layered, Layout::Classic] {
        let mut stage = Stage::new(layout, Lifetime::Session, PromptMode::Full);
        let expected = stage.becomes(Err("no route to the cluster"));
        assert_eq!(expected.len(), 1);
        assert!(expected[0].contains("no route to the cluster"), "{expected:?}");
        assert!(stage.becomes(Err("no route to the cluster")).is_empty());
        assert!(stage.becomes(Ok(Some("Back."))).is_empty());
        assert!(!stage.send().0.contains("Back."));

        let clearing = stage.session.clear(&mut stage.conversation);
        let faults = stage.runtime.block_on(clearing);
        let is_reported = |fault: &Diagnostic| fault.to_string().contains("cluster");
        assert!(!faults.iter().any(is_reported), "{faults:?}");
        assert!(stage.send().0.contains("Back."));
    }
}

#[test]
fn a_prompt_without_sections_stays_as_it_is() {
    let mut stage = Stage::new(Layout::Layered, Lifetime::Project, PromptMode::Simple);
    stage.send();
    assert!(stage.becomes(Err("no route to the cluster")).is_empty());
    assert_eq!(stage.send().1, None);
}

/// A program without the section keeps the text that was sent last.
#[test]
fn a_removed_section_keeps_its_last_text() {
    for (layout, lifetime) in PLACES {
        let mut stage = Stage::new(layout, lifetime, PromptMode::Full);
        let mut notes = stage.session.take_notes(&stage.conversation);
        stage.send();
        stage.becomes(Ok(Some("The cluster is down.")));
        stage.send();
        notes.extend(stage.session.take_notes(&stage.conversation));
        let (conversation, counters) = (&stage.conversation, stage.session.reminder_counters());
        let past =
            ResumeState::of(notes, conversation, 2, SessionTime::default(), counters).unwrap();
        let mut conversation = stage.conversation;
        let config = SessionConfig { model: UNBOUND.to_owned(), ..config(layout, Vec::new()) };
        let mut resumed = Session::resume(config, past, &mut conversation);
        conversation.push(EntryDraft::human("Go on."));
        let body = |session: &mut Session| session.prepare(&conversation).unwrap().body.to_vec();
        let before = body(&mut resumed);
        stage.runtime.block_on(resumed.refresh());
        assert_eq!(body(&mut resumed), before, "{layout:?} {lifetime:?}");
    }
}

/// A dropped compaction computes no section, not even those that are kept.
#[test]
fn a_dropped_compaction_keeps_the_prompt() {
    for (layout, lifetime) in PLACES {
        let computed = Arc::new(AtomicUsize::new(0));
        let count = move || {
            let text = format!("Computed: {}.", computed.fetch_add(1, Ordering::Relaxed));
            async move {
                tokio::task::yield_now().await;
                Ok(Some(text))
            }
        };
        let section = section("count", lifetime, count);
        let runtime = runtime();
        let mut session = runtime.block_on(Session::open(config(layout, vec![section])));
        let mut conversation = session.begin(Uuid::nil());
        conversation.push(EntryDraft::human("Go."));
        let before = session.prepare(&conversation).unwrap().body.to_vec();
        runtime.block_on(async {
            tokio::select! {
                biased;
                _ = session.compact(&mut conversation, "They went.") => unreachable!("it waits"),
                () = std::future::ready(()) => {}
            }
        });
        runtime.block_on(session.refresh());
        let prepared = session.prepare(&conversation).unwrap();
        assert_eq!(prepared.body.to_vec(), before, "{layout:?} {lifetime:?}");
        assert_eq!(prepared.reset, None);
    }
}

/// Agents and skills from files are withdrawn with the last file, also by a resumed
/// session once it has read them. Those from a state are not.
#[test]
fn the_last_agent_or_skill_is_withdrawn() {
    let project = tempfile::tempdir().unwrap();
    for (kind, is_from_files) in
        [("agents", true), ("agents", false), ("skills", true), ("skills", false)]
    {
        let files = project.path().join(".claude").join(kind);
        let gone = format!("These {kind} are no longer available:");
        let config = || SessionConfig {
            cwd: project.path().to_owned(),
            ..config(Layout::Layered, Vec::new())
        };
        let mut first = config();
        if is_from_files {
            for name in ["linter", "tester"] {
                let file = match kind {
                    "agents" => files.join(name).with_extension("md"),
                    _ => files.join(name).join("SKILL.md"),
                };
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                let text = format!("---\nname: {name}\ndescription: Checks.\n---\nYou check.\n");
                fs::write(file, text).unwrap();
            }
        } else {
            let (name, description) = ("linter".to_owned(), "Checks.".to_owned());
            if kind == "agents" {
                let agent = AgentListing { agent_type: name, description };
                first.state.agents = Some(vec![agent]);
            } else {
                first.state.skills = vec![Skill { name, description, path: None }];
            }
        }
        let runtime = runtime();
        let mut session = runtime.block_on(Session::open(first));
        let mut conversation = session.begin(Uuid::nil());
        let send = |session: &mut Session, conversation: &mut Conversation| {
            conversation.push(EntryDraft::human("Go on."));
            let mut prepared = session.prepare(conversation).unwrap();
            let body = String::from_utf8(prepared.body.to_vec()).unwrap();
            prepared.commit(conversation);
            body
        };
        assert!(send(&mut session, &mut conversation).contains("- linter"));
        if is_from_files {
            fs::remove_dir_all(&files).unwrap();
        }
        let notes = session.take_notes(&conversation);
        let counters = session.reminder_counters();
        let past =
            ResumeState::of(notes, &conversation, 1, SessionTime::default(), counters).unwrap();
        let mut resumed = Session::resume(config(), past, &mut conversation);
        assert!(!send(&mut resumed, &mut conversation).contains(&gone));
        runtime.block_on(resumed.refresh());
        let body = send(&mut resumed, &mut conversation);
        let expected = format!("{gone}\\n- linter\\n- tester");
        assert_eq!(body.contains(&expected), is_from_files, "{body}");
        assert_eq!(body.contains(&gone), is_from_files, "{body}");
        // Once.
        runtime.block_on(resumed.refresh());
        let body = send(&mut resumed, &mut conversation);
        assert_eq!(body.matches(&gone).count(), usize::from(is_from_files), "{body}");
    }
}
