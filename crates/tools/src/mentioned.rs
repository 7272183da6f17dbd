//! What a session wants to know of files.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use aside_agent::{FileRead, Files, Mentioned, ReadExtent};
use aside_attachments::{
    Attachment, Directory, FILE_BYTES, File, FileContent, ImageFile, LineRange, Media, Notebook,
    PDF_PAGES, Pdf, PdfReference, TextFile,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::open::OpenedFile;
use crate::pdf;
use crate::read::image::{MOST, media_type};
use crate::read::{Head, TEXT_SAMPLE, WHOLE, head, notebook};
use crate::workspace::{Place, Workspace};

/// The most entries of a directory that are looked at.
const ENTRIES: usize = 10_000;

/// The longest PDF whose pages are counted, in bytes.
const PDF: u64 = 32 * 1024 * 1024;

/// The longest text whose lines are counted, in bytes.
const LONG: u64 = 256 * 1024 * 1024;

/// Within the directories of the workspace.
impl Files for Workspace {
    fn mentioned(&self, path: &str, lines: Option<LineRange>) -> Option<Mentioned> {
        let place = self.place(path).ok()?;
        if place.resolved.is_dir() {
            let attachment = Attachment::Directory(directory(&place)?);
            return Some(Mentioned {
                attachment,
                read: None,
            });
        }
        let mut opened = place.open().ok()?;
        let head = head(&mut opened).ok()?;
        file(&place.path, opened, head, lines)
    }

    fn changed(&self, then: &FileRead) -> Option<FileRead> {
        let place = self.place(then.path.to_str()?).ok()?;
        let mut opened = place.open().ok()?;
        let is_same = opened.identity == then.identity
            && opened.modified.is_some()
            && opened.modified == then.modified;
        if is_same {
            return None;
        }
        let head = head(&mut opened).ok()?;
        let text = text(&head);
        Some(read(&then.path, opened, then.extent, text))
    }
}

fn directory(place: &Place) -> Option<Directory> {
    let entries = fs::read_dir(&place.resolved).ok()?.take(ENTRIES);
    let name = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        let mut name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            name.push('/');
        }
        Some(name)
    };
    let mut entries: Vec<_> = entries.filter_map(name).collect();
    entries.sort();
    Some(Directory {
        path: place.path.to_string_lossy().into_owned(),
        entries,
    })
}

fn file(
    path: &Path,
    opened: OpenedFile,
    head: Head,
    lines: Option<LineRange>,
) -> Option<Mentioned> {
    let name = path.to_string_lossy().into_owned();
    let whole = ReadExtent::Whole;
    if let Some(media_type) = media_type(&head.bytes) {
        let is_small = head.is_whole && head.bytes.len() as u64 <= MOST;
        let image = base64(media_type, &head.bytes);
        let content = FileContent::Image(ImageFile { image });
        return is_small.then(|| shown(name, content, read(path, opened, whole, None)));
    }
    if head.bytes.starts_with(b"%PDF-") {
        return pdf(path, opened, head);
    }
    if path.extension().is_some_and(|end| end == "ipynb") {
        let cells = head.is_whole.then(|| notebook::cells(&head.bytes))??;
        let content = FileContent::Notebook(Notebook { cells });
        let text = text(&head);
        return Some(shown(name, content, read(path, opened, whole, text)));
    }
    if head.bytes[..head.bytes.len().min(TEXT_SAMPLE)].contains(&0) {
        return None;
    }
    let Some(text) = text(&head) else {
        return long(path, opened, &head, lines);
    };
    let file = match lines {
        None => TextFile {
            content: text.clone(),
            start_line: 1,
            total_lines: 0,
        },
        Some(lines) => range(&text, lines)?,
    };
    let extent = match lines {
        None if is_shown_whole(&text) => ReadExtent::Whole,
        _ => ReadExtent::Part,
    };
    let read = read(path, opened, extent, Some(text));
    Some(shown(name, FileContent::Text(file), read))
}

