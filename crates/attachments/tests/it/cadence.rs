//! When an attachment is due, case by case.

use aside_attachments::cadence::{CadenceState, Circumstances, Dates, PlanState, Window};
use aside_attachments::{AgentListing, Attachment, McpInstructions, NestedMemory, Skill};
use aside_messages::Layer;
use aside_messages::conversation::{Boundary, Conversation, EntryDraft, Origin, Part, Visibility};
use aside_messages::wire::Role;
use uuid::Uuid;

/// A session that takes up what is due before each answer, as a harness does.
struct Session {
    conversation: Conversation,
    state: CadenceState,
    seen: usize,
    now: Circumstances,
}

impl Session {
    fn new(now: Circumstances) -> Self {
        Self {
            conversation: Conversation::new(Uuid::nil()),
            state: CadenceState::new(),
            seen: 0,
            now,
        }
    }

    fn push(&mut self, draft: EntryDraft) {
        self.conversation.push(draft);
    }

    /// What is due now, by kind.
    fn due(&mut self) -> Vec<Attachment> {
        let entries = self.conversation.entries();
        self.state.extend(&entries[self.seen..]);
        self.seen = entries.len();
        // A session that is resumed here from disk finds the same due.
        let mut resumed = CadenceState::new();
        resumed.extend(read_back(&self.conversation).entries());
        assert_eq!(resumed, self.state);
        self.state.due(&self.now)
    }

    /// Sends a request: what is due is in it, and stays.
    fn send(&mut self) -> Vec<String> {
        let due = self.due();
        let names = due.iter().map(name).collect();
        for attachment in due {
            for entry in attachment.into_entries() {
                self.push(entry);
            }
        }
        names
    }

    /// A turn of the human with one answer; what was due in it.
    fn turn(&mut self) -> Vec<String> {
        self.push(EntryDraft::human("go on"));
        let due = self.send();
        self.push(answer(vec![Part::text("done")]));
        due
    }

    /// What was due in each of so many turns.
    fn turns(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.turn().join("+")).collect()
    }
}

pub(crate) fn read_back(conversation: &Conversation) -> Conversation {
    let lines = conversation.to_json_lines();
    let read = Conversation::from_json_lines(conversation.id(), &lines);
    read.unwrap().value
}

/// The kind, and how much is said of a mode.
fn name(attachment: &Attachment) -> String {
    let detail = match attachment {
        Attachment::PlanMode(mode) => Some(mode.detail),
        Attachment::AutoMode(mode) => Some(mode.detail),
        _ => None,
    };
    let kind = attachment.kind();
    detail.map_or(kind.to_owned(), |detail| format!("{kind} {detail:?}"))
}

fn answer(parts: Vec<Part>) -> EntryDraft {
    let model = Origin::Model {
        provider: "p".into(),
        name: "m".into(),
    };
    EntryDraft::message(Role::Assistant, model, parts)
}

fn call(tool: &str) -> EntryDraft {
    answer(vec![Part::tool_use("1", tool, "{}")])
}

fn result(text: &str) -> EntryDraft {
    EntryDraft::message(
        Role::User,
        Origin::Human,
        vec![Part::tool_result("1", text)],
    )
}

fn clear() -> EntryDraft {
    EntryDraft::boundary(Boundary::Clear)
}

fn compact() -> EntryDraft {
    let summary = "They went on.".into();
    EntryDraft::boundary(Boundary::Compact { summary })
}

fn with_todos() -> Circumstances {
    Circumstances {
        todos: Some(vec![]),
        ..Circumstances::default()
    }
}

fn planning(is_on: bool) -> Circumstances {
    let plan = PlanState {
        is_on,
        file: "/plan.md".into(),
        exists: true,
    };
    Circumstances {
        plan: Some(plan),
        ..Circumstances::default()
    }
}

/// What is due in turns that are numbered from 1, by turn.
fn dated(due: &[String]) -> Vec<(usize, &str)> {
    let turns = (1..).zip(due.iter().map(String::as_str));
    turns.filter(|(_, due)| !due.is_empty()).collect()
}

#[test]
fn nothing_is_due_where_nothing_is_offered() {
    assert_eq!(dated(&Session::new(Circumstances::default()).turns(40)), []);
}

#[test]
fn a_list_comes_to_mind_after_ten_answers() {
    let due = Session::new(with_todos()).turns(25);
    assert_eq!(dated(&due), [(11, "todo_reminder"), (21, "todo_reminder")]);
    let tasks = Circumstances {
        tasks: Some(vec![]),
        ..Circumstances::default()
    };
    assert_eq!(
        dated(&Session::new(tasks).turns(12)),
        [(11, "task_reminder")]
    );
}

