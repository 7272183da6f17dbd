//! Adapts a request that was written for another model.
//!
//! ```text
//! user, system "x", user                   user, user, system "x"                  Messages API
//!                                          user, user + reminder "x"               Gemini
//! user result a, user result b              user result a, result b                 Gemini
//! assistant, user                          user "(no content)", assistant, user    Gemini
//! "name":"my.tool"                         "name":"my_x4d2e…"                       Messages API
//! "temperature":0.2                        left out, for a model that refuses it
//! "output_config":{"effort":"max"}          "output_config":{"effort":"high"}         Opus 4.5
//! "output_config":{"verbosity":"low"}      left out, on the Messages API
//! none, but no parallel calls              "tool_choice":{"type":"none"}            Messages API
//! "thinking":{"type":"disabled"}           "thinking":{"type":"between_tools"}         Sonnet 5.5
//! a file in plain text, in base64          its text                                 Messages API
//! ```

pub(crate) mod effort;
mod files;
mod placing;
pub(crate) mod scope;
pub(crate) mod thinking;
mod tool_turns;

use std::collections::HashSet;
use std::mem;

use aside_messages::history::{NO_CONTENT, Positions};
use aside_messages::wire::{
    ContentBlock, Message, RawJson, Request, ResultContent, Role, Tool, ToolChange, ToolMode,
};
use aside_models::{ModelFacts, Sampling, ThinkingDefault, Wire};
use aside_rules::of::parameters::{MIN_TOP_P_WITH_THINKING, SAMPLING_KEYS};
use aside_rules::of::tool::takes_name;
use aside_rules::{ApiVersion, table};
use serde_json::{Number, Value};

use crate::admission::Target;
use crate::gemini::{MEDIA_TYPE, RESPONSE};
use crate::loss::{ConversionLoss, Reason};
use crate::names::{NAME, Names};
use crate::options::Options;
use crate::parameters::{is_off, with_member};
use crate::provider_spec::{ProviderSpec, WireDialect};
use crate::responses::inline;
use crate::sources::{Output, Sources, ToolSource, retain};

use self::effort::effort;
use self::files::files;
use self::placing::Placing;
use self::thinking::thinking;
use self::tool_turns::join;

/// Adapts your request to a provider that would refuse it, where its meaning survives, and returns
/// what changed. If you wrote the request for this same model, nothing changes: what the model
/// refuses there is yours to correct.
///
/// ```
/// use aside_providers::{Options, Provider, fit, from_openai};
///
/// let body = br#"{"model":"gpt-4.1","temperature":0.2,"messages":[{"role":"user","content":"Hi"}]}"#;
/// let mut request = from_openai(body)?.request;
/// let options = Options::for_model("claude-opus-5");
/// let losses = fit(&mut request, Provider::FirstParty, &options);
/// assert_eq!(losses[0].path, "temperature");
/// assert_eq!(request.temperature, None);
/// # Ok::<(), aside_providers::ImportError>(())
/// ```
pub fn fit(
    request: &mut Request,
    provider: impl Into<&'static ProviderSpec>,
    options: &Options,
) -> Vec<ConversionLoss> {
    let mut sources = Sources::of(request);
    fit_from(request, &mut sources, provider.into(), options)
}

