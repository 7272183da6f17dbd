//! How far the evidence of a statement reaches: to the built command, to the bytes of a
//! request, or to a library.

/// The page of statements.
pub(super) const PAGE: &str = "xtask/seeds.md";

/// The levels, with the beginnings of the references that reach them, the strongest first.
const LEVELS: [(&str, &[&str]); 3] = [
    ("command", &["cli::"]),
    ("wire", &["fixtures/", "crates/providers/tests/everything/"]),
    ("library", &[""]),
];

/// Words of a statement that has a trigger.
const TRIGGERS: [&str; 2] = ["when", "if"];

/// Returns the texts between backticks. A span that is wrapped over two lines
/// is not found.
pub(super) fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Returns the cells of a row of statements; `None` for every other line.
fn cells(line: &str) -> Option<(&str, &str)> {
    let row = line.strip_prefix("| ")?.strip_suffix(" |")?;
    let mut cells = row.split(" | ");
    let (statement, shown_by) = (cells.next()?, cells.next()?);
    (statement != "---").then_some((statement, shown_by))
}

/// Returns the strongest level of the references; `–` without any.
fn level(shown_by: &str) -> &'static str {
    let is_reference = |span: &&str| span.contains("::") || span.contains('/');
    let references: Vec<&str> = code_spans(shown_by).filter(is_reference).collect();
    let reached = LEVELS.iter().find(|(_, beginnings)| {
        let mut of_level = references.iter();
        of_level.any(|span| beginnings.iter().any(|it| span.starts_with(it)))
    });
    reached.map_or("–", |(level, _)| level)
}

/// Returns the page with the level of each row in its last column.
pub(super) fn with_levels(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    for line in page.lines() {
        match cells(line) {
            Some((statement, "shown by")) => {
                text.push_str(&format!("| {statement} | shown by | level |"));
            }
            Some((statement, shown_by)) => {
                let level = level(shown_by);
                text.push_str(&format!("| {statement} | {shown_by} | {level} |"));
            }
            None if line.starts_with("|---") => text.push_str("|---|---|---|"),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// Returns one line per statement with a trigger and no evidence at the command.
pub(super) fn faults(page: &str) -> Vec<String> {
    let rows = (1..).zip(page.lines());
    let rows = rows.filter_map(|(number, line)| Some((number, cells(line)?)));
    let is_weak = |(_, (statement, shown_by)): &(u32, (&str, &str))| {
        let mut words = statement.split(|character: char| !character.is_alphabetic());
        let has_trigger = words.any(|word| TRIGGERS.contains(&word.to_lowercase().as_str()));
        has_trigger && !shown_by.contains("**differs**") && level(shown_by) != "command"
    };
    let weak = rows.filter(is_weak);
    weak.map(|(number, (statement, _))| {
        format!("{PAGE}:{number}: no evidence at the command: {statement}")
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
| statement | shown by |
|---|---|
| A tag. | `fixtures/a`, `messages::b` |
| When it begins. | `fixtures/a` |
| If it ends. | `fixtures/a`, `cli::c` |
| Folding, if a flag is on. | **differs**: `smoosh_reminders` |
";

    #[test]
    fn the_level_is_that_of_the_strongest_evidence() {
        let text = with_levels(TABLE);
        let levels = text.lines().map(|line| line.rsplit("| ").next().unwrap());
        let levels: Vec<&str> = levels.collect();
        let expected = ["level |", "|---|---|---|", "wire |", "wire |", "command |", "– |"];
        assert_eq!(levels, expected);
        assert_eq!(with_levels(&text), text);
    }

    #[test]
    fn a_trigger_needs_evidence_at_the_command() {
        let fault = "xtask/seeds.md:4: no evidence at the command: When it begins.";
        assert_eq!(faults(TABLE), [fault]);
    }
}
