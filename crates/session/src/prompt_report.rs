//! A report on a system prompt: every section with its place, its size and the
//! reason if it is not sent.

use aside_cache_split::{Layout, Split, SplitMode};
use aside_models::{TokenEstimate, Tokenizer, estimate};
use aside_prompt_sections::{
    Lifetime, PromptRule, Registry, Resolved, SectionCaching, Segment, SystemPrompt, Value, Zone,
    names,
};

/// A session's system prompt, section by section.
///
/// Get it from [`Session::prompt`](crate::Session::prompt); `aside prompt`
/// prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptReport {
    /// The rule that chose the prompt.
    pub rule: PromptRule,
    /// In which order a request has its parts.
    pub layout: Layout,
    /// How the prompt is split into blocks.
    pub mode: SplitMode,
    /// The sections in request order. A section that is not sent is listed
    /// where it would be.
    pub sections: Vec<SectionReport>,
}

/// One section in a [`PromptReport`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionReport {
    /// Its name.
    pub name: String,
    /// The section's zone; `None` for attribution and identity, which come
    /// before both zones.
    pub zone: Option<Zone>,
    /// For how long its text is constant.
    pub lifetime: Lifetime,
    /// When its text is computed; for an uncached section, also why.
    pub caching: SectionCaching,
    /// Where the section is in the request, or why it is not.
    pub fate: Fate,
    /// How long its text is in bytes, before JSON escapes.
    pub bytes: usize,
    /// Its text's estimated tokens.
    pub tokens: TokenEstimate,
}

/// Where a section is in the request, or why it is not.
///
/// ```
/// use aside_session::Fate;
///
/// let why = |fate: &Fate| match fate {
///     Fate::System(block) => format!("in system block {block}"),
///     Fate::FirstMessage => "in the first message".to_owned(),
///     Fate::Failed(reason) => format!("left out: {reason}"),
///     Fate::Empty | Fate::Replaced => "not sent".to_owned(),
/// };
/// assert_eq!(why(&Fate::System(0)), "in system block 0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// In the system block with this index.
    System(usize),
    /// In the first message, after the context that sessions share.
    FirstMessage,
    /// Not sent: it has no text.
    Empty,
    /// Not sent: it could not be computed, for this reason.
    Failed(String),
    /// Not sent: another prompt replaces the default one.
    Replaced,
}

/// What a report is made from.
pub(crate) struct Gathered<'a> {
    pub(crate) registry: Option<&'a Registry>,
    pub(crate) resolved: Option<&'a Resolved>,
    /// The prompt with the system context, before it is split.
    pub(crate) prompt: &'a SystemPrompt,
    pub(crate) rule: PromptRule,
    pub(crate) layout: Layout,
    pub(crate) split: &'a Split,
    /// How to estimate tokens for the model.
    pub(crate) tokenizer: Tokenizer,
}

impl PromptReport {
    pub(crate) fn new(gathered: &Gathered<'_>) -> Self {
        let mut sections = gathered.before_the_prompt();
        let registered = gathered.registered();
        let is_registered = |segment: &Segment| {
            let mut names = registered.iter().map(|section| &section.name);
            names.any(|name| name == segment.name())
        };
        // Sections that replace the default ones or are appended to them.
        let further: Vec<_> = gathered
            .prompt
            .segments()
            .filter(|segment| !is_registered(segment))
            .map(|segment| gathered.segment(segment))
            .collect();
        sections.extend(registered);
        sections.extend(further);
        Self { rule: gathered.rule, layout: gathered.layout, mode: gathered.split.mode, sections }
    }
}

impl Gathered<'_> {
    /// Reports on attribution and identity.
    fn before_the_prompt(&self) -> Vec<SectionReport> {
        let blocks = self.split.blocks.iter().enumerate();
        let parts = blocks.flat_map(|(index, block)| {
            let parts = block.parts.iter();
            parts.map(move |part| (index, part, &block.text[part.range.clone()]))
        });
        let is_ahead = |name: &str| !self.prompt.segments().any(|it| it.name() == name);
        parts
            .filter(|(_, part, _)| is_ahead(&part.name))
            .map(|(index, part, text)| SectionReport {
                name: part.name.clone(),
                zone: None,
                lifetime: Lifetime::Project,
                caching: SectionCaching::Static,
                fate: Fate::System(index),
                bytes: text.len(),
                tokens: estimate(text, self.tokenizer),
            })
            .collect()
    }

    /// Reports on the default sections and the session's own.
    fn registered(&self) -> Vec<SectionReport> {
        let listed = self.registry.map(Registry::list).unwrap_or_default();
        let value = |name: &str| {
            let mut sections = self.resolved.iter().flat_map(|it| it.sections());
            sections.find(|it| it.name == name).map(|it| &it.value)
        };
        let reports = listed.into_iter().map(|section| {
            let (fate, text) = match value(&section.name) {
                Some(Value::Text(text)) => (self.fate(&section.name, section.lifetime), &**text),
                Some(Value::Failed(message) | Value::Panicked(message)) => {
                    (Fate::Failed(message.clone()), "")
                }
                Some(Value::Absent) | None => (Fate::Empty, ""),
            };
            SectionReport {
                lifetime: self.lifetime(&section.name, section.lifetime),
                name: section.name,
                zone: Some(section.zone),
                caching: section.caching,
                fate,
                bytes: text.len(),
                tokens: estimate(text, self.tokenizer),
            }
        });
        reports.collect()
    }

    /// Reports on a section in the prompt.
    fn segment(&self, segment: &Segment) -> SectionReport {
        SectionReport {
            name: segment.name().to_owned(),
            zone: Some(segment.zone()),
            lifetime: self.lifetime(segment.name(), segment.lifetime()),
            caching: SectionCaching::Cached,
            fate: self.fate(segment.name(), segment.lifetime()),
            bytes: segment.text().len(),
            tokens: estimate(segment.text(), self.tokenizer),
        }
    }

    /// Returns a section's lifetime. In the classic layout, environment and
    /// memory are shared by the sessions of a project, as its system prompt is.
    fn lifetime(&self, name: &str, lifetime: Lifetime) -> Lifetime {
        let is_shared = [names::ENVIRONMENT, names::MEMORY].contains(&name);
        if self.layout == Layout::Classic && is_shared { Lifetime::Project } else { lifetime }
    }

    /// Returns where a section with text is.
    fn fate(&self, name: &str, lifetime: Lifetime) -> Fate {
        let mut blocks = self.split.blocks.iter();
        let holds = |block: &aside_cache_split::SplitBlock| {
            block.parts.iter().any(|part| part.name == name)
        };
        let is_chosen = self.prompt.segments().any(|it| it.name() == name);
        match blocks.position(holds) {
            Some(index) => Fate::System(index),
            None if is_chosen && lifetime == Lifetime::Session => Fate::FirstMessage,
            None => Fate::Replaced,
        }
    }
}
