use super::{Finder, Rules};
use crate::wire::{Request, excerpt};

pub(super) fn thinking_budget(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    let Some(thinking) = &request.thinking else {
        return;
    };
    if let Some(budget) = thinking.budget_tokens
        && thinking.kind == "enabled"
        && request.max_tokens <= budget
    {
        let found = format!("{budget}, and max_tokens is {}", request.max_tokens);
        finder.found("thinking.budget_tokens", found);
    }
}

pub(super) fn sampling(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    if let Some(temperature) = &request.temperature {
        finder.found("temperature", temperature);
    }
    for (key, value) in &request.extra.0 {
        if matches!(key.as_str(), "top_p" | "top_k") && value.get() != "null" {
            finder.found(key, excerpt(value.get()));
        }
    }
}