/// Does the same, and returns losses with the paths of the body that the request was read from.
pub(crate) fn fit_from(
    request: &mut Request,
    sources: &mut Sources,
    spec: &'static ProviderSpec,
    options: &Options,
) -> Vec<ConversionLoss> {
    let model = options.model(spec, &request.model);
    let target = Target { spec, model: &model, options };
    let facts = spec.facts(&model);
    let wire = target.wire().wire.wire();
    let mut losses = Vec::new();
    thinking(request, facts, wire, &mut losses);
    sampling(request, facts, wire, options.api_version, &mut losses);
    effort(request, facts, wire, &mut losses);
    sources.rename(&mut losses);
    tool_changes(request, sources, target, &mut losses);
    if wire == Wire::Messages {
        names(request, sources, &mut losses);
        forbidden_calls(request);
    }
    tool_choice(request, sources, &mut losses);
    if wire == Wire::Messages
        && let Some(config) = with_member(request.output_config.as_ref(), "verbosity", None)
    {
        request.output_config = (config.get() != "{}").then_some(config);
        losses.push(Reason::NoVerbosity.at(sources.path("output_config.verbosity")));
    }
    files(&mut request.messages, sources, wire, &target.capabilities(), &mut losses);
    if wire == Wire::GenerateContent {
        responses(&mut request.messages, sources);
        own_budget(request, sources);
    }
    // Responses takes additional tools with the models that keep reasoning while the prefix stays.
    let is_bound = facts.is_some_and(|facts| facts.bound_to_prefix == Some(true));
    if wire != Wire::Messages && !(wire == Wire::Responses && is_bound) {
        inline_tools(request, sources, &mut losses);
    }
    if !spec.platform.is_anthropic() {
        summaries(&mut request.messages, &mut sources.messages, &mut losses);
    }
    if wire == Wire::Messages || !takes_system(target) {
        place(request, sources, target, &mut losses);
    }
    if matches!(wire, Wire::ChatCompletions | Wire::GenerateContent) {
        join(&mut request.messages, &mut sources.messages);
    }
    let first = request.messages.first().map(|it| &it.role);
    if wire == Wire::GenerateContent && first.is_some_and(|it| *it != Role::User) {
        let text = ContentBlock::text(NO_CONTENT);
        losses.push(Reason::FirstOfUser.at(sources.path("messages[0]")));
        request.messages.insert(0, Message::new(Role::User, vec![text]));
        sources.messages.insert(0, Default::default());
    }
    losses
}

/// Sends the system messages of a request in the Messages API's own form as reminders, if its
/// platform or model is not known to take them. The rest is yours.
pub(crate) fn fit_system_messages(
    request: &mut Request,
    sources: &mut Sources,
    spec: &'static ProviderSpec,
    options: &Options,
) -> Vec<ConversionLoss> {
    let model = options.model(spec, &request.model);
    let target = Target { spec, model: &model, options };
    let mut losses = Vec::new();
    if !takes_system(target) && request.messages.iter().any(|it| it.role == Role::System) {
        tool_changes(request, sources, target, &mut losses);
        tool_choice(request, sources, &mut losses);
        place(request, sources, target, &mut losses);
    }
    losses
}

/// Returns true if the model takes system messages in the conversation. Where a platform of the
/// Messages API does not say so, a reminder is safe.
fn takes_system(target: Target<'_>) -> bool {
    let Target { spec, model, .. } = target;
    let is_known = |facts: &ModelFacts| facts.system_messages.is_on(spec.platform);
    target.capabilities().mid_conversation_system
        && (!spec.platform.is_anthropic() || spec.facts(model).is_none_or(is_known))
}

/// Places the system messages where the model takes them.
fn place(
    request: &mut Request,
    sources: &mut Sources,
    target: Target<'_>,
    losses: &mut Vec<ConversionLoss>,
) {
    let Target { spec, model, .. } = target;
    let mut placing = Placing::new(takes_system(target), spec.platform, spec.facts(model));
    placing.all(&mut request.messages, &mut sources.messages);
    losses.append(&mut placing.losses);
}

/// Makes the changes of tools at once that messages cannot make.
fn tool_changes(
    request: &mut Request,
    sources: &mut Sources,
    target: Target<'_>,
    losses: &mut Vec<ConversionLoss>,
) {
    let wire = target.wire().wire;
    let takes_changes =
        takes_system(target) && takes_removals(target.spec, target.spec.facts(target.model), &wire);
    if !takes_changes {
        removals(request, sources, losses);
    }
    let mut deferred = request.tools.iter().map(|it| it.defer_loading == Some(true));
    let takes_additions = takes_changes && !deferred.clone().all(|it| it);
    if wire.wire() == Wire::Messages && deferred.any(|it| it) && !takes_additions {
        additions(request, sources, losses);
    }
}