/// The beginning of a text that is too long to be held.
fn long(
    path: &Path,
    mut opened: OpenedFile,
    head: &Head,
    lines: Option<LineRange>,
) -> Option<Mentioned> {
    if head.is_whole || opened.len > LONG || lines.is_some() {
        return None;
    }
    let begin = &head.bytes[..FILE_BYTES.min(head.bytes.len())];
    let end = begin.iter().rposition(|byte| *byte == b'\n')?;
    let content = std::str::from_utf8(&begin[..end]).ok()?.to_owned();
    let total_lines = newlines(&head.bytes) + rest(&mut opened)? + 1;
    let file = TextFile {
        content,
        start_line: 1,
        total_lines,
    };
    let name = path.to_string_lossy().into_owned();
    let read = read(path, opened, ReadExtent::Part, None);
    Some(shown(name, FileContent::Text(file), read))
}

/// The ends of lines that are left to read.
fn rest(opened: &mut OpenedFile) -> Option<usize> {
    let mut rest = (&opened.file).take(LONG);
    let mut buffer = vec![0; 64 * 1024];
    let mut count = 0;
    loop {
        match rest.read(&mut buffer).ok()? {
            0 => return Some(count),
            read => count += newlines(&buffer[..read]),
        }
    }
}

fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// These lines, without what is not there.
fn range(text: &str, lines: LineRange) -> Option<TextFile> {
    let (first, last) = (lines.first.max(1) as usize, lines.last as usize);
    let count = (last + 1).saturating_sub(first);
    let total_lines = text.lines().count();
    let chosen: Vec<_> = text.lines().skip(first - 1).take(count).collect();
    (!chosen.is_empty()).then(|| TextFile {
        content: chosen.join("\n"),
        start_line: first,
        total_lines,
    })
}

/// Whether an attachment shows all of it.
fn is_shown_whole(text: &str) -> bool {
    text.len() <= FILE_BYTES && text.lines().count() <= aside_attachments::FILE_LINES
}

fn pdf(path: &Path, mut opened: OpenedFile, head: Head) -> Option<Mentioned> {
    let mut bytes = head.bytes;
    if opened.len > PDF {
        return None;
    }
    (&mut opened.file).take(PDF).read_to_end(&mut bytes).ok()?;
    let pages = pdf::pages(&bytes)?;
    let name = path.to_string_lossy().into_owned();
    if pages > PDF_PAGES || bytes.len() as u64 > WHOLE {
        let reference = PdfReference {
            path: name,
            pages,
            bytes: Some(bytes.len() as u64),
            // The Read of this crate does not take pages.
            by_pages: false,
        };
        return Some(Mentioned {
            attachment: Attachment::PdfReference(reference),
            read: None,
        });
    }
    let document = base64("application/pdf", &bytes);
    let content = FileContent::Pdf(Pdf { document, pages });
    let read = read(path, opened, ReadExtent::Whole, None);
    Some(shown(name, content, read))
}

fn base64(media_type: &str, bytes: &[u8]) -> Media {
    Media::Base64 {
        media_type: media_type.to_owned(),
        data: STANDARD.encode(bytes).into(),
    }
}

fn shown(path: String, content: FileContent, read: FileRead) -> Mentioned {
    Mentioned {
        attachment: Attachment::File(File { path, content }),
        read: Some(read),
    }
}

/// The whole of it, if it is a text.
fn text(head: &Head) -> Option<String> {
    let whole = head.is_whole.then(|| head.bytes.clone())?;
    String::from_utf8(whole).ok()
}

fn read(path: &Path, opened: OpenedFile, extent: ReadExtent, text: Option<String>) -> FileRead {
    FileRead {
        path: path.to_owned(),
        identity: opened.identity,
        modified: opened.modified,
        extent,
        text: text.map(Into::into),
    }
}
