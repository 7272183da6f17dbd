//! How deep the brackets of a YAML text are nested, without a parser.
//!
//! libyaml looks at every open bracket again for each token, so that a text of
//! brackets alone takes it time with the square of their number. What is found
//! here is never less than what libyaml will find, whatever the text.
//!
//! Where a bracket opens a list or a mapping depends on quotes, on comments
//! and, outside of all brackets, on indentation. Inside of brackets
//! indentation counts for nothing, and a handful of [`Mode`]s tell all.
//! Outside, every bracket that could be a first one is followed, be it in a
//! quoted text, a block text or a comment; the reader that it starts ends with
//! the bracket that closes it. Readers in the same mode differ in their depth
//! alone: the deepest stands for them all. So there is one a mode, and one
//! pass.
//!
//! A reader that began in prose may find a text too deep that is not. For that
//! the prose has to open so many more brackets than it closes, one behind the
//! other: no ordinary text does.

/// What a reader is in, that has brackets open.
#[derive(Clone, Copy)]
enum Mode {
    /// Between tokens, where a line begins.
    Line,
    Between,
    /// Behind `-`: an entry, or the start of plain text.
    Dash,
    Plain,
    /// Behind `:` in plain text, which white space ends there.
    Colon,
    /// In the white space of plain text.
    Gap,
    Comment,
    Single,
    /// Behind `'` in single quotes: their end, or half of an apostrophe.
    Apostrophe,
    Double,
    Escape,
    /// The name of an anchor or alias.
    Name,
    /// Behind `!`.
    Bang,
    Tag,
    /// In `!<…>`.
    Verbatim,
}

const MODES: [Mode; 15] = [
    Mode::Line,
    Mode::Between,
    Mode::Dash,
    Mode::Plain,
    Mode::Colon,
    Mode::Gap,
    Mode::Comment,
    Mode::Single,
    Mode::Apostrophe,
    Mode::Double,
    Mode::Escape,
    Mode::Name,
    Mode::Bang,
    Mode::Tag,
    Mode::Verbatim,
];

/// libyaml passes over it where a line begins.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The line, 1-based, on which more than `limit` brackets are open at once.
pub(crate) fn deeper_than(limit: usize, text: &str) -> Option<usize> {
    let mut outside = Outside::default();
    // How many brackets the reader in each mode has open; 0 where there is none.
    let mut open = [0_usize; MODES.len()];
    for (at, c) in text.char_indices() {
        let mut now = [0; MODES.len()];
        if outside.may_open(c) {
            now[Mode::Between as usize] = 1;
        }
        for (mode, open) in MODES.into_iter().zip(open).filter(|(_, open)| *open > 0) {
            let (mode, open) = match mode.step(c) {
                Step::To(mode) => (mode, open),
                Step::Open => (Mode::Between, open + 1),
                Step::Close => (Mode::Between, open - 1),
            };
            let deepest = &mut now[mode as usize];
            *deepest = open.max(*deepest);
        }
        open = now;
        if open[Mode::Between as usize] > limit {
            return Some(1 + text[..at].matches('\n').count());
        }
    }
    None
}

/// What a character does to a reader.
enum Step {
    To(Mode),
    Open,
    Close,
}

impl Mode {
    fn step(self, c: char) -> Step {
        match self {
            Self::Line if c == BYTE_ORDER_MARK => Step::To(Self::Between),
            Self::Line | Self::Between | Self::Apostrophe if c != '\'' => between(c),
            Self::Apostrophe => Step::To(Self::Single),
            Self::Line | Self::Between => Step::To(Self::Single),
            Self::Dash | Self::Colon if is_white(c) => between(c),
            Self::Gap if c == '#' => Step::To(Self::Comment),
            Self::Dash | Self::Colon | Self::Gap | Self::Plain => plain(c),
            Self::Comment if is_break(c) => Step::To(Self::Line),
            Self::Comment => Step::To(Self::Comment),
            Self::Single if c == '\'' => Step::To(Self::Apostrophe),
            Self::Single => Step::To(Self::Single),
            Self::Double if c == '"' => Step::To(Self::Between),
            Self::Double if c == '\\' => Step::To(Self::Escape),
            Self::Double | Self::Escape => Step::To(Self::Double),
            Self::Name if c.is_ascii_alphanumeric() => Step::To(Self::Name),
            Self::Name if matches!(c, '_' | '-') => Step::To(Self::Name),
            Self::Name => between(c),
            Self::Bang if c == '<' => Step::To(Self::Verbatim),
            Self::Bang | Self::Tag if is_white(c) || is_mark(c) => between(c),
            Self::Bang | Self::Tag => Step::To(Self::Tag),
            Self::Verbatim if c == '>' || is_white(c) => Step::To(Self::Between),
            Self::Verbatim => Step::To(Self::Verbatim),
        }
    }
}

