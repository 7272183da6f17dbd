/// Formats a share, from 0 to 1, such as that of the input that was read from the cache. A share
/// above zero is never written as zero.
///
/// ```
/// use aside_models::percent;
///
/// let shares = [0.0, 0.000_4, 0.034, 0.938, 1.0];
/// assert_eq!(shares.map(percent), ["0 %", "<0.1 %", "3.4 %", "94 %", "100 %"]);
/// ```
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent == 0.0 || percent >= 9.95 {
        format!("{percent:.0} %")
    } else if percent < 0.1 {
        "<0.1 %".to_owned()
    } else {
        format!("{percent:.1} %")
    }
}
