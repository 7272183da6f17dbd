//! `aside prompt`: the sections of the system prompt of a session, with their place, size
//! and caching.
//!
//! The session is opened as for a request, so that git runs and files are read; nothing
//! is sent, and no request is prepared. The report is that of `aside_session`, in the
//! order of the sections.
//!
//! ```text
//! sent in      zone     lifetime  cached  bytes  tokens  section
//! system[0]    -        project   yes        74     ~21  identity
//! system[1]    static   project   yes       712    ~207  intro
//! ```
//!
//! A section that fails is part of the output, and no failure of the command.

use aside_cache_split::{Layout, SplitMode};
use aside_inspect::thousands;
use aside_messages::TokenEstimate;
use aside_prompt_sections::{Lifetime, PromptRule, SectionCaching, SectionInputs, Zone, names};
use aside_session::{Fate, PromptReport, SectionReport};
use serde::Serialize;

use crate::Failure;
use crate::arguments::{Prompt, ToolChoice};
use crate::output;
use crate::paint::{Paint, Tone};
use crate::session::Invocation;
use crate::session_plan::{Harness, SessionPlan};
use crate::table::{Column, Table};

/// Prints the table, or the JSON with `--json`.
pub(crate) fn run(arguments: &Prompt) -> Result<(), Failure> {
    let invocation = Invocation::look(&arguments.session)?;
    let (harness, tools) = (Harness::Unattended, ToolChoice::Own);
    let plan = SessionPlan::new(&invocation, &arguments.request, harness, &tools)?;
    let session = plan.open()?;
    let report = session.prompt();
    if arguments.json {
        output::json(&Report::of(report))?;
    } else {
        let paint = Paint::of_stdout();
        output::text(&table(report, paint))?;
    }
    Ok(())
}

/// The object that `--json` prints. Keys are added, never changed.
///
/// ```json
/// {"rule": "default", "layout": "layered", "mode": "static_org", "bytes": 7526, "tokens": 2391,
///  "sections": [{"name": "intro", "zone": "static", "lifetime": "project", "cached": true,
///                "sent": "system[1]", "bytes": 712, "tokens": 207}]}
/// ```
#[derive(Serialize)]
struct Report<'a> {
    /// The rule that decided which prompt counts, such as `default`.
    rule: PromptRule,
    /// The layout of the request.
    layout: Layout,
    /// The way in which the prompt is split into blocks with markers.
    mode: SplitMode,
    /// The length of all sections that are sent.
    bytes: usize,
    /// Their estimated tokens.
    tokens: u64,
    /// Every section, sent or not, in the order of the prompt.
    sections: Vec<Section<'a>>,
}

/// A section, as `--json` has it.
#[derive(Serialize)]
struct Section<'a> {
    /// Its name, such as `tone_and_style`.
    name: &'a str,
    /// `static` or `dynamic`; `null` for a text before the prompt.
    zone: Option<Zone>,
    /// How long its text stays the same.
    lifetime: Lifetime,
    /// False if it is computed for every request.
    cached: bool,
    /// Why it is computed for every request; `null` otherwise.
    reason: Option<&'a str>,
    /// The place in the request, `system[1]` or `messages[0]`; `null` if it is not sent.
    sent: Option<String>,
    /// The message of a section that failed.
    fault: Option<&'a str>,
    /// For an empty section, the argument or setting that would fill it.
    filled_by: Option<String>,
    /// The length of its text.
    bytes: usize,
    /// Its estimated tokens.
    tokens: u64,
}

impl<'a> Report<'a> {
    fn of(report: &'a PromptReport) -> Self {
        let (bytes, tokens) = total(report);
        Self {
            rule: report.rule,
            layout: report.layout,
            mode: report.mode,
            bytes,
            tokens: tokens.tokens(),
            sections: report.sections.iter().map(Section::of).collect(),
        }
    }
}

impl<'a> Section<'a> {
    fn of(section: &'a SectionReport) -> Self {
        Self {
            name: &section.name,
            zone: section.zone,
            lifetime: section.lifetime,
            cached: reason(section).is_none(),
            reason: reason(section),
            sent: place(&section.fate),
            fault: match &section.fate {
                Fate::Failed(message) => Some(message),
                _ => None,
            },
            filled_by: match section.fate {
                Fate::Empty => filled_by(&section.name),
                _ => None,
            },
            bytes: section.bytes,
            tokens: section.tokens.tokens(),
        }
    }
}