/// Leaves out a choice among no tools, such as those that were left out: no API takes one.
fn tool_choice(request: &mut Request, sources: &Sources, losses: &mut Vec<ConversionLoss>) {
    if request.tools.is_empty()
        && let Some(choice) = request.tool_choice.take()
        && !matches!(choice.mode(), ToolMode::Auto | ToolMode::Forbidden)
    {
        losses.push(Reason::NoToolLeft.at(sources.path("tool_choice")));
    }
}

/// Removes `disable_parallel_tool_use` from a choice that forbids calls: the Messages API refuses it
/// there, and it means nothing. OpenAI's wires take both keys, so they keep it.
fn forbidden_calls(request: &mut Request) {
    let choice = request.tool_choice.as_mut();
    if let Some(choice) = choice.filter(|it| it.mode() == ToolMode::Forbidden) {
        choice.disable_parallel_tool_use = None;
    }
}

/// Gives Gemini back the objects that its responses had, and the declared types of images.
fn responses(messages: &mut [Message], sources: &Sources) {
    for (message, (_, paths)) in messages.iter_mut().zip(&sources.messages) {
        for (block, path) in message.content.iter_mut().zip(paths) {
            let output = sources.outputs.get(path);
            media_type(block, output);
            let (ContentBlock::ToolResult(result), Some(output)) = (block, output) else {
                continue;
            };
            if let Some(object) = output.response.clone() {
                result.extra.0.push((RESPONSE.to_owned(), object));
            }
            if let ResultContent::Blocks(blocks) = &mut result.content {
                for (block, path) in blocks.iter_mut().zip(&output.parts) {
                    media_type(block, sources.outputs.get(path));
                }
            }
        }
    }
}

/// Leaves it to the model again whether it thinks, if a body of Gemini has no budget: Flash-Lite does
/// not think by default.
fn own_budget(request: &mut Request, sources: &Sources) {
    let has_budget = sources.parameters.iter().any(|(it, _)| *it == "thinking.budget_tokens");
    if sources.wire == Wire::GenerateContent
        && !has_budget
        && let Some(thinking) = &mut request.thinking
    {
        "enabled".clone_into(&mut thinking.kind);
    }
}

/// Gives an image its declared type.
fn media_type(block: &mut ContentBlock, output: Option<&Output>) {
    if let ContentBlock::Image(image) = block
        && let Some(declared) = output.and_then(|it| it.media_type.as_deref())
        && let Ok(declared) = RawJson::parse(&Value::from(declared).to_string())
    {
        image.extra.0.push((MEDIA_TYPE.to_owned(), declared));
    }
}

/// Turns the newest readable summary of a compaction by the API into a text of the user, and leaves
/// out what is before it, as the API does. A compaction without a readable summary stays, and is
/// left out later.
fn summaries(
    messages: &mut Vec<Message>,
    positions: &mut Positions<String>,
    losses: &mut Vec<ConversionLoss>,
) {
    let newest = messages.iter().enumerate().rev().find_map(|(index, message)| {
        let blocks = message.content.iter().enumerate().rev();
        let mut summaries = blocks.filter_map(|(place, block)| Some((place, summary(block)?)));
        summaries.next().map(|(place, text)| (index, place, text))
    });
    let Some((index, place, text)) = newest else {
        return;
    };
    if index + place > 0 {
        let what = "left out, with all up to the summary, which stands for it";
        losses.push(ConversionLoss::new(&positions[0].0, what));
    }
    messages.drain(..index);
    positions.drain(..index);
    let (message, (at, blocks)) = (&mut messages[0], &mut positions[0]);
    message.content.drain(..=place);
    let paths: Vec<_> = blocks.drain(..blocks.len().min(place + 1)).collect();
    let path = paths.get(place).unwrap_or(at).clone();
    losses.push(ConversionLoss::new(&path, "the summary is sent as a text of the user"));
    if message.content.is_empty() {
        messages.remove(0);
        positions.remove(0);
    }
    messages.insert(0, Message::new(Role::User, vec![ContentBlock::text(text)]));
    positions.insert(0, (path.clone(), vec![path]));
}

