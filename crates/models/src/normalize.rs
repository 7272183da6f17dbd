//! How platforms spell one model's id.
//!
//! ```text
//! us.anthropic.claude-haiku-4-5-20251001-v1:0     claude-haiku-4-5
//! claude-haiku-4-5@20251001                       claude-haiku-4-5
//! arn:aws:bedrock:…/anthropic.claude-opus-5-5     claude-opus-5-5
//! models/gemini-3-pro-preview                     gemini-3-pro-preview
//! claude-sonnet-4-5[1m]                           claude-sonnet-4-5
//! gpt-4o-2024-08-06                               gpt-4o
//! ```

/// Returns the id at the vendor's own API: without region prefix, publisher,
/// revision, date and window size.
///
/// Removes only known beginnings and ends, so an id that has none is unchanged.
/// Allocates nothing.
pub(crate) fn normalize(id: &str) -> &str {
    let id = id.trim();
    // An ARN ends with the id of the model or of the inference profile.
    let id = if id.starts_with("arn:") { id.rsplit('/').next().unwrap_or(id) } else { id };
    let id = id.strip_prefix("models/").unwrap_or(id);
    let id = without_publisher(id);
    let id = strip_window(id);
    let id = strip_revision(id);
    strip_date(id)
}

/// Returns true if `name` is a deployment of the model: the id, and then the
/// end, or a separator and a character other than a digit. A digit would make
/// it another version.
///
/// `claude-opus-5-prod` is a deployment of `claude-opus-5`, `claude-opus-5-6` is not.
pub(crate) fn deployment_of(name: &str, id: &str) -> bool {
    let Some(rest) = name.strip_prefix(id) else {
        return false;
    };
    let mut rest = rest.chars();
    match (rest.next(), rest.next()) {
        (None, _) => true,
        (Some('-' | '_' | '@'), Some(next)) => !next.is_ascii_digit(),
        _ => false,
    }
}

/// Removes `us.anthropic.` and `anthropic.`.
fn without_publisher(id: &str) -> &str {
    if let Some(rest) = id.strip_prefix("anthropic.") {
        return rest;
    }
    let is_region = |region: &str| {
        !region.is_empty() && region.bytes().all(|it| it.is_ascii_lowercase() || it == b'-')
    };
    match id.split_once('.') {
        Some((region, rest)) if is_region(region) => rest.strip_prefix("anthropic.").unwrap_or(id),
        _ => id,
    }
}

/// Removes `[1m]`, by which a client requests the window of a million tokens.
fn strip_window(id: &str) -> &str {
    match id.split_once('[') {
        Some((before, after)) if after.ends_with(']') => before,
        _ => id,
    }
}

/// Removes `-v1:0` and `-v1`, Bedrock's revision.
fn strip_revision(id: &str) -> &str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let before_minor = match id.rsplit_once(':') {
        Some((before, minor)) if digits(minor) => before,
        Some(_) => return id,
        None => id,
    };
    let before_major = before_minor.trim_end_matches(|it: char| it.is_ascii_digit());
    let is_revision = before_major.len() < before_minor.len();
    before_major.strip_suffix("-v").filter(|_| is_revision).unwrap_or(id)
}

/// Removes `@20250929`, `@default`, `-20250929` and `-2025-09-29`.
///
/// Does not check that the date exists.
fn strip_date(id: &str) -> &str {
    if let Some((before, version)) = id.split_once('@') {
        let is_version = is_digits(version, 8) || matches!(version, "default" | "latest");
        return if is_version { before } else { id };
    }
    let mut parts = id.rsplitn(4, '-');
    let last = parts.next().unwrap_or_default();
    if is_digits(last, 8) {
        return id[..id.len() - last.len()].trim_end_matches('-');
    }
    if let (Some(month), Some(year)) = (parts.next(), parts.next())
        && is_digits(last, 2)
        && is_digits(month, 2)
        && is_digits(year, 4)
        && id.len() > 11
    {
        return &id[..id.len() - "-2025-09-29".len()];
    }
    id
}

fn is_digits(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|it| it.is_ascii_digit())
}
