//! Measuring how deep the brackets of a YAML text are nested, without a parser.
//!
//! libyaml looks at every open bracket again for each token, so a text of
//! brackets alone takes it time proportional to the square of their number.
//!
//! Whether a bracket opens a list or a mapping depends on quotes, comments and
//! block texts, and these depend on the indentation of keys. A simpler count
//! could be deceived, or would refuse Markdown and code in block texts. This
//! scanner therefore finds tokens exactly as libyaml's scanner does. It may
//! continue after a fault at which libyaml stops; this is harmless, since such
//! a text is refused anyway.

#[cfg(test)]
mod tests;

use crate::cursor::{Cursor, End, is_break, is_mark, is_white};

/// libyaml skips it at the start of a line.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The largest distance of a `:` from the start of its key, in characters.
const MAX_KEY_CHARS: usize = 1024;

/// Returns the line, 1-based, on which more than `limit` brackets are open at
/// once.
///
/// Returns `None` for a text that stays within the limit. Linear in the length
/// of the text.
pub(crate) fn deeper_than(limit: usize, text: &str) -> Option<usize> {
    let brackets = text.bytes().filter(|byte| matches!(byte, b'[' | b'{'));
    if brackets.count() <= limit {
        // Nearly every text has few brackets, so most texts need no scan.
        return None;
    }
    let mut scanner = Scanner {
        cursor: Cursor::new(text),
        open: 0,
        indent: -1,
        outer: Vec::new(),
        key: None,
        may_be_key: true,
    };
    while scanner.token().is_ok() {
        if scanner.open > limit {
            return Some(scanner.cursor.file_line());
        }
    }
    None
}

/// The state of a scan.
struct Scanner {
    /// The position of the next token.
    cursor: Cursor,
    /// The number of open brackets.
    open: usize,
    /// The column of the innermost block; -1 outside blocks.
    indent: isize,
    /// The columns of the blocks around it.
    outer: Vec<isize>,
    /// A candidate that becomes a key if `:` follows, outside of brackets.
    key: Option<Key>,
    /// True if a key may begin here, outside of brackets.
    may_be_key: bool,
}

struct Key {
    /// The position at which it begins, in characters.
    at: usize,
    line: usize,
    column: isize,
    /// True if its position allows nothing but a key.
    required: bool,
}

impl Scanner {
    /// Skips one token. An error ends the scan.
    fn token(&mut self) -> Result<(), End> {
        self.skip_to_token();
        self.forget_old_key()?;
        let column = self.cursor.column;
        self.leave_blocks(column);
        let next_is_blank = self.cursor.is_blank(1);
        match self.cursor.peek(0) {
            '\0' => return Err(End),
            '%' if column == 0 => {
                self.begin_document()?;
                self.cursor.skip_line();
            }
            '-' | '.' if self.cursor.is_at_marker() => {
                self.begin_document()?;
                (0..3).for_each(|_| self.cursor.skip());
            }
            '[' | '{' => {
                self.note_key()?;
                self.cursor.skip();
                self.open += 1;
                self.may_be_key = true;
            }
            ']' | '}' => {
                self.drop_key()?;
                self.cursor.skip();
                self.open = self.open.saturating_sub(1);
                self.may_be_key = false;
            }
            ',' => {
                self.drop_key()?;
                self.cursor.skip();
                self.may_be_key = true;
            }
            '-' if next_is_blank => self.indicator()?,
            '?' if self.open > 0 || next_is_blank => self.indicator()?,
            ':' if self.open > 0 || next_is_blank => self.value()?,
            '&' | '*' => {
                self.note_key()?;
                self.cursor.skip();
                let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                self.cursor.skip_while(is_name);
            }
            '!' => {
                self.note_key()?;
                self.tag();
            }
            '|' | '>' if self.open == 0 => {
                self.drop_key()?;
                self.may_be_key = true;
                self.cursor.block_text(self.indent)?;
            }
            quote @ ('"' | '\'') => {
                self.note_key()?;
                self.cursor.quoted(quote)?;
            }
            '|' | '>' | '%' | '@' | '`' | '\t' => return Err(End),
            _ => {
                self.note_key()?;
                let starts_line = self.cursor.plain(self.open > 0, self.indent)?;
                self.may_be_key |= starts_line;
            }
        }
        Ok(())
    }