#[test]
fn a_list_that_is_used_does_not_come_to_mind() {
    for (tool, kind) in [
        ("TodoWrite", "todo_reminder"),
        ("TaskUpdate", "task_reminder"),
        ("TaskCreate", "task_reminder"),
    ] {
        let mut session = Session::new(Circumstances {
            tasks: Some(vec![]),
            ..with_todos()
        });
        session.turns(5);
        session.push(EntryDraft::human("go on"));
        session.push(call(tool));
        session.push(result("ok"));
        // The answer after the call is the first one of ten.
        let due = session.turns(11);
        let of_list: Vec<_> = dated(&due)
            .into_iter()
            .filter(|(_, due)| due.contains(kind))
            .collect();
        assert_eq!(of_list, [(11, kind)], "{tool}");
    }
}

#[test]
fn an_answer_is_counted_once() {
    let mut session = Session::new(with_todos());
    session.push(EntryDraft::human("go on"));
    for _ in 0..30 {
        session.push(answer(vec![Part::text("a piece")]));
        session.push(answer(vec![]).with_visibility(Visibility::DisplayOnly));
    }
    assert_eq!(dated(&session.turns(10)), [(10, "todo_reminder")]);
}

#[test]
fn a_mode_is_told_every_five_turns() {
    let due = Session::new(planning(true)).turns(28);
    let (full, sparse) = ("plan_mode Full", "plan_mode Sparse");
    assert_eq!(
        dated(&due),
        [
            (1, full),
            (6, sparse),
            (11, sparse),
            (16, sparse),
            (21, sparse),
            (26, full)
        ]
    );
    let auto = Circumstances {
        auto_mode: Some(true),
        ..Circumstances::default()
    };
    let due = Session::new(auto).turns(7);
    assert_eq!(
        dated(&due),
        [(1, "auto_mode Full"), (6, "auto_mode Sparse")]
    );
}

#[test]
fn only_the_human_makes_a_turn_of_the_human() {
    let mut session = Session::new(planning(true));
    session.turn();
    for _ in 0..20 {
        session.push(call("Read"));
        session.push(result("text"));
        let queued = r#"{"type":"queued_command","text":"hurry"}"#;
        let queued: Attachment = serde_json::from_str(queued).unwrap();
        session.push(queued.into_entries().remove(0));
        assert_eq!(session.send(), [""; 0]);
    }
    session.push(answer(vec![Part::text("done")]));
    // Two words in a row are one turn; words after an abort are another.
    for _ in 0..2 {
        session.push(EntryDraft::human("and this"));
    }
    session.push(EntryDraft::aborted());
    session.push(EntryDraft::human("again"));
    session.push(answer(vec![Part::text("done")]));
    assert_eq!(dated(&session.turns(3)), [(3, "plan_mode Sparse")]);
}

#[test]
fn an_exit_is_told_once_and_begins_anew() {
    let mut session = Session::new(planning(true));
    session.turns(7);
    session.now = planning(false);
    assert_eq!(session.turns(3), ["plan_mode_exit", "", ""]);
    session.now = planning(true);
    assert_eq!(session.turn(), ["plan_mode_reentry", "plan_mode Full"]);
    assert_eq!(dated(&session.turns(5)), [(5, "plan_mode Sparse")]);
    // Where nobody knows, nothing is said.
    session.now = Circumstances::default();
    assert_eq!(session.turn(), [""; 0]);
    session.now = planning(false);
    assert_eq!(session.turn(), ["plan_mode_exit"]);

    let auto = Circumstances {
        auto_mode: Some(true),
        ..Circumstances::default()
    };
    let mut session = Session::new(auto.clone());
    session.turns(2);
    session.now.auto_mode = None;
    assert_eq!(session.turn(), [""; 0]);
    session.now.auto_mode = Some(false);
    assert_eq!(session.turns(2), ["auto_mode_exit", ""]);
    session.now = auto;
    assert_eq!(session.turn(), ["auto_mode Full"]);
}

#[test]
fn a_plan_that_is_not_there_is_not_gone_back_to() {
    let mut session = Session::new(planning(true));
    session.turn();
    session.now = planning(false);
    session.turn();
    session.now = planning(true);
    session.now.plan.as_mut().unwrap().exists = false;
    assert_eq!(session.turn(), ["plan_mode Full"]);
}

#[test]
fn a_boundary_takes_away_what_was_told() {
    let mut session = Session::new(planning(true));
    session.turns(2);
    session.push(compact());
    assert_eq!(session.turns(2), ["plan_mode Full", ""]);
    session.push(compact());
    session.now = planning(false);
    assert_eq!(
        session.turn(),
        ["plan_mode_exit"],
        "the summary may speak of it"
    );
    session.now = planning(true);
    session.turn();
    session.push(clear());
    session.now = planning(false);
    assert_eq!(session.turn(), [""; 0], "nobody knows of it");
}

