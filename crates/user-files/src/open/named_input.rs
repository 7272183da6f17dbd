use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use super::error::{FileKind, OpenError, OpenErrorKind};
use super::fence::Fence;
use super::regular_file::open_file;
use super::trusted_dir::resolve;

/// How many bytes of a pipe or the standard input to keep: twice the longest
/// request in the Messages API. A regular file's size is known before it is
/// read, a pipe's is not.
pub const MAX_STREAM_BYTES: u64 = 64 * 1024 * 1024;

/// Some editors write this at the start of a text. No file format has it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How gzip (RFC 1952) and Zstandard (RFC 8878) begin.
#[cfg(feature = "compressed")]
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
#[cfg(feature = "compressed")]
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// An input that the user named on the command line: a regular file, `-` for
/// the standard input, or the path of an inherited descriptor such as
/// `/dev/fd/63`, which shells pass for `<(command)`.
///
/// A device is refused, and so is a FIFO by its path, since opening one can
/// block forever. Each reading method has a limit; a text that begins with a
/// NUL byte is refused at once. With the feature `compressed`, gzip and Zstandard are
/// decompressed.
///
/// ```
/// use aside_user_files::open::NamedInput;
///
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("lines");
/// # std::fs::write(&path, "one\ntwo\n")?;
/// let mut input = NamedInput::open(&path)?;
/// let mut line = Vec::new();
/// while input.read_line(&mut line, 1024)? {
///     line.clear();
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NamedInput {
    reader: Box<dyn BufRead + Send>,
    path: PathBuf,
    size: Option<u64>,
}

impl NamedInput {
    /// Opens the input. Skips a byte order mark at its start.
    ///
    /// # Errors
    ///
    /// The path is not a file or pipe, the text begins with a NUL byte, or the
    /// system refuses.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        if path == Path::new("-") {
            return Self::new(Box::new(BufReader::new(io::stdin())), path, None);
        }
        if is_descriptor(path) {
            let io = |error| OpenError::from_io(path, error);
            // Opening a device can have side effects.
            let kind = FileKind::of(fs::metadata(path).map_err(io)?.file_type());
            if kind == FileKind::Fifo {
                let pipe = File::open(path).map_err(io)?;
                return Self::new(Box::new(BufReader::new(pipe)), path, None);
            }
        }
        let file = open_file(path)?;
        let size = file.metadata().len();
        // Files in /proc have no size.
        let size = (size > 0).then_some(size);
        Self::new(Box::new(BufReader::new(file.into_file())), path, size)
    }

    /// Opens the input as [`open`](Self::open) does, but treats a path through
    /// a fence directory as a project file: a link that leads out of the fence
    /// is an error.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open) and of [`Fence::open_file`].
    pub fn open_within(fence: &Fence, path: &Path) -> Result<Self, OpenError> {
        let is_inside = |it: &Path| resolve(it).is_ok_and(|it| fence.dir_of(&it).is_some());
        let absolute = std::path::absolute(path).unwrap_or_default();
        let mut plain = PathBuf::new();
        for component in absolute.components() {
            if component == Component::ParentDir {
                plain.pop();
            } else {
                plain.push(component);
            }
        }
        let mut above = plain.ancestors().skip(1);
        if path == Path::new("-") || is_descriptor(path) || !above.any(is_inside) {
            return Self::open(path);
        }
        let file = fence.open_file(&absolute).map_err(|it| it.at(path))?;
        let size = Some(file.metadata().len());
        Self::new(Box::new(BufReader::new(file.into_file())), path, size)
    }

    /// Reads an input from any reader. Errors name it by `path`.
    ///
    /// # Errors
    ///
    /// The text begins with a NUL byte, or cannot be read.
    pub fn from_reader(reader: Box<dyn BufRead + Send>, path: &Path) -> Result<Self, OpenError> {
        Self::new(reader, path, None)
    }

    fn new(
        reader: Box<dyn BufRead + Send>,
        path: &Path,
        size: Option<u64>,
    ) -> Result<Self, OpenError> {
        let path = path.to_owned();
        let mut input = Self { reader, path, size };
        #[cfg(feature = "compressed")]
        input.decompress()?;
        input.skip_byte_order_mark()?;
        Ok(input)
    }

    /// Decompresses an input that begins like gzip or Zstandard. Its size is
    /// then unknown, like a pipe's.
    #[cfg(feature = "compressed")]
    fn decompress(&mut self) -> Result<(), OpenError> {
        let start = self.peek(ZSTD_MAGIC.len())?;
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = if start.starts_with(GZIP_MAGIC) {
            self.size = None;
            let decoder = flate2::bufread::MultiGzDecoder::new(reader);
            Box::new(BufReader::new(decoder))
        } else if start == ZSTD_MAGIC {
            self.size = None;
            let decoder = zstd::Decoder::with_buffer(reader).map_err(|it| self.error(it))?;
            Box::new(BufReader::new(decoder))
        } else {
            reader
        };
        Ok(())
    }

    fn skip_byte_order_mark(&mut self) -> Result<(), OpenError> {
        let start = self.peek(BYTE_ORDER_MARK.len())?;
        if start.first() == Some(&0) {
            return Err(OpenError::new(OpenErrorKind::NotText, &self.path));
        }
        if start == BYTE_ORDER_MARK {
            let mut mark = [0; BYTE_ORDER_MARK.len()];
            let read = self.reader.read_exact(&mut mark);
            read.map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    /// Returns the first bytes, and leaves them to be read.
    fn peek(&mut self, length: usize) -> Result<Vec<u8>, OpenError> {
        let mut start = Vec::new();
        let mut limited = self.reader.by_ref().take(length as u64);
        let read = limited.read_to_end(&mut start);
        read.map_err(|error| self.error(error))?;
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        let start_again = io::Cursor::new(start.clone());
        self.reader = Box::new(BufReader::new(start_again.chain(reader)));
        Ok(start)
    }

    /// Appends the next line with its newline, and returns false at the end.
    /// `to` never holds more than `limit` bytes, and for a pipe no more than
    /// [`MAX_STREAM_BYTES`].
    ///
    /// # Errors
    ///
    /// The line is longer than the limit, or cannot be read.
    pub fn read_line(&mut self, to: &mut Vec<u8>, limit: u64) -> Result<bool, OpenError> {
        let before = to.len();
        let limit = self.limit(limit);
        let mut room = self.reader.by_ref().take(room(to, limit));
        let read = room.read_until(b'\n', to);
        self.check(read, to, limit)?;
        Ok(to.len() > before)
    }

    /// Appends the rest. `to` never holds more than `limit` bytes, and for a
    /// pipe no more than [`MAX_STREAM_BYTES`].
    ///
    /// # Errors
    ///
    /// The input is longer than the limit (a regular file is refused before
    /// reading any of it), or cannot be read.
    pub fn read_to_end(&mut self, to: &mut Vec<u8>, limit: u64) -> Result<(), OpenError> {
        let limit = self.limit(limit);
        if let Some(size) = self.size.filter(|size| *size > limit) {
            return Err(self.too_large(size, limit));
        }
        // One more byte than a file has, to see its end without more room.
        to.reserve_exact(self.size.map_or(0, |size| size as usize + 1));
        let read = self.reader.by_ref().take(room(to, limit)).read_to_end(to);
        self.check(read, to, limit)
    }

    fn limit(&self, limit: u64) -> u64 {
        match self.size {
            Some(_) => limit,
            None => limit.min(MAX_STREAM_BYTES),
        }
    }

    fn check(&self, read: io::Result<usize>, text: &[u8], limit: u64) -> Result<(), OpenError> {
        read.map_err(|error| self.error(error))?;
        let bytes = text.len() as u64;
        if bytes > limit {
            return Err(self.too_large(bytes, limit));
        }
        Ok(())
    }

    fn too_large(&self, bytes: u64, limit: u64) -> OpenError {
        OpenError::new(OpenErrorKind::TooLarge { bytes, limit }, &self.path)
    }

    fn error(&self, error: io::Error) -> OpenError {
        OpenError::from_io(&self.path, error)
    }
}

/// Reads the input as a stream and keeps nothing.
impl Read for NamedInput {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.reader.read(to)
    }
}

