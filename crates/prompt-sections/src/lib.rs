#![doc = include_str!("../README.md")]

mod name;
mod segment;

mod builder;
mod prompt;

mod section;

mod registry;
mod resolve;
mod resolved;
mod slot;

mod product;
mod static_zone;

mod dynamic_zone;
mod provide;
mod section_inputs;

mod coordinator;
mod effective;
mod rule;
mod simple;

mod context;
mod date;

mod diagnostic;
mod error;
mod kinds;
mod outside_text;

pub use builder::{DynamicZoneBuilder, StaticZoneBuilder};
pub use context::{ContextEntry, comparable_sections, session_context, system_context};
pub use coordinator::coordinator_prompt;
pub use date::{InvalidDate, SessionDate};
pub use diagnostic::PromptDiagnostic;
pub use dynamic_zone::{
    Attendance, Brief, DynamicSection, Environment, FunctionResultClearing, Language, McpDelivery,
    McpInstructions, MemoryDirectory, Model, ModelOverride, OsKind, OutputStyle, SESSION_SECTIONS,
    Scratchpad, ServerInstructions, SessionGuidance, SummariseToolResults, TokenBudget,
};
pub use effective::{AgentMode, AgentPrompt, AppendAt, Effective, EffectiveInputs, effective};
pub use error::{SectionError, SectionErrorKind};
pub use kinds::DIAGNOSTICS;
pub use name::names;
pub use outside_text::OutsideText;
pub use product::{ASIDE, BuiltinTool, BuiltinTools, CodingInstructions, Product, StaticInputs};
pub use prompt::SystemPrompt;
pub use registry::{Place, Registry, SectionInfo};
pub use resolved::{Resolved, ResolvedSection, Value};
pub use rule::{PromptInput, PromptRule};
pub use section::{
    ComputeError, Computed, Section, SectionCaching, fixed_section, section, static_section,
    uncached_section,
};
pub use section_inputs::SectionInputs;
pub use segment::{Lifetime, Segment, StaticBoundary, Zone};
pub use simple::simple_prompt;
