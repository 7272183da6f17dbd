//! How a session delivers texts, from its model's facts.
//!
//! The table in `ARCHITECTURE.md` ("Delivery") has a row for each kind of text
//! and a column for each combination of facts that this module distinguishes.

use aside_cache_split::Layout;
use aside_messages::conversation::{
    Conversation, Delivery, EntryKind, EphemeralForm, Part, ToolForm, Voice,
};
use aside_messages::lower::{LowerOptions, SystemForms};
use aside_models::{Found, Known, Platform, Vendor, Wire, find};
use aside_providers::{Provider, ProviderSpec};
use aside_rules::max_body_bytes;
use aside_rules::of::tool::max_tools;

use crate::config::SessionConfig;
use crate::tools::ToolLimit;

/// How many images and documents to send to a model without a known limit.
const DEFAULT_MEDIA_LIMIT: usize = 100;

/// Returns how a session delivers.
///
/// A Claude model that is not in the catalogue is treated as one that binds its
/// thinking, because every model accepts text that is appended. On the clouds,
/// where users name deployments and profiles, so is a model with an unknown
/// name.
pub(crate) fn delivery_of(config: &SessionConfig, layout: Layout) -> Delivery {
    let found = config.answering();
    // A Claude model's facts do not apply to a model that replaces it.
    let is_served = is_served(config, found.facts.vendor);
    let bound = is_unknown_claude(config.service, found)
        || (is_served && found.facts.bound_to_prefix == Some(true));
    delivery_with(config, layout, bound)
}

/// Returns how to deliver to a model that binds its thinking, or not.
pub(crate) fn delivery_with(config: &SessionConfig, layout: Layout, bound: bool) -> Delivery {
    let forms = forms_of(config);
    Delivery {
        model: config.model.clone(),
        platform: config.service.as_str().to_owned(),
        bound,
        ephemeral: match (bound, forms.messages && forms.clear_at) {
            (false, _) => EphemeralForm::Tail,
            (true, true) => EphemeralForm::TurnScoped,
            (true, false) => EphemeralForm::Persistent,
        },
        voice: match layout {
            Layout::Layered if forms.messages => Voice::System,
            _ => Voice::Tags,
        },
        tools: if bound && forms.messages && forms.tool_changes {
            ToolForm::Appended
        } else {
            ToolForm::Replaced
        },
    }
}

/// Returns true if the system prompt changes in place between requests: in the
/// classic layout, if the model does not bind its thinking to the prompt.
pub(crate) fn changes_prompt_in_place(config: &SessionConfig, layout: Layout) -> bool {
    layout == Layout::Classic && !delivery_of(config, layout).bound
}

/// Returns the forms of system messages that the model accepts on this
/// platform, with the betas that may be sent.
fn forms_of(config: &SessionConfig) -> SystemForms {
    let (facts, service) = (config.answering().facts, config.service);
    if !service.is_anthropic() {
        // Models that bind their reasoning take developer messages and tools
        // anywhere in the conversation.
        let is_bound = is_served(config, facts.vendor) && facts.bound_to_prefix == Some(true);
        return SystemForms { messages: is_bound, clear_at: false, tool_changes: is_bound };
    }
    let betas = !config.cache.global_scope.betas_disabled;
    SystemForms {
        messages: facts.system_messages.is_on(service),
        clear_at: betas && facts.clear_at.is_on(service),
        tool_changes: betas && facts.tool_changes.is_on(service),
    }
}

/// Returns the lowering options that follow from the model.
pub(crate) fn lower_options(config: &SessionConfig, delivery: &Delivery) -> LowerOptions {
    let limit = config.answering().facts.max_images.and_then(|limit| usize::try_from(limit).ok());
    LowerOptions {
        media_limit: config.media_limit.or(limit).unwrap_or(DEFAULT_MEDIA_LIMIT),
        media_bytes: max_body_bytes(config.service) / 4 * 3,
        limits_image_sides: config.service.is_anthropic(),
        documents: takes_documents(config.service),
        forms: forms_of(config),
        compaction_blocks: takes_compaction_blocks(config),
        binds_thinking: delivery.bound,
        unsigned_thinking: !config.service.is_anthropic(),
        ..config.lower.clone()
    }
}