impl fmt::Debug for NamedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedInput").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Returns how many bytes to read: one more than the limit allows, to detect a
/// longer text.
fn room(text: &[u8], limit: u64) -> u64 {
    (limit + 1).saturating_sub(text.len() as u64)
}

/// Returns true if the path names an inherited descriptor.
fn is_descriptor(path: &Path) -> bool {
    let parent = path.parent().unwrap_or(path);
    path == Path::new("/dev/stdin")
        || parent == Path::new("/dev/fd")
        || parent == Path::new("/proc/self/fd")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str) -> Result<NamedInput, OpenError> {
        let reader = io::Cursor::new(text.to_owned());
        NamedInput::from_reader(Box::new(reader), Path::new("file"))
    }

    #[test]
    fn one_byte_order_mark_is_skipped() {
        let check = |text: &str, expected: &str| {
            let mut read = Vec::new();
            input(text).unwrap().read_to_end(&mut read, 100).unwrap();
            assert_eq!(String::from_utf8(read).unwrap(), expected);
        };
        check("", "");
        check("a", "a");
        check("long enough", "long enough");
        check("\u{feff}", "");
        check("\u{feff}a\u{feff}", "a\u{feff}");
        check("\u{feff}\u{feff}", "\u{feff}");
    }

    #[test]
    fn nothing_longer_than_the_limit_is_read() {
        let mut lines = input("ab\nabcdef").unwrap();
        let mut line = Vec::new();
        assert!(lines.read_line(&mut line, 4).unwrap());
        assert_eq!(line, b"ab\n");
        line.clear();
        let error = lines.read_line(&mut line, 4).unwrap_err();
        assert_eq!(error.to_string(), "file: more than 4 bytes");
        assert_eq!(line.len(), 5);
        let mut rest = Vec::new();
        assert!(input("abc").unwrap().read_to_end(&mut rest, 3).is_ok());
        rest.clear();
        assert!(input("abcd").unwrap().read_to_end(&mut rest, 3).is_err());
        let mut end = Vec::new();
        assert!(!input("").unwrap().read_line(&mut end, 3).unwrap());
    }

    #[test]
    fn a_stream_without_an_end_is_refused() {
        let endless = BufReader::new(io::repeat(b'a'));
        let mut input = NamedInput::from_reader(Box::new(endless), Path::new("pipe")).unwrap();
        let error = input.read_line(&mut Vec::new(), u64::MAX).unwrap_err();
        assert_eq!(error.to_string(), "pipe: more than 64 MiB");
        let zeros = BufReader::new(io::repeat(0));
        let error = NamedInput::from_reader(Box::new(zeros), Path::new("zero")).unwrap_err();
        assert_eq!(error.kind(), OpenErrorKind::NotText);
    }
}
