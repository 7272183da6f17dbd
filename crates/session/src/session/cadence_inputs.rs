//! What `aside_attachments::cadence` needs: the present state of everything
//! that an attachment can announce.
//!
//! Each field is one kind of attachment's present value. `None` means that the
//! session has no such thing to announce, while an empty list announces a
//! removal.

use aside_attachments::OutputStyle;
use aside_attachments::cadence::{CadenceInputs, CadenceState, Dates, Window};
use aside_messages::wire::Tool;
use aside_models::{TokenEstimate, estimate_at_most, find};
use aside_prompt_sections::{DynamicSection, McpDelivery, SessionDate, names};

use super::context::Context;
use crate::config::SessionConfig;
use crate::section_values::{mcp_delivery, skill_access};
use crate::state::Plan;

/// Returns what decides which attachments are due.
///
/// `today` is the date that was set in this process, if any.
pub(super) fn cadence_inputs(
    config: &SessionConfig,
    context: &Context,
    cadence: &CadenceState,
    today: Option<SessionDate>,
) -> CadenceInputs {
    let state = &config.state;
    let gathered = context.gathered();
    let servers = state.mcp_servers.as_ref();
    let in_prompt = mcp_delivery(config) == McpDelivery::Prompt;
    let instructions = servers.filter(|_| !in_prompt).map(|_| state.mcp_instructions());
    let mut inputs = CadenceInputs::default();
    inputs.recalled = gathered.recalled.clone();
    inputs.dates =
        today.map(|today| Dates { session: gathered.date.to_string(), today: today.to_string() });
    inputs.sections.clone_from(&context.composed.context_sections);
    inputs.plan = state.plan.as_ref().map(Plan::state);
    inputs.auto_mode = state.auto_mode;
    // A file that was delivered does not stand for its change.
    let waiting = gathered.nested.iter().filter(|file| !cadence.has_announced(file));
    inputs.nested_memory = waiting.cloned().collect();
    let disk = &context.disk;
    if let Some(memory) = &gathered.memory {
        let changes = disk.announced_changes(memory, gathered.layout, cadence.changed_files());
        inputs.nested_memory.extend(changes);
    }
    inputs.skills = if state.skills.is_empty() {
        let access = skill_access(gathered.offered_tools());
        disk.announced_skills(cadence, access, gathered.file_skills)
    } else {
        Some(state.skills.clone())
    };
    inputs.tools = announced_tools(config, context);
    inputs.agents = state.agents.clone().or_else(|| disk.announced_agents(gathered.file_agents));
    inputs.mcp_instructions = instructions;
    inputs.todos = gathered.offers("TodoWrite").then(|| state.todos.clone());
    inputs.tasks = gathered.offers("TaskCreate").then(|| state.tasks.clone());
    inputs.snip_tool = config.lower.tag_ids && gathered.offers("Snip");
    inputs.automatic_compaction = window(config, context, cadence);
    inputs.current = state.current(output_style(config, context));
    inputs
}

/// Returns the names of tools to announce by attachments: those that are loaded
/// on demand, and those that were added later without a system message. `None`
/// if tools are not announced.
fn announced_tools(config: &SessionConfig, context: &Context) -> Option<Vec<String>> {
    let gathered = context.gathered();
    let is_first = |name: &String| gathered.first_tools.contains(name);
    let is_added = |name: &String| gathered.appended_tools.contains(name);
    // A tool that a system message removes stays in the list, and is not withdrawn here as well.
    let is_announced = |tool: &&Tool| match tool.defer_loading {
        Some(true) => gathered.offers(&tool.name),
        _ => !is_first(&tool.name) && !is_added(&tool.name),
    };
    let tools = gathered.tools.iter().map(|tool| &tool.tool);
    let announced: Vec<String> = tools.filter(is_announced).map(|tool| tool.name.clone()).collect();
    let has_changed = config.state.mcp_servers.is_some() || gathered.tools_changed;
    (has_changed || !announced.is_empty()).then_some(announced)
}

/// Returns the output style whose guidelines are in the system prompt.
fn output_style(config: &SessionConfig, context: &Context) -> Option<OutputStyle> {
    let mut segments = context.composed.frame.prompt.segments();
    let section = segments.find(|segment| segment.name() == names::OUTPUT_STYLE);
    match (&config.output_style, section) {
        // After a change, the section still has the style of the session's start.
        (Some(style), Some(section)) => {
            let is_described = style.render().as_deref() == Some(section.text());
            is_described.then(|| OutputStyle { name: style.name.raw().to_owned() })
        }
        _ => {
            let is_described = section.is_some() || config.prompt.replaces_default();
            config.state.output_style.clone().filter(|_| is_described)
        }
    }
}

/// Returns the model's window and how much is used, for the note on automatic
/// compaction; `None` if the session is not compacted or the window is unknown.
fn window(config: &SessionConfig, context: &Context, cadence: &CadenceState) -> Option<Window> {
    if !config.is_compacted() {
        return None;
    }
    let facts = config.answering().facts;
    let tokens = config.state.context_window.or(facts.context_window)?;
    let family = find(&config.model).facts.estimated_tokenizer();
    let window = |prefix: TokenEstimate| Window {
        tokens,
        max_output_tokens: config.max_tokens,
        prefix_tokens: prefix.tokens(),
    };
    let bytes = context.prefix_texts().map(str::len).sum();
    let at_most = window(estimate_at_most(bytes));
    Some(if cadence.large_window_is_due(at_most) {
        window(context.prefix_tokens(family))
    } else {
        at_most
    })
}
