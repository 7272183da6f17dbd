//! Adapts a request that was written for another model.
//!
//! ```text
//! user, system "x", user                   user, user, system "x"                  Messages API
//!                                          user, user + reminder "x"               Gemini
//! assistant, user                          user "(no content)", assistant, user    Gemini
//! "name":"my.tool"                         "name":"my_x4d2e…"                       Messages API
//! "temperature":0.2                        left out, for a model that refuses it
//! "output_config":{"verbosity":"low"}      left out, on the Messages API
//! ```

use std::mem;

use aside_messages::history::NO_CONTENT;
use aside_messages::wire::{ContentBlock, Message, Request, Role, ToolMode, reminder_text};
use aside_models::{ModelFacts, Platform, Sampling, Support, Wire};
use aside_rules::of::parameters::SAMPLING_KEYS;
use aside_rules::of::tool::takes_name;
use serde::Deserialize;

use crate::admission::Target;
use crate::loss::{ConversionLoss, Reason};
use crate::names::{NAME, Names};
use crate::options::Options;
use crate::parameters::{is_turn_scoped, without_member};
use crate::provider_spec::ProviderSpec;

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
    let spec = provider.into();
    let model = options.model(spec, &request.model);
    let target = Target {
        spec,
        model: &model,
        options,
    };
    let facts = spec.facts(&model);
    let wire = target.wire().wire.wire();
    let takes_system = target.capabilities().mid_conversation_system;
    let mut losses = Vec::new();
    sampling(request, facts, &mut losses);
    if wire == Wire::Messages {
        names(request, &mut losses);
    }
    // No API takes a choice among no tools, such as those that were left out.
    if request.tools.is_empty()
        && let Some(choice) = request.tool_choice.take()
        && !matches!(choice.mode(), ToolMode::Auto | ToolMode::Forbidden)
    {
        let what = "left out: no tool is left to choose";
        losses.push(ConversionLoss::new("tool_choice", what));
    }
    if wire == Wire::Messages
        && let Some(config) = without_member(request.output_config.as_ref(), "verbosity")
    {
        request.output_config = (config.get() != "{}").then_some(config);
        losses.push(Reason::NoVerbosity.at("output_config.verbosity"));
    }
    if !spec.platform.is_anthropic() {
        summaries(&mut request.messages, &mut losses);
    }
    if wire == Wire::Messages || !takes_system {
        let mut placing = Placing::new(takes_system, spec.platform, facts);
        request.messages = placing.all(mem::take(&mut request.messages));
        losses.append(&mut placing.losses);
    }
    let first = request.messages.first().map(|it| &it.role);
    if wire == Wire::GenerateContent && first.is_some_and(|it| *it != Role::User) {
        let text = ContentBlock::text(NO_CONTENT);
        request
            .messages
            .insert(0, Message::new(Role::User, vec![text]));
        losses.push(Reason::FirstOfUser.at("messages[0]"));
    }
    losses
}

/// Turns the summary of a compaction by the API, which stands for the messages before it, into a
/// text of the user. One without a readable summary stays, and is left out later.
fn summaries(messages: &mut [Message], losses: &mut Vec<ConversionLoss>) {
    #[derive(Deserialize)]
    struct Summary {
        content: String,
    }
    for (index, message) in messages.iter_mut().enumerate() {
        let [ContentBlock::Other(block)] = &message.content[..] else {
            continue;
        };
        let read = serde_json::from_str::<Summary>(block.raw().get());
        if block.kind() == "compaction"
            && let Ok(summary) = read
        {
            *message = Message::new(Role::User, vec![ContentBlock::text(summary.content)]);
            let path = format!("messages[{index}].content[0]");
            losses.push(ConversionLoss::new(
                path,
                "the summary is sent as a text of the user",
            ));
        }
    }
}

/// Renames tools whose names the Messages API refuses, in their calls and the choice as well. The
/// same name is always replaced by the same one.
fn names(request: &mut Request, losses: &mut Vec<ConversionLoss>) {
    let mut names = Names::default();
    let mut renamed = |name: &str| match takes_name(Wire::Messages, name) {
        true => None,
        false => names.shorten(name, NAME).ok(),
    };
    for (index, tool) in request.tools.iter_mut().enumerate() {
        if let Some(name) = renamed(&tool.name) {
            let what = format!("{:?} is sent as {name:?}", tool.name);
            losses.push(ConversionLoss::new(
                format_args!("tools[{index}].name"),
                what,
            ));
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
        }
    }
}