    /// Skips white space and comments.
    fn skip_to_token(&mut self) {
        loop {
            if self.cursor.column == 0 && self.cursor.peek(0) == BYTE_ORDER_MARK {
                self.cursor.skip();
            }
            let tabs = self.open > 0 || !self.may_be_key;
            self.cursor.skip_while(|c| c == ' ' || tabs && c == '\t');
            if self.cursor.peek(0) == '#' {
                self.cursor.skip_line();
            }
            if !is_break(self.cursor.peek(0)) {
                return;
            }
            self.cursor.skip();
            self.may_be_key |= self.open == 0;
        }
    }

    /// Leaves all blocks at a directive or at a document marker.
    fn begin_document(&mut self) -> Result<(), End> {
        self.leave_blocks(-1);
        self.drop_key()?;
        self.may_be_key = false;
        Ok(())
    }

    /// Scans `-` or `?`.
    fn indicator(&mut self) -> Result<(), End> {
        if self.open == 0 {
            if !self.may_be_key {
                return Err(End);
            }
            self.enter_block(self.cursor.column);
            self.drop_key()?;
            self.may_be_key = true;
        }
        self.cursor.skip();
        Ok(())
    }

    /// Scans `:`.
    fn value(&mut self) -> Result<(), End> {
        if self.open == 0 {
            match self.key.take() {
                Some(key) => {
                    self.enter_block(key.column);
                    self.may_be_key = false;
                }
                None if self.may_be_key => self.enter_block(self.cursor.column),
                None => return Err(End),
            }
        }
        self.cursor.skip();
        Ok(())
    }

    /// Scans `!tag` or `!<uri>`.
    fn tag(&mut self) {
        self.cursor.skip();
        if self.cursor.peek(0) == '<' {
            self.cursor.skip_while(|c| c != '>' && !is_white(c));
            self.cursor.skip();
        } else {
            self.cursor.skip_while(|c| !is_white(c) && !is_mark(c));
        }
    }

    /// Enters a block if the column is deeper than the current one.
    fn enter_block(&mut self, column: isize) {
        if self.indent < column {
            self.outer.push(self.indent);
            self.indent = column;
        }
    }

    /// Leaves the blocks that are deeper than the column, outside of brackets.
    fn leave_blocks(&mut self, column: isize) {
        while self.open == 0 && self.indent > column {
            self.indent = self.outer.pop().unwrap_or(-1);
        }
    }

    /// Records that a key may begin here. No key may begin directly after it.
    fn note_key(&mut self) -> Result<(), End> {
        if self.open > 0 {
            return Ok(());
        }
        if self.may_be_key {
            self.drop_key()?;
            let Cursor {
                at, line, column, ..
            } = self.cursor;
            self.key = Some(Key {
                at,
                line,
                column,
                required: self.indent == column,
            });
        }
        self.may_be_key = false;
        Ok(())
    }

    /// Gives up the candidate of a key, which is an error if nothing but a key
    /// may be at its position.
    fn drop_key(&mut self) -> Result<(), End> {
        if self.open > 0 {
            return Ok(());
        }
        match self.key.take() {
            Some(key) if key.required => Err(End),
            _ => Ok(()),
        }
    }

    /// Gives up a candidate on an earlier line, or too far back.
    fn forget_old_key(&mut self) -> Result<(), End> {
        let (at, line) = (self.cursor.at, self.cursor.line);
        let is_old = |key: &mut Key| key.line < line || key.at + MAX_KEY_CHARS < at;
        match self.key.take_if(is_old) {
            Some(key) if key.required => Err(End),
            _ => Ok(()),
        }
    }
}