/// Returns the text of a compaction by the API.
fn summary(block: &ContentBlock) -> Option<String> {
    block.as_other()?.compaction()?.content
}

/// Moves the definitions of tools in messages to the parameter, for a model that takes them there
/// only. The last one of a name counts.
fn inline_tools(request: &mut Request, sources: &mut Sources, losses: &mut Vec<ConversionLoss>) {
    let mut moved = Vec::new();
    retain(&mut request.messages, &mut sources.messages, |_, block, path| {
        let tool = inline(block);
        let is_kept = tool.is_none();
        moved.extend(tool.map(|tool| (tool, path.to_owned())));
        is_kept
    });
    for (tool, path) in moved {
        losses.push(Reason::InlineTool.at(&path));
        retain_tools(request, sources, |it, _| it.name != tool.name);
        request.tools.push(tool);
        sources.tools.push(ToolSource::new(path, "input_schema"));
    }
}

/// Keeps the tools for which `keeps` returns true, given the tool's path.
fn retain_tools(
    request: &mut Request,
    sources: &mut Sources,
    mut keeps: impl FnMut(&Tool, &str) -> bool,
) {
    let all = mem::take(&mut request.tools).into_iter().zip(mem::take(&mut sources.tools));
    (request.tools, sources.tools) = all.filter(|(tool, it)| keeps(tool, &it.path)).unzip();
}

/// Returns true if a message can take a tool away. A model that is not known may take it.
fn takes_removals(spec: &ProviderSpec, facts: Option<&ModelFacts>, wire: &WireDialect) -> bool {
    match wire {
        WireDialect::Messages(_) => {
            facts.is_none_or(|facts| facts.tool_changes.known_on(spec.platform) != Some(false))
        }
        WireDialect::Responses(dialect) => dialect.allowed_tools,
        WireDialect::ChatCompletions(_) | WireDialect::GenerateContent => false,
    }
}

/// Gives deferred tools at once that messages add later. The Messages API needs one tool that is
/// not deferred, and some models take no tool later.
fn additions(request: &mut Request, sources: &mut Sources, losses: &mut Vec<ConversionLoss>) {
    let changes = request.messages.iter().flat_map(|it| &it.content);
    let changes = changes.filter_map(ContentBlock::tool_change);
    let added = changes.filter_map(|it| match it {
        ToolChange::Added(name) => Some(name),
        _ => None,
    });
    let added: HashSet<_> = added.collect();
    let mut given = HashSet::new();
    for (tool, ToolSource { path, .. }) in request.tools.iter_mut().zip(&sources.tools) {
        if tool.defer_loading == Some(true) && added.contains(&*tool.name) {
            tool.defer_loading = None;
            losses.push(ConversionLoss::new(path, "given at once: it cannot be added later"));
            given.insert(tool.name.as_str());
        }
    }
    retain(&mut request.messages, &mut sources.messages, |_, block, _| {
        let change = block.tool_change();
        !matches!(change, Some(ToolChange::Added(name)) if given.contains(&*name))
    });
}

