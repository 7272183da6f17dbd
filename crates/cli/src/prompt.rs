//! `aside prompt`: the sections in a session's system prompt, with their place,
//! size and caching.
//!
//! This opens the session as for a request, so git runs and files are read;
//! nothing is sent, and no request is prepared. The report comes from
//! `aside_session`, in section order.
//!
//! ```text
//! sent in      zone     lifetime  cached  bytes  tokens  section
//! system[0]    -        project   yes        74     ~21  identity
//! system[1]    static   project   yes       712    ~207  intro
//! ```
//!
//! When a section fails, this is in the output, and the command does not fail.

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
use crate::session;
use crate::session_plan::{Harness, SessionPlan};
use crate::table::{Column, Table};

/// Prints the table, or JSON with `--json`.
pub(crate) fn run(arguments: &Prompt) -> Result<(), Failure> {
    let invocation = session::look(&arguments.session)?;
    let (harness, tools) = (Harness::Unattended, ToolChoice::Own);
    let plan = SessionPlan::new(&invocation, &arguments.request, harness, &tools)?;
    let session = plan.open()?;
    let report = session.prompt();
    if arguments.json {
        output::json(&Report::of(report))?;
    } else {
        output::text(&table(report, Paint::of_stdout()))?;
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
    /// Which rule chose the prompt, such as `default`.
    rule: PromptRule,
    layout: Layout,
    /// How to split the prompt into blocks with markers.
    mode: SplitMode,
    /// How long all sent sections are, together.
    bytes: usize,
    tokens: u64,
    /// Every section, sent or not, in prompt order.
    sections: Vec<Section<'a>>,
}

/// A section, as `--json` prints it.
#[derive(Serialize)]
struct Section<'a> {
    name: &'a str,
    /// `static` or `dynamic`; `null` for a text before the prompt.
    zone: Option<Zone>,
    /// How long its text stays the same.
    lifetime: Lifetime,
    /// False when it is computed for every request.
    cached: bool,
    /// Why it is computed for every request; `null` otherwise.
    reason: Option<&'a str>,
    /// Where the request has it, `system[1]` or `messages[0]`; `null` when it
    /// is not sent.
    sent: Option<String>,
    /// Why the section failed, if it did.
    fault: Option<&'a str>,
    /// For an empty section, which argument or setting would fill it.
    filled_by: Option<String>,
    bytes: usize,
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

/// Returns what to set to fill an empty default section; `None` when a section
/// is never empty, or when a program sets it.
fn filled_by(section: &str) -> Option<String> {
    let source = match section {
        names::SESSION_GUIDANCE => "--unattended, or a tool for questions, sub-agents or skills",
        names::MEMORY => "the setting autoMemoryEnabled, once the directory exists",
        names::LANGUAGE => "the setting language",
        names::OUTPUT_STYLE => "the setting outputStyle",
        names::MCP_INSTRUCTIONS => {
            "mcp_servers of --state, in the classic layout, unless the model binds its thinking"
        }
        names::FUNCTION_RESULT_CLEARING => {
            "--clear-tool-uses, or sections.function_result_clearing of --state"
        }
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

/// Returns the bytes and the estimated tokens for all sent sections.
fn total(report: &PromptReport) -> (usize, TokenEstimate) {
    let sent = || {
        let sections = report.sections.iter();
        sections.filter(|section| place(&section.fate).is_some())
    };
    let bytes = sent().map(|section| section.bytes).sum();
    (bytes, sent().map(|section| section.tokens).sum())
}

/// Returns why the section is computed for every request; `None` when it is
/// computed once.
fn reason(section: &SectionReport) -> Option<&str> {
    match &section.caching {
        SectionCaching::Uncached { reason } => Some(reason),
        SectionCaching::Static | SectionCaching::Cached => None,
    }
}

/// Returns where the request has the section; `None` when it is not sent.
fn place(fate: &Fate) -> Option<String> {
    match fate {
        Fate::System(block) => Some(format!("system[{block}]")),
        Fate::FirstMessage => Some("messages[0]".to_owned()),
        Fate::Empty | Fate::Failed(_) | Fate::Replaced => None,
    }
}

/// The text columns. A section that is not sent has a dash in the first one.
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

/// Returns a row's last cell, and its emphasis: the fault, what would fill the
/// section, or why it is computed for every request.
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
        (Fate::Replaced, _) => ("another prompt is in its place".to_owned(), Some(Tone::Faint)),
        (_, Some(reason)) => (reason.to_owned(), Some(Tone::Warning)),
        (_, None) => (String::new(), None),
    }
}