fn sampling(request: &mut Request, facts: Option<&ModelFacts>, losses: &mut Vec<ConversionLoss>) {
    let refused = [Some(Sampling::Refused), Some(Sampling::DefaultsOnly)];
    if !facts.is_some_and(|facts| refused.contains(&facts.sampling)) {
        return;
    }
    if request.temperature.take().is_some() {
        losses.push(Reason::SamplingOfModel.at("temperature"));
    }
    request.extra.0.retain(|(key, _)| {
        let is_sampling = SAMPLING_KEYS.contains(&key.as_str());
        if is_sampling {
            losses.push(Reason::SamplingOfModel.at(key));
        }
        !is_sampling
    });
}

/// Moves system messages to where the Messages API takes them, after the user messages before a
/// response, or turns them into reminders to the user.
struct Placing {
    takes_text: bool,
    takes_effort: bool,
    losses: Vec<ConversionLoss>,
    messages: Vec<Message>,
    /// The system messages since the last response, with their indexes.
    held: Vec<(usize, Message)>,
    /// The latest user message's index.
    latest: Option<usize>,
}

impl Placing {
    fn new(takes_system: bool, platform: Platform, facts: Option<&ModelFacts>) -> Self {
        let of_model = |support: fn(&ModelFacts) -> Support| {
            let known = facts.map(|facts| support(facts).known_on(platform));
            known.unwrap_or(Some(true))
        };
        Self {
            // Where it is not known, a reminder is safe.
            takes_text: takes_system && of_model(|facts| facts.system_messages) == Some(true),
            takes_effort: takes_system && of_model(|facts| facts.message_effort) != Some(false),
            losses: Vec::new(),
            messages: Vec::new(),
            held: Vec::new(),
            latest: None,
        }
    }

    fn all(&mut self, messages: Vec<Message>) -> Vec<Message> {
        for (index, message) in messages.into_iter().enumerate() {
            if message.role == Role::System {
                self.held.push((index, message));
                continue;
            }
            if message.role == Role::User {
                self.latest = Some(index);
            } else {
                self.place();
            }
            self.messages.push(message);
        }
        self.place();
        mem::take(&mut self.messages)
    }

    /// Appends the held messages after the user's.
    fn place(&mut self) {
        for (index, mut message) in mem::take(&mut self.held) {
            if message.output_config.is_some() && !self.takes_effort {
                message.output_config = None;
                let path = format_args!("messages[{index}].output_config");
                self.losses.push(Reason::MessageEffort.at(path));
            }
            if message.content.is_empty() {
                if message.output_config.is_some() {
                    self.messages.push(message);
                }
                continue;
            }
            let after = self.messages.last().map(|it| &it.role);
            if !self.takes_text || matches!(after, Some(Role::Assistant)) {
                self.remind(index, message);
                continue;
            }
            if self.latest.is_some_and(|latest| index < latest) {
                let path = format_args!("messages[{index}]");
                self.losses.push(Reason::SystemMoved.at(path));
            }
            self.messages.push(message);
        }
    }

