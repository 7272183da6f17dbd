use super::{Finder, Rules};
use crate::wire::{Request, excerpt};

pub(super) fn model_name(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    if request.model.trim().is_empty() {
        finder.found("model", format!("{:?}", request.model));
    }
}

pub(super) fn sampling_range(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    let is_outside = |value: f64| !(0.0..=1.0).contains(&value);
    if let Some(temperature) = &request.temperature
        && temperature.as_f64().is_some_and(is_outside)
    {
        finder.found("temperature", temperature);
    }
    for (key, value) in &request.extra.0 {
        // What is no number is another fault.
        if key == "top_p" && value.get().parse().is_ok_and(is_outside) {
            finder.found(key, excerpt(value.get()));
        }
    }
}

/// A null of another parameter may mean its default.
pub(super) fn null_system(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    let mut extra = request.extra.0.iter();
    if extra.any(|(key, value)| key == "system" && value.get() == "null") {
        finder.found("system", "null");
    }
}

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