fn between(c: char) -> Step {
    Step::To(match c {
        '[' | '{' => return Step::Open,
        ']' | '}' => return Step::Close,
        ',' | ':' | '?' | ' ' | '\t' => Mode::Between,
        '#' => Mode::Comment,
        '-' => Mode::Dash,
        '\'' => Mode::Single,
        '"' => Mode::Double,
        '&' | '*' => Mode::Name,
        '!' => Mode::Bang,
        c if is_break(c) => Mode::Line,
        _ => Mode::Plain,
    })
}

fn plain(c: char) -> Step {
    match c {
        ':' => Step::To(Mode::Colon),
        c if is_mark(c) => between(c),
        c if is_white(c) => Step::To(Mode::Gap),
        _ => Step::To(Mode::Plain),
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, ',' | '[' | ']' | '{' | '}')
}

fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t') || is_break(c)
}

/// Whether a line ends here, to libyaml.
pub(crate) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Where a first bracket may stand: at the start of a line, or as a word of
/// its own behind `-`, `?`, `:`, an anchor or a tag. Behind anything else the
/// parser gives up.
#[derive(Default)]
struct Outside {
    /// The first and the last character of the last word on this line.
    word: Option<(char, char)>,
    in_word: bool,
}

impl Outside {
    fn may_open(&mut self, c: char) -> bool {
        if is_white(c) || c == BYTE_ORDER_MARK && self.word.is_none() {
            self.in_word = false;
            self.word = self.word.filter(|_| !is_break(c));
            return false;
        }
        let starts = !std::mem::replace(&mut self.in_word, true);
        let before = self.word;
        let first = before.filter(|_| !starts).map_or(c, |(first, _)| first);
        self.word = Some((first, c));
        let introduces = |(first, last)| {
            let is_property = matches!(first, '&' | '!');
            is_property || matches!(last, '-' | '?' | ':')
        };
        starts && matches!(c, '[' | '{') && before.is_none_or(introduces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most brackets that are open at once.
    fn depth(text: &str) -> usize {
        let is_enough = |limit: &usize| deeper_than(*limit, text).is_none();
        (0..).find(is_enough).unwrap()
    }

    #[test]
    fn brackets_that_nest() {
        for (text, expected) in [
            ("", 0),
            ("a: b", 0),
            ("a: []", 1),
            ("a: [[], {}, [{b: [c]}]]", 4),
            ("- [a]\n- [b]\n", 1),
            ("a: [\n[\n[", 3),
            ("[]: [[", 2),
            ("? [[", 2),
            ("--- [[", 2),
            ("- - [[", 2),
            ("a: &b !c [[", 2),
            ("a: !<x,]> [[", 2),
            ("a:\t[[", 2),
            ("a:\u{85}[[", 2),
            ("a: b\n\u{feff}[[", 2),
        ] {
            assert_eq!(depth(text), expected, "{text:?}");
        }
    }

    #[test]
    fn brackets_in_text_do_not_count() {
        for text in [
            r#"a: ["[[\"[", '[[''[', b]"#,
            "a: [b # [[[\n]",
            "a: [b, # '\n]",
            "a: [don't, b\"[, c]",
            "a: [!x'[]",
            "a: [-'x]",
            "a: [b\n\u{feff}'[]]",
            "a: [ \u{feff}'[]]",
            "a: b[[[",
            "a: b [[[",
            "# [[[",
            "a: '[[['",
            "a: \"[[[\"",
            "a: |\n  f(x[y[z[",
        ] {
            assert!(depth(text) <= 2, "{text:?}: {}", depth(text));
        }
    }

    #[test]
    fn what_looks_closed_is_not() {
        for one in [
            r#"["]", "#,
            r#"["\"]", "#,
            "[']', ''']', ",
            "[ #]\n",
            "[a #]\n",
            "[!<]> a, ",
            "[a: ']', ",
            "[? ']', ",
            "[- ']', ",
            "[-\n']', ",
            "[&a ']', ",
            "[*a, ']', ",
            "[*a : ']', ",
            "[!a ']', ",
            "[! ']', ",
            "['a':']', ",
            "[\n\u{feff}']', ",
        ] {
            let text = format!("a: {}", one.repeat(50));
            assert!(depth(&text) >= 50, "{one:?}");
        }
    }

    #[test]
    fn no_text_before_them_hides_brackets() {
        for before in [
            "a: |\n [ '\n",
            "a: b\n 'c\n",
            "# [ \"\n",
            "a: \"\n [ ' \"\n",
            "a: |\n - [ !<\nb: >\n - [ # \" '\n",
        ] {
            let text = format!("{before}d: {}", "[".repeat(50));
            assert!(depth(&text) >= 50, "{before:?}");
        }
    }

    #[test]
    fn the_line_is_that_of_the_bracket() {
        assert_eq!(deeper_than(2, "a: [\n[\n\n[]]]"), Some(4));
        assert_eq!(deeper_than(3, "a: [\n[\n\n[]]]"), None);
    }
}