#[test]
fn growth_is_counted_since_the_last_word_about_it() {
    let mut session = Session::new(Circumstances {
        snip_tool: true,
        ..Circumstances::default()
    });
    // 3,330 estimated tokens, three of which are just below the limit.
    let long = "word word ".repeat(1_000);
    let big = |session: &mut Session| {
        session.push(EntryDraft::human("go on"));
        session.push(call("Read"));
        session.push(result(&long));
        session.send()
    };
    let context = Origin::Context {
        layer: Layer::Project,
    };
    session.push(EntryDraft::reminder(context, "word ".repeat(50_000)));
    let mut due: Vec<String> = (0..6).map(|_| big(&mut session).join("+")).collect();
    let nudges = due
        .iter()
        .filter(|due| *due == "context_efficiency")
        .count();
    let first = due.iter().position(|it| !it.is_empty()).unwrap();
    assert!(first >= 2, "what is told at the start has not grown");
    assert!(nudges >= 1 && due.len() - nudges >= 4, "{due:?}");
    for reset in [compact(), EntryDraft::snip(vec![])] {
        while big(&mut session).is_empty() {}
        big(&mut session);
        session.push(reset);
        due = (0..first).map(|_| big(&mut session).join("+")).collect();
        assert_eq!(dated(&due), [], "growth begins anew");
    }
}

#[test]
fn the_end_of_the_window_is_told_once() {
    let window = |tokens, largest_answer, before_conversation| {
        let window = Window {
            tokens,
            largest_answer,
            before_conversation,
        };
        Session::new(Circumstances {
            automatic_compaction: Some(window),
            ..Circumstances::default()
        })
    };
    let told = ["compaction_reminder".to_owned()];
    assert_eq!(window(1_008_192, 8_192, 249_999).turn(), told);
    assert_eq!(
        window(1_008_191, 8_192, 900_000).turn(),
        [""; 0],
        "too small"
    );
    assert_eq!(
        window(1_008_192, 8_192, 249_000).turn(),
        [""; 0],
        "too little of it is used"
    );
    assert_eq!(window(0, 9, 9).turn(), [""; 0]);
    assert_eq!(window(u64::MAX, 0, u64::MAX).turn(), told);
    let mut session = window(1_008_192, 8_192, 249_999);
    assert_eq!(dated(&session.turns(5)), [(1, "compaction_reminder")]);
    session.push(compact());
    assert_eq!(dated(&session.turns(5)), []);
}

#[test]
fn what_is_snipped_takes_no_room() {
    let mut session = Session::new(Circumstances {
        automatic_compaction: Some(Window {
            tokens: 1_000_000,
            largest_answer: 0,
            before_conversation: 240_000,
        }),
        ..Circumstances::default()
    });
    session.push(EntryDraft::human("go on"));
    session.push(answer(vec![]));
    session.push(EntryDraft::human("word ".repeat(20_000)));
    assert_eq!(session.due().len(), 1);
    let ids = vec![session.conversation.entries()[2].id];
    session.push(EntryDraft::snip(ids.clone()));
    assert_eq!(session.due().len(), 0);
    session.push(EntryDraft::snip(ids));
    assert_eq!(session.due().len(), 0);
}

fn on(today: &str) -> Circumstances {
    let dates = Dates {
        session: "2026-01-31".into(),
        today: today.into(),
    };
    Circumstances {
        dates: Some(dates),
        ..Circumstances::default()
    }
}

#[test]
fn a_day_is_told_once() {
    let mut session = Session::new(on("2026-01-31"));
    assert_eq!(session.turns(2), ["", ""]);
    session.now = on("2026-02-01");
    assert_eq!(session.turns(2), ["date_change", ""]);
    session.now = on("2026-02-02");
    assert_eq!(session.turns(2), ["date_change", ""]);
    // The first entries are told again, with the date of the session.
    session.push(compact());
    assert_eq!(session.turns(2), ["date_change", ""]);
    session.now = on("2026-01-31");
    assert_eq!(session.turns(2), ["date_change", ""]);
}

