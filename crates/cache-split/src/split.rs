use std::ops::Range;

use aside_messages::wire::SystemBlock;
use aside_messages::{BlockSource, Extent, Layer, Source};
use aside_prompt_sections::{Lifetime, Segment, StaticBoundary, SystemPrompt, Zone};

use crate::layout::{CacheScope, Layout, SplitMode};

/// What a split depends on besides the prompt.
///
/// A minor version may add fields: end yours with `..Default::default()`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SplitInputs<'a> {
    /// The request's layout.
    pub layout: Layout,
    /// True to send `"scope":"global"`; see
    /// [`GlobalScopeInputs::is_usable`](crate::GlobalScopeInputs::is_usable).
    pub global_scope: bool,
    /// True if MCP tools are among the tools before the system prompt. Deferred
    /// tools are not in the prefix.
    pub mcp_tools_in_prefix: bool,
    /// An [`Attribution`](crate::Attribution) as text: the first block, never
    /// marked.
    pub attribution: Option<&'a str>,
    /// The model's identity, a separate block before the prompt.
    pub identity: Option<&'a str>,
}

/// A system prompt, split into blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// How it was split.
    pub mode: SplitMode,
    /// The blocks in order, without blank ones.
    pub blocks: Vec<SplitBlock>,
}

/// One block of a system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitBlock {
    /// The text of the block.
    pub text: String,
    /// The marker's scope; `None` when there is no marker.
    pub scope: Option<CacheScope>,
    /// The parts of the text in order, joined with blank lines.
    pub parts: Vec<SplitPart>,
}

/// A part of a [`SplitBlock`]'s text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitPart {
    /// The section's name, or `attribution` or `identity`.
    pub name: String,
    /// Its byte range in the block's text.
    pub range: Range<usize>,
    /// The layer that it belongs to.
    pub layer: Layer,
}

/// Splits the prompt into blocks. In the layered layout, sections for one
/// session are left out: they belong in the first user message, after the
/// instruction files.
///
/// ```
/// use aside_cache_split::{split, CacheScope, SplitInputs, SplitMode};
/// use aside_prompt_sections::SystemPrompt;
///
/// let prompt = SystemPrompt::builder()
///     .fixed("rules", "Be careful.")
///     .boundary()
///     .dynamic("environment", "You are on Linux.")
///     .build()?;
/// let split = split(&prompt, SplitInputs::default());
/// assert_eq!(split.mode, SplitMode::StaticOrg);
/// assert_eq!(split.blocks[0].scope, Some(CacheScope::Org));
/// assert_eq!(split.blocks[1].scope, None);
/// # Ok::<(), aside_prompt_sections::SectionError>(())
/// ```
#[must_use]
pub fn split(prompt: &SystemPrompt, inputs: SplitInputs<'_>) -> Split {
    let mode = SplitMode::choose(prompt, &inputs);
    let org = Some(CacheScope::Org);
    let static_scope = if inputs.global_scope && !inputs.mcp_tools_in_prefix {
        Some(CacheScope::Global)
    } else {
        org
    };
    let zone = |zone| sent(prompt, inputs.layout).filter(move |segment| segment.zone() == zone);
    let mut blocks = vec![SplitBlock::single("attribution", inputs.attribution, None)];
    match mode {
        SplitMode::ToolBased | SplitMode::SingleOrg => {
            blocks.push(SplitBlock::single("identity", inputs.identity, org));
            blocks.push(SplitBlock::joined(sent(prompt, inputs.layout), org));
        }
        SplitMode::Global | SplitMode::StaticOrg => {
            blocks.push(SplitBlock::single("identity", inputs.identity, None));
            blocks.push(SplitBlock::joined(zone(Zone::Static), static_scope));
            blocks.push(SplitBlock::joined(zone(Zone::Dynamic), None));
        }
    }
    blocks.retain(|block| !block.text.trim().is_empty());
    Split { mode, blocks }
}

impl SplitMode {
    fn choose(prompt: &SystemPrompt, inputs: &SplitInputs<'_>) -> Self {
        let marked = prompt.boundary() == StaticBoundary::Marked;
        match inputs.layout {
            Layout::Layered if marked => Self::StaticOrg,
            Layout::Classic if inputs.global_scope && inputs.mcp_tools_in_prefix => Self::ToolBased,
            Layout::Classic if inputs.global_scope && marked => Self::Global,
            Layout::Layered | Layout::Classic => Self::SingleOrg,
        }
    }
}

fn sent(prompt: &SystemPrompt, layout: Layout) -> impl Iterator<Item = &Segment> {
    prompt
        .segments()
        .filter(move |segment| layout == Layout::Classic || segment.lifetime() == Lifetime::Project)
}

impl SplitBlock {
    fn single(name: &str, text: Option<&str>, scope: Option<CacheScope>) -> Self {
        Self::from_parts(text.map(|text| (name, text, Layer::Static)), scope)
    }

    fn joined<'a>(segments: impl Iterator<Item = &'a Segment>, scope: Option<CacheScope>) -> Self {
        let layer = |segment: &Segment| match (segment.zone(), segment.lifetime()) {
            (Zone::Static, _) => Layer::Static,
            (Zone::Dynamic, Lifetime::Project) => Layer::Project,
            (Zone::Dynamic, Lifetime::Session) => Layer::Session,
        };
        Self::from_parts(segments.map(|it| (it.name(), it.text(), layer(it))), scope)
    }

    fn from_parts<'a>(
        parts: impl IntoIterator<Item = (&'a str, &'a str, Layer)>,
        scope: Option<CacheScope>,
    ) -> Self {
        let mut block = Self { text: String::new(), scope, parts: Vec::new() };
        for (name, text, layer) in parts {
            if !block.text.is_empty() {
                block.text.push_str("\n\n");
            }
            let start = block.text.len();
            block.text.push_str(text);
            let range = start..block.text.len();
            block.parts.push(SplitPart { name: name.to_owned(), range, layer });
        }
        block
    }

    /// Returns the wire block without a marker, and its source.
    #[must_use]
    pub fn to_wire(&self) -> (SystemBlock, BlockSource) {
        let section = |part: &SplitPart| Source::Section { name: part.name.as_str().into() };
        let layer = self.parts.iter().map(|part| part.layer).max().unwrap_or(Layer::Static);
        let source = match &self.parts[..] {
            [only] => BlockSource::new(section(only), layer),
            parts => {
                let piece = |part| (section(part), Extent::Text(part.range.clone()));
                let pieces = parts.iter().map(piece).collect();
                BlockSource { pieces, ..BlockSource::new(Source::Envelope, layer) }
            }
        };
        (SystemBlock::text(self.text.as_str()), source)
    }
}