/// Leaves out the tools that messages take away, when they cannot be sent with the removal.
fn removals(request: &mut Request, sources: &mut Sources, losses: &mut Vec<ConversionLoss>) {
    let mut removed = HashSet::new();
    retain(&mut request.messages, &mut sources.messages, |role, block, _| {
        match block.tool_change().filter(|_| *role == Role::System) {
            Some(ToolChange::Removed(name)) => {
                removed.insert(name);
                false
            }
            Some(ToolChange::Added(name)) => {
                removed.remove(&name);
                true
            }
            None => true,
        }
    });
    retain_tools(request, sources, |tool, path| {
        let is_removed = removed.contains(&*tool.name);
        if is_removed {
            losses.push(Reason::RemovedTool.at(path));
        }
        !is_removed
    });
}

/// Renames tools whose names the Messages API refuses, in their calls, their changes and the choice
/// as well. The same name is always replaced by the same one.
fn names(request: &mut Request, sources: &Sources, losses: &mut Vec<ConversionLoss>) {
    let mut names = Names::default();
    let mut renamed = |name: &str| {
        if takes_name(Wire::Messages, name) { None } else { names.shorten(name, NAME).ok() }
    };
    for (index, tool) in request.tools.iter_mut().enumerate() {
        if let Some(name) = renamed(&tool.name) {
            let loss = ConversionLoss::renamed_tool(index, &tool.name, &name);
            losses.push(ConversionLoss { path: sources.path(&loss.path), ..loss });
            tool.name = name;
        }
    }
    let choice = request.tool_choice.as_mut();
    if let Some(chosen) = choice.and_then(|it| it.name.as_mut())
        && let Some(name) = renamed(chosen)
    {
        *chosen = name;
    }
    for block in request.messages.iter_mut().flat_map(|it| &mut it.content) {
        if let ContentBlock::ToolUse(call) = block
            && let Some(name) = renamed(&call.name)
        {
            call.name = name.into();
        } else if let Some(change) = block.tool_change()
            && let Some(name) = renamed(change.tool())
        {
            let renamed = match change {
                ToolChange::Added(_) => ToolChange::Added,
                ToolChange::Removed(_) => ToolChange::Removed,
            };
            *block = renamed(name.into()).into();
        }
    }
}

/// Leaves out sampling parameters that the model refuses, always or while it thinks, or that the
/// API version refuses for all models.
fn sampling(
    request: &mut Request,
    facts: Option<&ModelFacts>,
    wire: Wire,
    version: ApiVersion,
    losses: &mut Vec<ConversionLoss>,
) {
    let since = table::SAMPLING.since.filter(|_| wire == Wire::Messages);
    let reason = match facts.and_then(|it| it.sampling) {
        Some(Sampling::Refused | Sampling::DefaultsOnly) => Reason::SamplingOfModel,
        _ if since.is_some_and(|since| version >= since) => Reason::SamplingOfVersion,
        Some(Sampling::WithoutThinking) if facts.is_some_and(|it| thinks(request, it)) => {
            Reason::SamplingWithThinking
        }
        _ => return,
    };
    // While it thinks, Claude takes its default, and nearly all of the mass.
    let takes_some = wire == Wire::Messages && reason == Reason::SamplingWithThinking;
    let is_default = |it: &Number| takes_some && it.as_f64() == Some(1.0);
    if request.temperature.take_if(|it| !is_default(it)).is_some() {
        losses.push(reason.at("temperature"));
    }
    request.extra.0.retain(|(key, value)| {
        let is_whole = |it: f64| takes_some && key == "top_p" && it >= MIN_TOP_P_WITH_THINKING;
        let is_taken = value.get().parse().is_ok_and(is_whole);
        let is_sampling = SAMPLING_KEYS.contains(&key.as_str()) && !is_taken;
        if is_sampling {
            losses.push(reason.at(key));
        }
        !is_sampling
    });
}

/// Returns true if the model thinks before it answers the request.
fn thinks(request: &Request, facts: &ModelFacts) -> bool {
    match &request.thinking {
        Some(_) => !is_off(request),
        None => facts.thinking.is_none_or(|it| it.default != ThinkingDefault::Off),
    }
}

#[cfg(test)]
mod tests;