#[test]
fn an_instruction_file_is_told_once_for_each_text() {
    let file = |path: &str, content: &str| NestedMemory {
        path: path.into(),
        content: content.into(),
    };
    let mut session = Session::new(Circumstances {
        nested_memory: vec![file("/a", "1"), file("/b", "1"), file("/a", "doubled")],
        ..Circumstances::default()
    });
    assert_eq!(session.turns(2), ["nested_memory+nested_memory", ""]);
    session.now.nested_memory = vec![file("/a", "2"), file("/b", "1")];
    let [Attachment::NestedMemory(changed)] = &session.due()[..] else {
        panic!("one file has changed")
    };
    assert_eq!(changed.content, "2");
    assert_eq!(session.turns(2), ["nested_memory", ""]);
    // Back to what it was, it has changed again.
    session.now.nested_memory = vec![file("/a", "1")];
    assert_eq!(session.turns(2), ["nested_memory", ""]);
    session.push(compact());
    assert_eq!(session.turns(2), ["nested_memory", ""]);
    session.push(clear());
    assert_eq!(session.turns(2), ["nested_memory", ""]);
}

#[test]
fn a_skill_is_told_once() {
    let skill = |name: &str| Skill {
        name: name.into(),
        description: "d".into(),
    };
    let mut session = Session::new(Circumstances {
        skills: vec![skill("a"), skill("b"), skill("a")],
        ..Circumstances::default()
    });
    assert_eq!(session.turns(2), ["skill_listing", ""]);
    session.now.skills = vec![skill("c"), skill("a")];
    let [Attachment::SkillListing(listing)] = &session.due()[..] else {
        panic!("one skill is new")
    };
    assert_eq!(listing.skills, [skill("c")]);
    assert_eq!(session.turns(2), ["skill_listing", ""]);
    session.push(compact());
    assert_eq!(session.turns(2), ["skill_listing", ""]);
}

#[test]
fn what_changed_is_told_by_name() {
    let tools = |names: &[&str]| Circumstances {
        tools: Some(names.iter().map(|&it| it.into()).collect()),
        ..Circumstances::default()
    };
    let mut session = Session::new(tools(&[]));
    assert_eq!(session.turn(), [""; 0]);
    session.now = tools(&["b", "a", "b"]);
    let change = |session: &mut Session| match &session.due()[..] {
        [Attachment::ToolsDelta(delta)] => (delta.added.join(" "), delta.removed.join(" ")),
        other => panic!("{other:?}"),
    };
    assert_eq!(change(&mut session), ("a b".into(), String::new()));
    session.turn();
    session.now = tools(&["c", "b"]);
    assert_eq!(change(&mut session), ("c".into(), "a".into()));
    assert_eq!(session.turns(2), ["tools_delta", ""]);
    session.push(compact());
    assert_eq!(change(&mut session), ("b c".into(), String::new()));
    // A tool that came back is told again.
    session.turn();
    session.now = tools(&["b"]);
    session.turn();
    session.now = tools(&["b", "c"]);
    assert_eq!(change(&mut session), ("c".into(), String::new()));
}

#[test]
fn a_description_that_changed_is_told_again() {
    let agent = |description: &str| AgentListing {
        agent_type: "reviewer".into(),
        description: description.into(),
    };
    let server = |instructions: &str| McpInstructions {
        server: "docs".into(),
        instructions: instructions.into(),
    };
    let now = |text: &str| Circumstances {
        agents: Some(vec![agent(text)]),
        mcp_instructions: Some(vec![server(text)]),
        ..Circumstances::default()
    };
    let mut session = Session::new(now("1"));
    let both = "agents_delta+mcp_instructions_delta";
    assert_eq!(session.turns(2), [both, ""]);
    session.now = now("2");
    assert_eq!(session.turns(2), [both, ""]);
    session.now.agents = Some(vec![]);
    session.now.mcp_instructions = None;
    assert_eq!(session.turns(2), ["agents_delta", ""]);
}

#[test]
fn what_is_due_comes_in_a_fixed_order() {
    let mut session = Session::new(Circumstances {
        auto_mode: Some(true),
        nested_memory: vec![NestedMemory {
            path: "/a".into(),
            content: "a".into(),
        }],
        tools: Some(vec!["t".into()]),
        ..planning(true)
    });
    session.now.dates = on("2026-02-01").dates;
    assert_eq!(
        session.turn(),
        [
            "date_change",
            "plan_mode Full",
            "auto_mode Full",
            "nested_memory",
            "tools_delta"
        ]
    );
}

/// Nothing that is only shown to the user counts as told to the model.
#[test]
fn what_the_model_does_not_see_was_not_told() {
    let mut session = Session::new(on("2026-02-01"));
    let entry = session.due().remove(0).into_entries().remove(0);
    session.push(entry.with_visibility(Visibility::DisplayOnly));
    assert_eq!(session.turn(), ["date_change"]);
}

#[test]
fn a_boundary_is_one_whoever_sees_it() {
    let mut session = Session::new(on("2026-02-01"));
    session.turn();
    let boundary = EntryDraft::boundary(Boundary::Clear);
    session.push(boundary.with_visibility(Visibility::DisplayOnly));
    assert_eq!(session.turn(), ["date_change"]);
}
