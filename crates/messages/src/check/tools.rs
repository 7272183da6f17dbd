use std::collections::HashSet;

use super::{Finder, Rules};
use crate::wire::{Request, Tool};

pub(super) fn name(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (index, tool) in request.tools.iter().enumerate() {
        if !tool.has_valid_name() {
            finder.found(format!("tools[{index}].name"), format!("{:?}", tool.name));
        }
    }
}

pub(super) fn doubled(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    let mut seen = HashSet::new();
    for (index, tool) in request.tools.iter().enumerate() {
        if !seen.insert(&tool.name) {
            finder.found(
                format!("tools[{index}].name"),
                format!("{:?} again", tool.name),
            );
        }
    }
}

pub(super) fn choice(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    if let Some(choice) = &request.tool_choice
        && request.tools.is_empty()
    {
        finder.found("tool_choice", format!("{:?} without tools", choice.kind));
    }
}

impl Tool {
    /// Whether the API takes its name: `[a-zA-Z0-9_-]{1,64}`.
    #[must_use]
    pub fn has_valid_name(&self) -> bool {
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        (1..=64).contains(&self.name.len()) && self.name.bytes().all(is_valid)
    }
}