    /// Appends a system message's text to the user message as a reminder.
    fn remind(&mut self, index: usize, message: Message) {
        let mut reminders = Vec::new();
        if is_turn_scoped(&message) {
            let path = format_args!("messages[{index}].clear_at");
            self.losses.push(Reason::ClearAt.at(path));
        }
        for (block, content) in message.content.into_iter().enumerate() {
            let loss = match content {
                ContentBlock::Text(text) => {
                    reminders.push(ContentBlock::text(reminder_text(&text.text)));
                    Reason::SystemReminder
                }
                _ => Reason::NoLaterTools,
            };
            let path = format_args!("messages[{index}].content[{block}]");
            self.losses.push(loss.at(path));
        }
        match self.messages.last_mut() {
            _ if reminders.is_empty() => {}
            Some(last) if last.role == Role::User => last.content.append(&mut reminders),
            _ => self.messages.push(Message::new(Role::User, reminders)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Provider;

    #[track_caller]
    fn check(provider: Provider, model: &str, messages: &str, expected: &str, losses: &[&str]) {
        let body = format!(r#"{{"model":"m","max_tokens":9,"messages":{messages}}}"#);
        let mut request = Request::parse(body.as_bytes())
            .expect("the test's JSON is valid")
            .value;
        let found = fit(&mut request, provider, &Options::for_model(model));
        let paths: Vec<_> = found.iter().map(|loss| loss.path.as_str()).collect();
        assert_eq!(paths, losses);
        let roles: Vec<_> = request.messages.iter().map(|it| it.role.as_str()).collect();
        assert_eq!(roles.join(" "), expected);
    }

    const MIDDLE: &str = r#"[{"role":"user","content":"a"},{"role":"system","content":"b"},
        {"role":"user","content":"c"},{"role":"assistant","content":"d"},
        {"role":"system","content":"e"},{"role":"assistant","content":"f"}]"#;

    #[test]
    fn system_messages_come_to_their_place() {
        check(
            Provider::FirstParty,
            "claude-opus-5",
            MIDDLE,
            "user user system assistant user assistant",
            &["messages[1]", "messages[4].content[0]"],
        );
        let reminders = ["messages[1].content[0]", "messages[4].content[0]"];
        let roles = "user user assistant user assistant";
        check(
            Provider::Gemini,
            "gemini-4-argon",
            MIDDLE,
            roles,
            &reminders,
        );
        check(
            Provider::FirstParty,
            "claude-sonnet-4-5",
            MIDDLE,
            roles,
            &reminders,
        );
        // Responses takes them anywhere.
        let roles = "user system user assistant system assistant";
        check(Provider::OpenAi, "gpt-6.2-sol", MIDDLE, roles, &[]);
    }

    #[test]
    fn a_summary_stands_for_what_it_replaces() {
        let summary = |content: &str| {
            format!(
                r#"[{{"role":"assistant","content":[{{"type":"compaction","content":{content}}}]}},
                {{"role":"user","content":"b"}}]"#
            )
        };
        let (read, sealed) = (summary(r#""S""#), summary("null"));
        let path = ["messages[0].content[0]"];
        check(Provider::OpenAi, "gpt-5.5", &read, "user user", &path);
        check(Provider::OpenAi, "gpt-5.5", &sealed, "assistant user", &[]);
        let own = "claude-opus-5-5";
        check(Provider::FirstParty, own, &read, "assistant user", &[]);
    }

    #[test]
    fn a_reminder_is_not_cleared() {
        let messages = r#"[{"role":"user","content":"a"},
            {"role":"system","content":"b","clear_at":"next_user_message"}]"#;
        let lost = ["messages[1].clear_at", "messages[1].content[0]"];
        check(Provider::Gemini, "gemini-4-argon", messages, "user", &lost);
    }

    #[test]
    fn names_of_tools_fit_the_messages_api() {
        let body = r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"a.b"}}]}],
            "tools":[{"functionDeclarations":[{"name":"a.b"}]}],"toolConfig":
            {"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a.b"]}}}"#;
        let mut request = crate::from_gemini(body.as_bytes()).unwrap().request;
        let options = Options::for_model("claude-opus-5");
        let losses = fit(&mut request, Provider::FirstParty, &options);
        assert_eq!(losses[0].path, "tools[0].name");
        let name = &request.tools[0].name;
        assert!(takes_name(Wire::Messages, name));
        assert_eq!(request.tool_choice.unwrap().name.as_ref(), Some(name));
        let text = serde_json::to_string(&request.messages).unwrap();
        assert!(text.contains(&format!(r#""name":"{name}""#)), "{text}");
    }

    #[test]
    fn gemini_wants_the_user_first() {
        let messages = r#"[{"role":"assistant","content":"a"},{"role":"user","content":"b"}]"#;
        let added = ["messages[0]"];
        check(
            Provider::Gemini,
            "gemini-4-argon",
            messages,
            "user assistant user",
            &added,
        );
        check(
            Provider::FirstParty,
            "claude-opus-5",
            messages,
            "assistant user",
            &[],
        );
    }
}
