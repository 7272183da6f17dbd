/// Splits a list at its commas outside braces.
///
/// ```
/// use aside_user_files::split_outside_braces;
///
/// assert!(split_outside_braces("src/{a,b}.rs,docs").eq(["src/{a,b}.rs", "docs"]));
/// ```
pub fn split_outside_braces(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    list.split(move |c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}
