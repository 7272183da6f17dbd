//! Figures, bars and lines for a terminal.

use aside_cache_model::Cost;
use aside_models::Date;

/// Formats a number with commas between thousands: `1,234`.
///
/// ```
/// assert_eq!(aside_inspect::thousands(1_234_567), "1,234,567");
/// ```
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats estimated tokens: `~1,234`.
pub(crate) fn tokens_of(tokens: u64) -> String {
    format!("~{}", thousands(tokens))
}

/// Formats a length: `1,234 bytes`.
pub(crate) fn bytes_of(bytes: usize) -> String {
    format!("{} bytes", thousands(bytes as u64))
}

/// Formats a price, or a dash if it is unknown.
#[must_use]
pub fn money(cost: Option<Cost>) -> String {
    cost.map_or_else(|| "-".to_owned(), |it| it.to_string())
}

/// Returns the prices' day to follow an amount, such as ` (prices of
/// 2026-11-21)`; nothing if no price is known.
#[must_use]
pub fn prices_of(day: Option<Date>) -> String {
    day.map_or_else(String::new, |day| format!(" (prices of {day})"))
}

/// Eighths of a block, for the end of a bar.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Returns a bar with at most `width` columns. A value above zero is visible.
///
/// The bar is exact to an eighth of a column.
pub(crate) fn bar(value: u64, largest: u64, width: usize) -> String {
    if value == 0 || largest == 0 || width == 0 {
        return String::new();
    }
    let eighths = (value as f64 / largest as f64 * width as f64 * 8.0).round() as usize;
    let eighths = eighths.clamp(1, width * 8);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// Breaks a line at spaces. Further lines are indented by `indent` columns.
pub(crate) fn wrap(line: &str, width: usize, indent: usize) -> String {
    aside_text::wrap(line, width, &" ".repeat(indent)).into_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn a_bar_is_never_longer_than_its_width() {
        assert_eq!(bar(0, 10, 8), "");
        assert_eq!(bar(10, 10, 8), "████████");
        assert_eq!(bar(1, 1_000_000, 8), "▏");
        assert_eq!(bar(5, 10, 1), "▌");
    }
}
