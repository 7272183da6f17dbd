/// What a user can type instead of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// `/compact`, with or without instructions.
    Compact(Option<String>),
    /// `/clear`.
    Clear,
}

impl Command {
    /// Returns `None` if the message is no command.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "/clear" {
            return Some(Self::Clear);
        }
        let rest = text.strip_prefix("/compact")?;
        if rest.is_empty() {
            return Some(Self::Compact(None));
        }
        let is_word = rest.starts_with(char::is_whitespace);
        is_word.then(|| Self::Compact(Some(rest.trim().to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_whole_messages() {
        let check = |text, expected| assert_eq!(Command::parse(text), expected, "{text}");
        check("/clear", Some(Command::Clear));
        check(" /compact \n", Some(Command::Compact(None)));
        let files = Command::Compact(Some("Keep the files.".to_owned()));
        check("/compact Keep the files.", Some(files));
        check("/compacted", None);
        check("/clear all", None);
        check("Say /clear", None);
    }
}
