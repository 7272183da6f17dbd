//! A position in a YAML text, and functions that skip the scalar that begins
//! there, as libyaml does.

/// A position in a text. Lines end at the characters at which libyaml ends
/// them.
pub(crate) struct Cursor {
    /// The text. libyaml counts characters, so the columns are characters too.
    chars: Vec<char>,
    /// The index of the next character.
    pub(crate) at: usize,
    /// The line, 0-based, by libyaml's line ends.
    pub(crate) line: usize,
    /// The column, 0-based. It is signed because the indentation outside blocks
    /// is -1.
    pub(crate) column: isize,
}

/// The end of the text for libyaml, with or without an error.
pub(crate) struct End;

impl Cursor {
    /// Starts at the first character of a text.
    pub(crate) fn new(text: &str) -> Self {
        Self {
            chars: text.chars().collect(),
            at: 0,
            line: 0,
            column: 0,
        }
    }

    /// Returns the character at this distance; NUL after the end.
    pub(crate) fn peek(&self, distance: usize) -> char {
        let c = self.chars.get(self.at + distance);
        c.copied().unwrap_or('\0')
    }

    /// Returns the line of the file, 1-based.
    pub(crate) fn file_line(&self) -> usize {
        let before = &self.chars[..self.at.min(self.chars.len())];
        1 + before.iter().filter(|c| **c == '\n').count()
    }

    /// Skips a character or the end of a line.
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

    /// Skips characters up to one that the function refuses, or to the end.
    pub(crate) fn skip_while(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.peek(0) != '\0' && is_skipped(self.peek(0)) {
            self.skip();
        }
    }

    /// Skips to the end of the line.
    pub(crate) fn skip_line(&mut self) {
        self.skip_while(|c| !is_break(c));
    }

    /// Returns true if white space, or the end, is at this distance.
    pub(crate) fn is_blank(&self, distance: usize) -> bool {
        is_white(self.peek(distance)) || self.peek(distance) == '\0'
    }

    /// Returns true at a document marker, `---` or `...`.
    pub(crate) fn is_at_marker(&self) -> bool {
        let c = self.peek(0);
        matches!(c, '-' | '.')
            && self.column == 0
            && (self.peek(1), self.peek(2)) == (c, c)
            && self.is_blank(3)
    }

    /// Skips quoted text.
    ///
    /// Begins at the opening quote and ends after the closing one. An escaped
    /// quote, `''` or `\"`, does not close it.
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

    /// Skips unquoted text, inside or outside of brackets. Returns true if it
    /// ends at the start of a line.
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

    /// Skips a block text that begins with `|` or `>`, in a block of this
    /// indentation.
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

    /// Skips lines without text, and the indentation of the next line. Returns
    /// the deepest indentation, at most `wanted`.
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

/// Returns true for characters that are never part of unquoted text inside of
/// brackets.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, ',' | '[' | ']' | '{' | '}')
}

/// Returns true for spaces, tabs and line ends.
pub(crate) fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t') || is_break(c)
}

/// Returns true for characters that end a line in libyaml.
pub(crate) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
