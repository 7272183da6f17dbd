use serde::{Deserialize, Serialize};

use super::DynamicSection;
use crate::name::names;
use crate::outside_text::OutsideText;
use crate::segment::Lifetime;

/// The directory for notes that outlast a session: the input to the `memory`
/// section.
///
/// The section explains how to use the directory. What its files contain
/// reaches the model with the instruction files, never from here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryDirectory {
    /// The directory's absolute path.
    pub path: OutsideText,
}

impl DynamicSection for MemoryDirectory {
    const NAME: &'static str = names::MEMORY;
    // It names a directory of the user.
    const LIFETIME: Lifetime = Lifetime::Session;

    fn render(&self) -> Option<String> {
        let text = include_str!("memory.md").trim_end();
        Some(text.replace("{path}", &self.path.one_line()))
    }
}
