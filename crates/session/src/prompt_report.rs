//! The report on a system prompt: every section with its place, its size and
//! the reason if it is not sent.

use aside_cache_split::{Layout, Split, SplitMode};
use aside_models::{TokenEstimate, Tokenizer, estimate};
use aside_prompt_sections::{
    Effective, Lifetime, PromptRule, Registry, Resolved, SectionCaching, Segment, SystemPrompt,
    Value, Zone,
};

/// The system prompt of a session, section by section.
///
/// [`Session::prompt`](crate::Session::prompt) returns it; `aside prompt`
/// prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptReport {
    /// The rule that chose the prompt.
    pub rule: PromptRule,
    /// The order of the parts of a request.
    pub layout: Layout,
    /// The way in which the prompt is split into blocks.
    pub mode: SplitMode,
    /// The sections in the order of the request. A section that is not sent is
    /// listed at the position that it would have.
    pub sections: Vec<SectionReport>,
}

/// One section of a [`PromptReport`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionReport {
    /// Its name.
    pub name: String,
    /// The zone of the section; `None` for attribution and identity, which
    /// precede both zones.
    pub zone: Option<Zone>,
    /// The period for which its text is constant.
    pub lifetime: Lifetime,
    /// The moment at which its text is computed; for an uncached section, also
    /// the reason.
    pub caching: SectionCaching,
    /// The place of the section in the request, or the reason for its absence.
    pub fate: Fate,
    /// The length of its text in bytes, before JSON escapes.
    pub bytes: usize,
    /// The estimated number of tokens of its text.
    pub tokens: TokenEstimate,
}

/// The place of a section in the request, or the reason for its absence.
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

/// The inputs of a report.
pub(crate) struct Gathered<'a> {
    pub(crate) registry: Option<&'a Registry>,
    pub(crate) resolved: Option<&'a Resolved>,
    /// The prompt with the system context, before it is split.
    pub(crate) prompt: &'a SystemPrompt,
    pub(crate) effective: &'a Effective,
    pub(crate) layout: Layout,
    pub(crate) split: &'a Split,
    /// The method by which tokens are estimated for the model.
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
        Self {
            rule: gathered.effective.rule,
            layout: gathered.layout,
            mode: gathered.split.mode,
            sections,
        }
    }
}

impl Gathered<'_> {
    /// Returns the reports of attribution and identity.
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

    /// Returns the reports of the default sections and those of the session.
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
                name: section.name,
                zone: Some(section.zone),
                lifetime: section.lifetime,
                caching: section.caching,
                fate,
                bytes: text.len(),
                tokens: estimate(text, self.tokenizer),
            }
        });
        reports.collect()
    }

    /// Returns the report of a section that is in the prompt.
    fn segment(&self, segment: &Segment) -> SectionReport {
        SectionReport {
            name: segment.name().to_owned(),
            zone: Some(segment.zone()),
            lifetime: segment.lifetime(),
            caching: SectionCaching::Cached,
            fate: self.fate(segment.name(), segment.lifetime()),
            bytes: segment.text().len(),
            tokens: estimate(segment.text(), self.tokenizer),
        }
    }

    /// Returns the place of a section that has text.
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
