//! Edits of a session whose cause is known, because they make it.

use aside_cache_model::Cause;

use super::Random;
use super::session::{Session, Turn, Wire};

/// A kind of edit: what it does to a session, its cause, and the wires that have it.
pub(crate) struct Edit {
    pub(crate) name: &'static str,
    pub(crate) cause: Cause,
    pub(crate) wires: &'static [Wire],
    /// Changes the later session; may also prepare both.
    pub(crate) apply: fn(&mut Session, &mut Session, &mut Random),
}

const ALL: &[Wire] = &super::session::WIRES;
const NOT_GEMINI: &[Wire] = &[Wire::Messages, Wire::Responses, Wire::Developer, Wire::Chat];
const IN_STRINGS: &[Wire] = &[Wire::Responses, Wire::Developer, Wire::Chat];
const WITH_THINKING: &[Wire] = &[Wire::Messages, Wire::Responses, Wire::Developer];
/// The wires whose system prompt can have several parts.
const WITH_PARTS: &[Wire] = &[Wire::Messages, Wire::Developer, Wire::Chat, Wire::Gemini];

/// Two forms of a text, around which a sentence stands.
type Forms = &'static [(&'static str, &'static str)];

const CLOCKS: Forms = &[
    ("2026-11-21", "2026-11-22"),
    ("14:02:11", "14:07:53"),
    ("2026-11-21T14:02:11Z", "2026-11-21T14:02:12Z"),
    ("2026-11-21T14:02:11.120+01:00", "2026-11-21T14:02:11.930+01:00"),
    ("Saturday, November 21, 2026", "Sunday, November 22, 2026"),
    ("21 Nov 2026", "22 Nov 2026"),
    ("11/21/2026", "11/22/2026"),
    ("21.11.2026", "22.11.2026"),
    ("9:58 AM", "10:03 AM"),
    ("1795269731", "1795269790"),
    ("Sat Nov 21 14:02:11 UTC 2026", "Sat Nov 21 14:02:59 UTC 2026"),
    ("Monday", "Tuesday"),
];

const DIRECTORIES: Forms = &[
    ("/home/mia/shop", "/home/tom/shop"),
    ("/Users/mia/src/shop", "/Users/mia/src/shop-2"),
    ("C:\\\\Users\\\\mia\\\\shop", "C:\\\\Users\\\\tom\\\\shop"),
    ("/workspace/a/b", "/srv/build/b"),
    ("~/work/shop", "~/play/shop"),
];

const IDS: Forms = &[
    ("3f2b9c1e-77aa-4c1d-9e0f-5a6b7c8d9e0f", "9d01ffe2-c3b4-4aa1-8b2c-0f1e2d3c4b5a"),
    ("req_011CSHoEeqs5C35K2UUqR7Fy", "req_022DTIpFfrt6D46L3VVrS8Gz"),
    ("a94a8fe5ccb19ba61c4c0873d391e987982fbbd3", "de9f2c7fd25e1b3afad3e85a0bd17d9b100db4b3"),
    ("/tmp/run-3f2b9c1e/out.log", "/tmp/run-9d01ffe2/out.log"),
    ("01HF7YAT00V3QK0000000000AB", "01HF7YB2M1W4RM1111111111CD"),
];

/// Changes that resemble a clock, an id or a path, and are none.
const WORDS: Forms = &[
    ("version 1.4.2", "version 1.4.3"),
    ("line 120", "line 121"),
    ("a ratio of 16:9", "a ratio of 4:3"),
    ("lexers", "parsers"),
    ("30 %", "45 %"),
    ("src/lexer.rs", "src/parser.rs"),
    ("it may fail", "it can fail"),
    ("three files", "four files"),
    ("$1,200", "$1,350"),
    ("port 8080", "port 9090"),
    ("HTTP/1.1", "HTTP/2"),
    ("été", "hiver"),
    ("src/main.rs:12:34", "src/main.rs:14:20"),
    ("the lexers of November 2026", "the parsers of November 2026"),
    ("at most 9:1", "at most 8:1"),
    ("a May 5 draft of lexers", "a May 5 draft of parsers"),
    ("sha256", "sha512"),
    ("utf-8", "utf-16"),
    ("GET /v1/items", "GET /v2/items"),
];

const REMINDERS: &[&str] = &[
    "<system-reminder>\\nThe list of tasks is empty.\\n</system-reminder>",
    "<system-reminder>Use tabs.</system-reminder>",
    "<environment_context>\\n  <cwd>/work</cwd>\\n</environment_context>",
];

