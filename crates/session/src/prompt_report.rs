use aside_cache_split::{Layout, Split, SplitMode};
use aside_models::{TokenEstimate, Tokenizer, estimate};
use aside_prompt_sections::{
    Caching, Effective, Lifetime, Registry, Resolved, Rule, Segment, SystemPrompt, Value, Zone,
};

/// The system prompt of a session, section by section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptReport {
    /// Which rule chose the prompt.
    pub rule: Rule,
    /// The order of the request.
    pub layout: Layout,
    /// How the prompt was cut.
    pub mode: SplitMode,
    /// In the order in which they are sent; those that are not sent stand
    /// where they would be.
    pub sections: Vec<SectionReport>,
}

/// One section of a [`PromptReport`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionReport {
    /// Its name.
    pub name: String,
    /// The side of the boundary it stands on; `None` for what stands before
    /// the prompt.
    pub zone: Option<Zone>,
    /// For how long its text stays the same.
    pub lifetime: Lifetime,
    /// When its text is made; for an uncached section, why.
    pub caching: Caching,
    /// What became of it.
    pub fate: Fate,
    /// The length of its text in bytes, before JSON.
    pub bytes: usize,
    /// About how many tokens that is.
    pub tokens: TokenEstimate,
}

/// What became of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is sent in this block of the system prompt.
    System(usize),
    /// It is sent in the first message, behind what sessions share.
    FirstMessage,
    /// It has nothing to say.
    Empty,
    /// It could not be computed.
    Failed(String),
    /// Another prompt takes the default's place.
    Replaced,
}

/// What a report is made from.
pub(crate) struct Gathered<'a> {
    pub(crate) registry: Option<&'a Registry>,
    pub(crate) resolved: Option<&'a Resolved>,
    /// Before it was cut, with the system context.
    pub(crate) prompt: &'a SystemPrompt,
    pub(crate) effective: &'a Effective,
    pub(crate) layout: Layout,
    pub(crate) split: &'a Split,
    /// How the model counts tokens.
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
        // What takes the default's place, or is appended to it.
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
    /// Attribution and identity.
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
                caching: Caching::Static,
                fate: Fate::System(index),
                bytes: text.len(),
                tokens: estimate(text, self.tokenizer),
            })
            .collect()
    }

    /// The default sections and those of the session.
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

    fn segment(&self, segment: &Segment) -> SectionReport {
        SectionReport {
            name: segment.name().to_owned(),
            zone: Some(segment.zone()),
            lifetime: segment.lifetime(),
            caching: Caching::Cached,
            fate: self.fate(segment.name(), segment.lifetime()),
            bytes: segment.text().len(),
            tokens: estimate(segment.text(), self.tokenizer),
        }
    }

    /// Where a section with text went.
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