/// Returns the source of the text of an empty default section; `None` for a section that
/// is never empty, or that a program sets.
fn filled_by(section: &str) -> Option<String> {
    let source = match section {
        names::SESSION_GUIDANCE => "--unattended, or a tool for questions, sub-agents or skills",
        names::MEMORY => "the setting autoMemoryEnabled, once the directory exists",
        names::LANGUAGE => "the setting language",
        names::OUTPUT_STYLE => "the setting outputStyle",
        names::MCP_INSTRUCTIONS => "mcp_servers of --state, in the classic layout",
        names::SCRATCHPAD => "--scratchpad",
        names::TOKEN_BUDGET => "--token-budget",
        names::BRIEF => "--brief",
        _ if SectionInputs::SECTIONS.contains(&section) => {
            return Some(format!("sections.{section} of --state"));
        }
        _ => return None,
    };
    Some(source.to_owned())
}

/// Returns the bytes and the estimated tokens of the sections that are sent.
fn total(report: &PromptReport) -> (usize, TokenEstimate) {
    let sent = || {
        let sections = report.sections.iter();
        sections.filter(|section| place(&section.fate).is_some())
    };
    let bytes = sent().map(|section| section.bytes).sum();
    (bytes, sent().map(|section| section.tokens).sum())
}

/// Returns why the section is computed for every request; `None` if it is computed once.
fn reason(section: &SectionReport) -> Option<&str> {
    match &section.caching {
        SectionCaching::Uncached { reason } => Some(reason),
        SectionCaching::Static | SectionCaching::Cached => None,
    }
}

/// Returns the part of the request that has the section; `None` if it is not sent.
fn place(fate: &Fate) -> Option<String> {
    match fate {
        Fate::System(block) => Some(format!("system[{block}]")),
        Fate::FirstMessage => Some("messages[0]".to_owned()),
        Fate::Empty | Fate::Failed(_) | Fate::Replaced => None,
    }
}

/// The columns of the text; a section that is not sent has a dash in the first one.
const COLUMNS: &[Column] = &[
    Column::left("sent in"),
    Column::left("zone"),
    Column::left("lifetime"),
    Column::left("cached"),
    Column::right("bytes"),
    Column::right("tokens"),
    Column::left("section"),
    Column::left("note"),
];

/// Returns the text output: the table, then the rule, the layout and the total.
fn table(report: &PromptReport, paint: Paint) -> String {
    let mut table = Table::new(COLUMNS);
    for section in &report.sections {
        let zone = section.zone.map(|zone| match zone {
            Zone::Static => "static",
            Zone::Dynamic => "dynamic",
        });
        let lifetime = match section.lifetime {
            Lifetime::Project => "project",
            Lifetime::Session => "session",
        };
        let cached = match section.caching {
            SectionCaching::Static | SectionCaching::Cached => "yes",
            SectionCaching::Uncached { .. } => "no",
        };
        let (note, tone) = note(section);
        let cells = [
            place(&section.fate).unwrap_or_else(|| "-".to_owned()),
            zone.unwrap_or("-").to_owned(),
            lifetime.to_owned(),
            cached.to_owned(),
            section.bytes.to_string(),
            section.tokens.to_string(),
            section.name.clone(),
            note,
        ];
        table.row(cells.into(), tone);
    }
    let (bytes, tokens) = total(report);
    let layout = match report.layout {
        Layout::Layered => "layered",
        Layout::Classic => "classic",
    };
    let rule = report.rule;
    format!(
        "{}\nPrompt: {rule}; {layout} layout, {} bytes, {tokens} tokens\n",
        table.render(paint),
        thousands(bytes as u64)
    )
}

/// Returns the last cell of a row, and its emphasis: the fault, the source that would
/// fill the section, or why it is computed for every request.
fn note(section: &SectionReport) -> (String, Option<Tone>) {
    match (&section.fate, reason(section)) {
        (Fate::Failed(message), _) => (format!("failed: {message}"), Some(Tone::Warning)),
        (Fate::Empty, _) => {
            let note = match filled_by(&section.name) {
                Some(source) => format!("empty; filled by {source}"),
                None => "empty".to_owned(),
            };
            (note, Some(Tone::Faint))
        }
        (Fate::Replaced, _) => (
            "another prompt is in its place".to_owned(),
            Some(Tone::Faint),
        ),
        (_, Some(reason)) => (reason.to_owned(), Some(Tone::Warning)),
        (_, None) => (String::new(), None),
    }
}
