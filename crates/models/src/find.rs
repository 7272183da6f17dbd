//! Looking a model up by its id, in any spelling.

use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::facts::ModelFacts;
use crate::family::{family, vendor_of};
use crate::normalize::{deployment_of, normalize};
use crate::platform::Platform;
use crate::wire::{Tier, ToolSupport, Vendor, Wire};

/// What a lookup found.
///
/// ```
/// use aside_models::{Known, find};
///
/// let found = find("us.anthropic.claude-haiku-4-5-20251001-v1:0");
/// assert_eq!((found.known, found.facts.id), (Known::Known, "claude-haiku-4-5"));
/// assert_eq!(find("claude-fable-9").known, Known::Family);
/// assert_eq!(find("llama-5").known, Known::Unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The facts. For a model without a row, only those that its whole family
    /// shares; the rest is unknown.
    pub facts: &'static ModelFacts,
    /// How much is known.
    pub known: Known,
}

/// How much is known about a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Known {
    /// The catalogue has a row for it.
    Known,
    /// Its name tells its vendor.
    Family,
    /// Nothing.
    Unknown,
}

/// Returns every row in the catalogue, by vendor, newest first in each line.
pub fn all() -> impl Iterator<Item = &'static ModelFacts> {
    Catalogue::current().rows()
}

/// Looks a model up by its id as any platform writes it:
/// `claude-sonnet-4-5-20250929`,
/// `us.anthropic.claude-sonnet-4-5-20250929-v1:0`,
/// `claude-sonnet-4-5@20250929`, `claude-sonnet-4-5[1m]`.
///
/// Another version is never taken for a known one: `claude-opus-5-6` is not
/// `claude-opus-5`.
///
/// ```
/// use aside_models::{Known, find};
///
/// let found = find("us.anthropic.claude-haiku-4-5-20251001-v1:0");
/// assert_eq!((found.facts.id, found.known), ("claude-haiku-4-5", Known::Known));
///
/// let found = find("claude-opus-9");
/// assert_eq!((found.facts.context_window, found.known), (None, Known::Family));
/// ```
#[must_use]
pub fn find(id: &str) -> Found {
    let id = normalize(id);
    if let Some(facts) = Catalogue::current().row(id) {
        return Found { facts, known: Known::Known };
    }
    let vendor = vendor_of(id);
    Found {
        facts: family(vendor, id),
        known: match vendor {
            Vendor::Other => Known::Unknown,
            _ => Known::Family,
        },
    }
}

/// Returns the model whose prices a request is billed at: the one that answered, as a fallback or
/// behind a deployment's name.
///
/// The requested id stays if the other is only another spelling of it, or unknown.
///
/// ```
/// use aside_models::billed_model;
///
/// assert_eq!(billed_model("claude-opus-5", "claude-sonnet-5-5"), "claude-opus-5");
/// assert_eq!(billed_model("gpt-4.1-2025-04-14", "my-deployment"), "gpt-4.1-2025-04-14");
/// assert_eq!(billed_model("gpt-4.1-2025-04-14", "gpt-4.1"), "gpt-4.1");
/// assert_eq!(billed_model("llama-5", "gpt-4.1"), "gpt-4.1");
/// ```
#[must_use]
pub fn billed_model<'a>(answered: &'a str, requested: &'a str) -> &'a str {
    if answered.is_empty() || answered == requested {
        return requested;
    }
    let found = find(answered);
    let is_other = found.known == Known::Known && found.facts.id != find(requested).facts.id;
    if is_other { answered } else { requested }
}

/// Looks a model up by its id or, on a platform with deployments, by a
/// deployment name that begins with the id.
///
/// ```
/// use aside_models::{Known, Platform, find_on};
///
/// let found = find_on(Platform::Foundry, "claude-sonnet-5-5-eu");
/// assert_eq!(found.facts.id, "claude-sonnet-5-5");
/// assert_eq!(find_on(Platform::Foundry, "claude-opus-5-6").known, Known::Family);
/// assert_eq!(find_on(Platform::FirstParty, "claude-sonnet-5-5-eu").known, Known::Family);
/// ```
#[must_use]
pub fn find_on(platform: Platform, id: &str) -> Found {
    let found = find(id);
    if found.known == Known::Known || !platform.has_deployments() {
        return found;
    }
    let name = normalize(id);
    let rows = all().flat_map(|facts| {
        let ids = [facts.id].into_iter().chain(facts.aliases.iter().copied());
        ids.map(move |id| (id, facts))
    });
    let named = rows.filter(|(id, _)| deployment_of(name, id));
    match named.max_by_key(|(id, _)| id.len()) {
        Some((_, facts)) => Found { facts, known: Known::Known },
        None => found,
    }
}

/// Returns a vendor's newest model that replaces a Claude line and takes tools
/// on the wire.
///
/// ```
/// use aside_models::{Tier, Vendor, Wire, counterpart};
///
/// let model = counterpart(Vendor::OpenAi, Tier::Haiku, Wire::Responses);
/// assert_eq!(model.map(|facts| facts.id), Some("gpt-6-luna"));
/// ```
#[must_use]
pub fn counterpart(vendor: Vendor, tier: Tier, wire: Wire) -> Option<&'static ModelFacts> {
    let takes_tools = |facts: &&ModelFacts| {
        let on = facts.wires.iter().find(|it| it.wire == wire);
        on.is_some_and(|it| it.tools == ToolSupport::Accepted)
    };
    all()
        .filter(|facts| facts.vendor == vendor && facts.stands_in_for.contains(&tier))
        .filter(takes_tools)
        .max_by_key(|facts| facts.generation)
}

/// Returns the newest model in each Claude line, the most able line first.
pub fn latest_claude() -> impl Iterator<Item = &'static ModelFacts> {
    let lines = ["mythos", "fable", "opus", "sonnet", "haiku"];
    lines.into_iter().filter_map(|line| {
        let claude = Catalogue::current().rows_of(Vendor::Anthropic);
        let of_line = claude.filter(|facts| facts.line == line);
        of_line.max_by_key(|facts| facts.generation)
    })
}

impl Found {
    /// Returns true if the catalogue has a row for the model.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.known == Known::Known
    }
}
