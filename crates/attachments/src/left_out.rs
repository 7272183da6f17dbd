/// `1 more line is left out`, `3 more lines are left out`.
pub(crate) fn left_out(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 more {one} is left out"),
        _ => format!("{count} more {many} are left out"),
    }
}