/// Returns true if the API accepts the blocks of its own compaction, and makes them on demand: only
/// on Anthropic's platforms, and not if beta features are disabled.
pub(crate) fn takes_compaction_blocks(config: &SessionConfig) -> bool {
    config.service.is_anthropic()
        && !config.cache.global_scope.betas_disabled
        && config.answering().facts.compaction.is_on(config.service)
}

/// Returns true if the service accepts documents such as PDF.
fn takes_documents(service: Platform) -> bool {
    spec_of(service).is_none_or(|it| it.capabilities.documents)
}

fn spec_of(service: Platform) -> Option<&'static ProviderSpec> {
    Provider::ALL.into_iter().map(Provider::spec).find(|it| it.platform == service)
}

/// Returns how many tools a request may have. On Responses, a model that takes tools anywhere in
/// the conversation gets a deferred one there, and not in the list.
pub(crate) fn tool_limit(config: &SessionConfig) -> Option<ToolLimit> {
    let max = config.tool_limit.or(max_tools(config.service))?;
    let model = config.answering_model.as_ref().unwrap_or(&config.model);
    let wire = spec_of(config.service).map(|it| it.wire(model).wire.wire());
    let keeps_back = wire == Some(Wire::Responses) && forms_of(config).tool_changes;
    Some(ToolLimit { max, counts_deferred: !keeps_back })
}

/// Returns true if nothing is known about the model, and it has Claude's wire:
/// it may bind its thinking.
pub(crate) fn may_bind(config: &SessionConfig) -> bool {
    config.service.is_anthropic() && config.answering().known == Known::Unknown
}

/// Returns true if the model has no row and is a Claude: by its name, or
/// because the cloud serves no other on this wire.
fn is_unknown_claude(service: Platform, found: Found) -> bool {
    let is_cloud = service.is_anthropic() && service != Platform::FirstParty;
    match found.known {
        Known::Known => false,
        Known::Family => service.is_anthropic() && found.facts.vendor == Vendor::Anthropic,
        _ => is_cloud,
    }
}

/// Returns true if the service has this vendor's models.
fn is_served(config: &SessionConfig, vendor: Vendor) -> bool {
    config.service.is_anthropic() == (vendor == Vendor::Anthropic)
}

/// Returns true for two names of one model on one platform.
pub(crate) fn is_same_model(one: &Delivery, other: &Delivery) -> bool {
    let is_alias = || {
        let (one, other) = (find(&one.model), find(&other.model));
        one.is_known() && other.is_known() && one.facts.id == other.facts.id
    };
    one.platform == other.platform && (one.model == other.model || is_alias())
}

/// Returns the latest form of delivery in the conversation.
pub(crate) fn recorded(conversation: &Conversation) -> Option<&Delivery> {
    let entries = conversation.entries().iter().rev();
    entries.into_iter().find_map(|entry| match &entry.kind {
        EntryKind::Delivery(delivery) => Some(&**delivery),
        _ => None,
    })
}

/// Returns true if a response in the conversation has signed thinking.
pub(crate) fn has_signed_thinking(conversation: &Conversation) -> bool {
    let mut parts = conversation.entries().iter().flat_map(|it| &it.parts);
    parts.any(|part| match part {
        Part::Thinking(thinking) => !thinking.signature.is_empty(),
        Part::RedactedThinking(_) => true,
        _ => false,
    })
}

/// Returns true if a response in the conversation has thinking.
pub(crate) fn has_thinking(conversation: &Conversation) -> bool {
    conversation.entries().iter().flat_map(|it| &it.parts).any(is_thinking)
}

pub(crate) fn is_thinking(part: &Part) -> bool {
    matches!(part, Part::Thinking(_) | Part::RedactedThinking(_))
}
