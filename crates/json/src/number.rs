//! Numbers as written.

/// Returns true if both numbers have the same value, to the last digit.
///
/// A float rounds: it cannot tell `9007199254740993` from `9007199254740992`, nor `1e400` from
/// `2e400`. Zero has a sign, as in most parsers.
///
/// ```
/// use aside_json::numbers_are_equal;
///
/// assert!(numbers_are_equal("1.50e2", "150"));
/// assert!(!numbers_are_equal("1e400", "2e400"));
/// ```
#[must_use]
pub fn numbers_are_equal(a: &str, b: &str) -> bool {
    a == b || decimal(a).is_some_and(|number| Some(number) == decimal(b))
}

/// Returns if the number is negative, its digits without outer zeros, and its power of ten; `None`
/// if it is no number, or `i64` cannot hold its exponent.
fn decimal(number: &str) -> Option<(bool, String, i128)> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    let unsigned = mantissa.strip_prefix('-').unwrap_or(mantissa);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_end_matches('0');
    let zeros = digits.len() - significant.len();
    let power = i128::from(exponent) + zeros as i128 - fraction.len() as i128;
    let significant = significant.trim_start_matches('0').to_owned();
    let power = if significant.is_empty() { 0 } else { power };
    Some((unsigned != mantissa, significant, power))
}