const SENTENCES: &[(&str, &str)] = &[
    ("You are an agent. Now it is ", "; work with care."),
    ("The value is ", ", and the rest stays as it is.\\nAnswer in short."),
    ("Context:\\n- value: ", "\\n- rest: none\\n"),
    ("Notes begin with ", " in this project. Never guess."),
];

/// Writes two forms into the same place of both sessions: the system prompt, a message,
/// a result or the description of nothing else.
fn put(before: &mut Session, after: &mut Session, random: &mut Random, forms: Forms) {
    let (old, new) = *random.of(forms);
    let (start, end) = *random.of(SENTENCES);
    let turn = random.below(before.turns.len());
    let place = random.below(3);
    for (session, form) in [(before, old), (after, new)] {
        let text = format!("{start}{form}{end}");
        match place {
            0 => session.system = vec![text],
            1 => session.turns[turn].prompt[0] = text,
            _ => session.turns[turn].result = text,
        }
    }
}

/// Returns a text of the conversation in which the same place is changed in both.
fn text(session: &mut Session, turn: usize, place: usize) -> &mut String {
    match place {
        0 => &mut session.turns[turn].prompt[0],
        _ => &mut session.turns[turn].result,
    }
}

fn place(session: &Session, random: &mut Random) -> (usize, usize) {
    (random.below(session.turns.len()), random.below(2))
}

fn turn<'a>(session: &'a mut Session, random: &mut Random) -> &'a mut Turn {
    let turn = random.below(session.turns.len());
    &mut session.turns[turn]
}

/// Adds parts to the system prompts of both sessions, and a turn to the later one.
fn with_system_parts(before: &mut Session, after: &mut Session, random: &mut Random) {
    let parts = [" Edit files below /repo.", " The shell is bash.", " Plan mode is on."];
    for part in &parts[..1 + random.below(3)] {
        before.system.push((*part).to_owned());
    }
    after.system.clone_from(&before.system);
    if random.below(2) == 0 {
        after.turns.push(before.turns[0].clone());
    }
}

