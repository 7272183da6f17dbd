//! A place in a YAML text, and the ways over the scalars that begin there, as
//! libyaml goes them.

/// A place in a text. Lines end where libyaml ends them.
pub(crate) struct Cursor {
    chars: Vec<char>,
    pub(crate) at: usize,
    pub(crate) line: usize,
    pub(crate) column: isize,
}

/// The text ends here for libyaml, with or without an error.
pub(crate) struct End;

impl Cursor {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            chars: text.chars().collect(),
            at: 0,
            line: 0,
            column: 0,
        }
    }

    /// The character so many behind this one; NUL where there is none.
    pub(crate) fn peek(&self, behind: usize) -> char {
        let c = self.chars.get(self.at + behind);
        c.copied().unwrap_or('\0')
    }

    /// The line of the file, 1-based.
    pub(crate) fn file_line(&self) -> usize {
        let before = &self.chars[..self.at.min(self.chars.len())];
        1 + before.iter().filter(|c| **c == '\n').count()
    }

    /// Goes over a character, or over the end of a line.
    pub(crate) fn skip(&mut self) {
        let c = self.peek(0);
        self.at += 1 + usize::from(c == '\r' && self.peek(1) == '\n');
        if is_break(c) {
            self.line += 1;
            self.column = 0;
        } else {
            self.column += 1;
        }
    }

    pub(crate) fn skip_while(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.peek(0) != '\0' && is_skipped(self.peek(0)) {
            self.skip();
        }
    }

    /// Goes to the end of the line.
    pub(crate) fn skip_line(&mut self) {
        self.skip_while(|c| !is_break(c));
    }

    /// Whether white space, or the end, is so many characters behind this one.
    pub(crate) fn is_blank(&self, behind: usize) -> bool {
        is_white(self.peek(behind)) || self.peek(behind) == '\0'
    }

    /// Whether `---` or `...` stands here.
    pub(crate) fn is_at_marker(&self) -> bool {
        let c = self.peek(0);
        matches!(c, '-' | '.')
            && self.column == 0
            && (self.peek(1), self.peek(2)) == (c, c)
            && self.is_blank(3)
    }

    /// Goes over text in quotes.
    pub(crate) fn quoted(&mut self, quote: char) -> Result<(), End> {
        self.skip();
        loop {
            if self.is_at_marker() || self.peek(0) == '\0' {
                return Err(End);
            }
            match self.peek(0) {
                '\'' if quote == '\'' && self.peek(1) == '\'' => self.skip(),
                '\\' if quote == '"' => self.skip(),
                c if c == quote => break,
                _ => {}
            }
            self.skip();
        }
        self.skip();
        Ok(())
    }

    /// Goes over text without quotes, inside of brackets or outside. Says
    /// whether it goes up to the start of a line.
    pub(crate) fn plain(&mut self, is_inside: bool, indent: isize) -> Result<bool, End> {
        let mut starts_line = false;
        while !self.is_at_marker() && self.peek(0) != '#' {
            while !self.is_blank(0) {
                let (c, next) = (self.peek(0), self.peek(1));
                if is_inside && c == ':' && (next == '?' || is_mark(next)) {
                    return Err(End);
                }
                if c == ':' && self.is_blank(1) || is_inside && is_mark(c) {
                    return Ok(starts_line);
                }
                starts_line = false;
                self.skip();
            }
            if self.peek(0) == '\0' {
                break;
            }
            while is_white(self.peek(0)) {
                if starts_line && self.column <= indent && self.peek(0) == '\t' {
                    return Err(End);
                }
                starts_line |= is_break(self.peek(0));
                self.skip();
            }
            if !is_inside && self.column <= indent {
                break;
            }
        }
        Ok(starts_line)
    }

    /// Goes over a text that `|` or `>` begins, in a block that is indented
    /// so far.
    pub(crate) fn block_text(&mut self, indent: isize) -> Result<(), End> {
        self.skip();
        let mut wanted = 0;
        for _ in 0..2 {
            match self.peek(0) {
                '+' | '-' => self.skip(),
                c @ '1'..='9' if wanted == 0 => {
                    wanted = indent.max(0) + (c as isize - '0' as isize);
                    self.skip();
                }
                _ => {}
            }
        }
        self.skip_while(|c| matches!(c, ' ' | '\t'));
        if self.peek(0) == '#' {
            self.skip_line();
        }
        if !is_break(self.peek(0)) {
            return Err(End);
        }
        self.skip();
        let found = self.blank_lines(wanted)?;
        if wanted == 0 {
            wanted = found.max(indent + 1).max(1);
        }
        while self.column == wanted && self.peek(0) != '\0' {
            self.skip_line();
            self.skip();
            self.blank_lines(wanted)?;
        }
        Ok(())
    }

    /// Goes over lines without text, and the indentation of the next. Gives
    /// the deepest indentation, no more than is wanted.
    fn blank_lines(&mut self, wanted: isize) -> Result<isize, End> {
        let mut deepest = 0;
        loop {
            while self.peek(0) == ' ' && (wanted == 0 || self.column < wanted) {
                self.skip();
            }
            deepest = self.column.max(deepest);
            match self.peek(0) {
                '\t' if wanted == 0 || self.column < wanted => return Err(End),
                c if is_break(c) => self.skip(),
                _ => return Ok(deepest),
            }
        }
    }
}

/// What is never part of plain text inside of brackets.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, ',' | '[' | ']' | '{' | '}')
}

pub(crate) fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t') || is_break(c)
}

/// Whether a line ends here, to libyaml.
pub(crate) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
