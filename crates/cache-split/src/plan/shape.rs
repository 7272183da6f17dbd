//! A request without its texts: what a plan for it looks at.

use std::borrow::Cow;

use aside_messages::encode::{BlockRef, Encoded, StepBlock, TurnStep};
use aside_messages::wire::{CacheControl, ContentBlock, Message, Request, Role};
use aside_models::{ThinkingKept, find};

use super::RejectReason;
use super::lifetimes::Place;

/// A request as [`plan_shape`](super::plan_shape) sees it. A caller that reads requests in its own
/// way can keep the parts that the next request repeats.
///
/// ```
/// use aside_cache_split::{PlanOptions, Shape, plan_request, plan_shape};
/// use aside_messages::wire::Request;
///
/// let json = r#"{"model":"m","max_tokens":1,"system":"Be kind.","messages":[{"role":"user","content":"Hi"}]}"#;
/// let request = Request::parse(json.as_bytes())?.value;
/// let plan = plan_shape(&Shape::of(&request), PlanOptions::default())?;
/// assert_eq!(plan, plan_request(&request, PlanOptions::default())?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shape<'a> {
    /// For each tool, whether it may have a marker: a deferred one may not.
    pub tools: Vec<bool>,
    /// For each block of the system prompt, whether it may have a marker.
    pub system: Vec<bool>,
    /// The messages.
    pub messages: Vec<Cow<'a, MessageShape>>,
    /// The caller's markers, in request order.
    pub markers: Vec<ShapeMarker>,
    /// The request's own marker.
    pub automatic: Option<CacheControl>,
    /// Which thinking from earlier turns the model keeps in the prefix, if known.
    pub thinking: Option<ThinkingKept>,
}

/// A message in a [`Shape`].
#[derive(Clone, Debug)]
pub struct MessageShape {
    role: Role,
    blocks: Vec<StepBlock>,
    step: TurnStep,
}

impl MessageShape {
    /// No block of a system message may have a planned marker.
    #[must_use]
    pub fn new(role: Role, mut blocks: Vec<StepBlock>) -> Self {
        for block in &mut blocks {
            block.is_markable &= role != Role::System;
        }
        Self { step: TurnStep::new(&role, &blocks), role, blocks }
    }

    /// Leaves out all blocks from this one on.
    #[must_use]
    pub fn truncated(&self, block: usize) -> Self {
        let blocks = self.blocks.iter().take(block).cloned().collect();
        Self::new(self.role.clone(), blocks)
    }

    fn of(message: &Message) -> Self {
        let encoded = Encoded::message(message.clone(), Vec::new());
        Self::new(message.role.clone(), StepBlock::all(&encoded))
    }

    pub(super) fn is_user(&self) -> bool {
        self.role == Role::User
    }

    pub(super) fn blocks(&self) -> &[StepBlock] {
        &self.blocks
    }

    pub(super) fn step(&self) -> &TurnStep {
        &self.step
    }
}

/// A caller's marker in a [`Shape`].
#[derive(Clone, Debug)]
pub struct ShapeMarker {
    pub(super) place: Place,
    pub(super) control: CacheControl,
    pub(super) why: Option<RejectReason>,
}

impl ShapeMarker {
    /// A marker on a block, or on an element of a tool result's content: `inner` is its index.
    /// `is_refused` says that the API refuses it, as on an empty text.
    #[must_use]
    pub fn new(
        at: BlockRef,
        inner: Option<usize>,
        control: CacheControl,
        is_refused: bool,
    ) -> Self {
        Self {
            place: Place { at, inner },
            control,
            why: is_refused.then_some(RejectReason::Unmarkable),
        }
    }
}

impl Shape<'_> {
    /// Takes the shape of a typed request.
    #[must_use]
    pub fn of(request: &Request) -> Self {
        let tools = request.tools.iter();
        let system = request.system.iter();
        let messages = request.messages.iter().map(MessageShape::of);
        Self {
            tools: tools.map(|it| it.defer_loading != Some(true)).collect(),
            system: system.map(ContentBlock::is_markable).collect(),
            messages: messages.map(Cow::Owned).collect(),
            markers: markers(request),
            automatic: request.cache_control.clone(),
            thinking: find(&request.model).facts.thinking_kept,
        }
    }
}

/// Collects all markers in the request, even inside tool results.
fn markers(request: &Request) -> Vec<ShapeMarker> {
    let tools = request.tools.iter().enumerate();
    let mut markers: Vec<_> = tools
        .filter_map(|(index, tool)| {
            let is_deferred = tool.defer_loading == Some(true);
            let control = tool.cache_control.clone()?;
            Some(ShapeMarker::new(BlockRef::Tool(index), None, control, is_deferred))
        })
        .collect();
    for (index, block) in request.system.iter().enumerate() {
        markers.extend(own(BlockRef::System(index), block));
    }
    for (message, it) in request.messages.iter().enumerate() {
        for (block, it) in it.content.iter().enumerate() {
            let at = BlockRef::Message { message, block };
            for (index, inner) in it.inner_blocks().iter().enumerate() {
                let control = inner.cache_control();
                let marker = |control| ShapeMarker::new(at, Some(index), control, false);
                markers.extend(control.map(marker));
            }
            markers.extend(own(at, it));
        }
    }
    markers
}

fn own(at: BlockRef, block: &ContentBlock) -> Option<ShapeMarker> {
    let control = block.cache_control()?;
    let is_empty = matches!(block, ContentBlock::Text(text) if text.text.is_empty());
    Some(ShapeMarker::new(at, None, control, is_empty))
}