pub(crate) const EDITS: &[Edit] = &[
    Edit {
        name: "clock",
        cause: Cause::DateOrClock,
        wires: ALL,
        apply: |before, after, random| put(before, after, random, CLOCKS),
    },
    Edit {
        name: "directory",
        cause: Cause::Directory,
        wires: ALL,
        apply: |before, after, random| put(before, after, random, DIRECTORIES),
    },
    Edit {
        name: "id",
        cause: Cause::RandomId,
        wires: ALL,
        apply: |before, after, random| put(before, after, random, IDS),
    },
    Edit {
        name: "words",
        cause: Cause::TextEdited,
        wires: ALL,
        apply: |before, after, random| put(before, after, random, WORDS),
    },
    Edit {
        name: "git status",
        cause: Cause::GitStatus,
        wires: ALL,
        apply: |before, after, random| {
            let files = ["M src/a.rs", "?? notes.md", " D old.rs", "A  src/new.rs"];
            let status =
                |file: &str| format!("# gitStatus\\nCurrent branch: main\\n\\nStatus:\\n{file}\\n");
            let file = random.below(3);
            before.system = vec![status(files[file])];
            after.system = vec![status(files[file + 1])];
        },
    },
    Edit {
        name: "line ends",
        cause: Cause::LineEndings,
        wires: ALL,
        apply: |before, after, random| {
            let (turn, place) = place(before, random);
            *text(before, turn, place) = "one\\ntwo\\nthree".to_owned();
            *text(after, turn, place) = "one\\r\\ntwo\\r\\nthree".to_owned();
        },
    },
    Edit {
        name: "cut result",
        cause: Cause::TextTrimmed,
        wires: ALL,
        apply: |before, after, random| {
            let turn = random.below(before.turns.len());
            let whole = "a line of a long result\\n".repeat(20);
            let notice = ["", "[truncated]", "\\n… (output cut)"][random.below(3)];
            after.turns[turn].result = format!("{}{notice}", &whole[..250]);
            before.turns[turn].result = whole;
        },
    },
    Edit {
        name: "white space at the end",
        cause: Cause::TextTrimmed,
        wires: ALL,
        apply: |_, after, random| {
            let (turn, place) = place(after, random);
            text(after, turn, place).push_str([" ", "\\n", "\\n\\n  "][random.below(3)]);
        },
    },
    Edit {
        name: "reminder in a text",
        cause: Cause::ReminderMovedOrRemoved,
        wires: ALL,
        apply: |_, after, random| {
            let (turn, place) = place(after, random);
            let reminder = random.of(REMINDERS);
            text(after, turn, place).push_str(&format!("\\n\\n{reminder}"));
        },
    },
    Edit {
        name: "reminder as a block",
        cause: Cause::ReminderMovedOrRemoved,
        wires: ALL,
        apply: |before, _, random| {
            let reminder = (*random.of(REMINDERS)).to_owned();
            turn(before, random).prompt.push(reminder);
        },
    },
    Edit {
        name: "reminder after a result removed",
        cause: Cause::ReminderMovedOrRemoved,
        wires: ALL,
        apply: |before, _, random| {
            let reminder = (*random.of(REMINDERS)).to_owned();
            turn(before, random).reminder = Some(reminder);
        },
    },
    Edit {
        name: "reminder after a result added",
        cause: Cause::ReminderMovedOrRemoved,
        wires: ALL,
        apply: |_, after, random| {
            let reminder = (*random.of(REMINDERS)).to_owned();
            turn(after, random).reminder = Some(reminder);
        },
    },
    Edit {
        name: "text after a result added",
        cause: Cause::TextEdited,
        wires: ALL,
        apply: |_, after, random| turn(after, random).reminder = Some("Use tabs.".to_owned()),
    },
    Edit {
        name: "parts of the system prompt joined",
        cause: Cause::BlockSplitOrJoined,
        wires: WITH_PARTS,
        apply: |before, after, random| {
            with_system_parts(before, after, random);
            after.system = vec![after.system.concat()];
        },
    },
    Edit {
        name: "parts of the system prompt removed",
        cause: Cause::TextEdited,
        wires: WITH_PARTS,
        apply: |before, after, random| {
            with_system_parts(before, after, random);
            let kept = random.below(after.system.len());
            after.system.truncate(kept);
            if kept == 0 {
                after.system.push("You are a critic of code.".to_owned());
            }
        },
    },
    Edit {
        name: "tools in another order",
        cause: Cause::ToolOrder,
        wires: ALL,
        apply: |_, after, random| {
            let by = 1 + random.below(after.tools.len() - 1);
            after.tools.rotate_left(by);
        },
    },
    Edit {
        name: "tool removed",
        cause: Cause::ToolAddedOrRemoved,
        wires: ALL,
        apply: |_, after, random| {
            let tool = random.below(after.tools.len());
            after.tools.remove(tool);
        },
    },
    Edit {
        name: "tool added",
        cause: Cause::ToolAddedOrRemoved,
        wires: ALL,
        apply: |_, after, random| {
            let at = random.below(after.tools.len() + 1);
            after.tools.insert(at, ("search".to_owned(), "Searches.".to_owned()));
        },
    },
    Edit {
        name: "tool edited",
        cause: Cause::ToolDefinitionEdited,
        wires: ALL,
        apply: |_, after, random| {
            let tool = random.below(after.tools.len());
            after.tools[tool].1.push_str([" Take care.", " Twice.", "!"][random.below(3)]);
        },
    },
    Edit {
        name: "arguments in another order",
        cause: Cause::KeyOrder,
        wires: ALL,
        apply: |_, after, random| turn(after, random).arguments.reverse(),
    },
    Edit {
        name: "number in arguments",
        cause: Cause::NumberFormat,
        wires: ALL,
        apply: |_, after, random| {
            turn(after, random).arguments[1].1 =
                ["20.0", "2e1", "20.00"][random.below(3)].to_owned();
        },
    },
    Edit {
        name: "argument added or removed",
        cause: Cause::TextEdited,
        wires: ALL,
        apply: |_, after, random| {
            let turn = turn(after, random);
            match random.below(2) {
                0 => turn.arguments.push(("offset".to_owned(), "1".to_owned())),
                _ => turn.arguments.truncate(1),
            }
        },
    },
    Edit {
        name: "another number in arguments",
        cause: Cause::TextEdited,
        wires: ALL,
        apply: |_, after, random| {
            turn(after, random).arguments[1].1 = ["2", "25", "200"][random.below(3)].to_owned();
        },
    },
    Edit {
        name: "time in a number of the arguments",
        cause: Cause::DateOrClock,
        wires: ALL,
        apply: |before, after, random| {
            let turn = random.below(before.turns.len());
            before.turns[turn].arguments[1].1 = "1795269731".to_owned();
            after.turns[turn].arguments[1].1 = "1795269790".to_owned();
        },
    },
    Edit {
        name: "space between arguments",
        cause: Cause::JsonSpacing,
        wires: IN_STRINGS,
        apply: |_, after, random| turn(after, random).comma = [", ", ",  "][random.below(2)],
    },
    Edit {
        name: "escapes",
        cause: Cause::StringEscapes,
        wires: ALL,
        apply: |before, after, random| {
            let (turn, place) = place(before, random);
            let (plain, escaped) =
                [("é", "\\u00e9"), ("/", "\\/"), ("<", "\\u003c")][random.below(3)];
            text(before, turn, place).push_str(plain);
            text(after, turn, place).push_str(escaped);
        },
    },
    Edit {
        name: "block split",
        cause: Cause::BlockSplitOrJoined,
        wires: ALL,
        apply: |_, after, random| {
            let turn = turn(after, random);
            let (start, end) = turn.prompt[0].split_once(' ').unwrap();
            turn.prompt = vec![format!("{start} "), end.to_owned()];
        },
    },
    Edit {
        name: "image",
        cause: Cause::ImageChanged,
        wires: ALL,
        apply: |before, after, random| {
            let turn = random.below(before.turns.len());
            before.turns[turn].image = Some("iVBORw0KGgo=".to_owned());
            after.turns[turn].image =
                [None, Some("iVBORw0KAAA=".to_owned())][random.below(2)].clone();
        },
    },
    Edit {
        name: "image before the text",
        cause: Cause::ImageChanged,
        wires: ALL,
        apply: |before, after, random| {
            let turn = random.below(before.turns.len());
            let with = if random.below(2) == 0 { before } else { after };
            with.turns[turn].image = Some("iVBORw0KGgo=".to_owned());
            with.turns[turn].is_image_first = true;
        },
    },
    Edit {
        name: "image against text",
        cause: Cause::ImageChanged,
        wires: ALL,
        apply: |before, after, random| {
            let turn = random.below(before.turns.len());
            let (with, without) =
                if random.below(2) == 0 { (before, after) } else { (after, before) };
            with.turns[turn].image = Some("iVBORw0KGgo=".to_owned());
            without.turns[turn].prompt.push("[image removed]".to_owned());
        },
    },
    Edit {
        name: "text next to an image",
        cause: Cause::TextEdited,
        wires: ALL,
        apply: |before, after, random| {
            let turn = random.below(before.turns.len());
            for session in [&mut *before, &mut *after] {
                session.turns[turn].image = Some("iVBORw0KGgo=".to_owned());
            }
            after.turns[turn].prompt[0].push_str(" at once");
        },
    },
    Edit {
        name: "thinking",
        cause: Cause::ThinkingDropped,
        wires: WITH_THINKING,
        apply: |_, after, random| turn(after, random).thinking = None,
    },
    Edit {
        name: "compaction",
        cause: Cause::Compaction,
        wires: ALL,
        apply: |_, after, random| {
            let last = after.turns.pop().unwrap();
            after.turns = vec![Turn {
                prompt: vec![format!("Summary {}: the parser was fixed.", random.below(9))],
                ..last
            }];
        },
    },
    Edit {
        name: "compaction of an image",
        cause: Cause::Compaction,
        wires: ALL,
        apply: |before, after, _| {
            before.turns[0].image = Some("iVBORw0KGgo=".to_owned());
            before.turns[0].is_image_first = true;
            let last = after.turns.pop().unwrap();
            after.turns = vec![Turn { prompt: vec!["Summary: it is fixed.".to_owned()], ..last }];
        },
    },
    Edit {
        name: "oldest turn removed, and a new one",
        cause: Cause::TextEdited,
        wires: ALL,
        apply: |before, after, _| {
            let first = after.turns.remove(0);
            after.turns.push(Turn { thinking: None, ..first });
            before.turns[1].prompt[0].push_str(" and more");
        },
    },
    Edit {
        name: "model",
        cause: Cause::OtherModel,
        wires: NOT_GEMINI,
        apply: |before, after, random| {
            let (old, new) = [("opus-5", "opus-5-5"), ("5.4", "5.5")][random.below(2)];
            before.model = old.to_owned();
            after.model = new.to_owned();
        },
    },
    Edit {
        name: "effort",
        cause: Cause::Parameter,
        wires: NOT_GEMINI,
        apply: |_, after, random| after.effort = ["low", "medium"][random.below(2)],
    },
];
