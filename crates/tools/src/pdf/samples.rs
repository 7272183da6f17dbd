//! Documents for tests.
//!
//! A sample has pages with the texts `page 1`, `page 2` and so on, a page tree
//! with two levels, and references between its pages. `plain` has the oldest
//! form of table; `compressed` has object streams and a table in a stream.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A document that is being written.
struct Writer {
    /// Their length is the offset of the next object.
    out: Vec<u8>,
    /// Rows in the table: kind, offset or object stream, index.
    rows: Vec<[u64; 3]>,
}

impl Writer {
    /// Starts a document with its header and the free object 0.
    fn new() -> Self {
        Self { out: b"%PDF-1.5\n".to_vec(), rows: vec![[0, 0, 0]] }
    }

    fn row(&mut self, id: usize, row: [u64; 3]) {
        if self.rows.len() <= id {
            self.rows.resize(id + 1, [0, 0, 0]);
        }
        self.rows[id] = row;
    }

    fn object(&mut self, id: usize, body: &[u8]) {
        self.row(id, [1, self.out.len() as u64, 0]);
        writeln!(self.out, "{id} 0 obj").unwrap();
        self.out.extend(body);
        self.out.extend(b"\nendobj\n");
    }

    /// `length` is a number or a reference to one.
    fn stream(&mut self, id: usize, dict: &str, length: &str, data: &[u8]) {
        let mut body = format!("<< {dict} /Length {length} >>\nstream\n").into_bytes();
        body.extend(data);
        body.extend(b"\nendstream");
        self.object(id, &body);
    }

    /// Ends the document with a table in plain text.
    fn with_table(mut self) -> Vec<u8> {
        let (start, size) = (self.out.len(), self.rows.len());
        writeln!(self.out, "xref\n0 {size}").unwrap();
        for [kind, offset, _] in &self.rows {
            let kind = if *kind == 1 { 'n' } else { 'f' };
            writeln!(self.out, "{offset:010} 00000 {kind} ").unwrap();
        }
        let trailer = format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF");
        self.out.extend(trailer.as_bytes());
        self.out
    }

    /// Ends the document with a table in a stream, in rows as in PNG.
    fn with_stream(mut self) -> Vec<u8> {
        let (start, id) = (self.out.len(), self.rows.len());
        self.row(id, [1, start as u64, 0]);
        let mut coded = Vec::new();
        let mut before = [0_u8; 7];
        for [kind, second, third] in &self.rows {
            let mut now = [0_u8; 7];
            now[0] = *kind as u8;
            now[1..5].copy_from_slice(&(*second as u32).to_be_bytes());
            now[5..].copy_from_slice(&(*third as u16).to_be_bytes());
            coded.push(2);
            coded.extend(now.iter().zip(before).map(|(now, before)| now.wrapping_sub(before)));
            before = now;
        }
        let data = deflate(&coded);
        let dict = format!(
            "/Type /XRef /Size {} /W [1 4 2] /Root 1 0 R /Filter /FlateDecode \
             /DecodeParms << /Predictor 12 /Columns 7 >>",
            self.rows.len()
        );
        let length = data.len().to_string();
        self.stream(id, &dict, &length, &data);
        write!(self.out, "startxref\n{start}\n%%EOF").unwrap();
        self.out
    }
}

/// Compresses data as the filter `FlateDecode` expects it.
pub(crate) fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Object ids and texts.
type Texts = Vec<(usize, String)>;

/// Returns a document's objects: their ids and values, and the contents of its
/// pages, which have their numbers as text. The pages' box is the tree's; two
/// nodes hold the pages.
fn objects(count: usize) -> (Texts, Texts) {
    let page = |number: usize| 4 + 2 * number;
    let half = count / 2;
    let kids = |range: std::ops::Range<usize>| -> String {
        range.map(|number| format!("{} 0 R ", page(number))).collect()
    };
    let mut values = vec![
        (1, "<< /Type /Catalog /Pages 2 0 R >>".to_owned()),
        (
            2,
            format!(
                "<< /Type /Pages /Kids [4 0 R 5 0 R] /Count {count} /MediaBox [0 0 9 9] \
                 /Resources << /Font << /F 3 0 R >> >> >>"
            ),
        ),
        (3, "<< /Type /Font /BaseFont /Ar#69al >>".to_owned()),
        (4, format!("<< /Type /Pages /Parent 2 0 R /Kids [{}] >>", kids(1..half + 1))),
        (5, format!("<< /Type /Pages /Parent 2 0 R /Kids [{}] >>", kids(half + 1..count + 1))),
    ];
    let mut contents = Vec::new();
    for number in 1..=count {
        let parent = if number <= half { 4 } else { 5 };
        let next = page(number % count + 1);
        let value = format!(
            "<< /Type /Page /Parent {parent} 0 R /Contents {} 0 R /Annots [<< /P {next} 0 R >>] >>",
            page(number) + 1
        );
        values.push((page(number), value));
        contents.push((page(number) + 1, format!("BT (page {number}) Tj ET")));
    }
    (values, contents)
}

/// Returns a document with a table in plain text.
pub(crate) fn plain(count: usize) -> Vec<u8> {
    let mut writer = Writer::new();
    let (values, contents) = objects(count);
    for (id, value) in values {
        writer.object(id, value.as_bytes());
    }
    for (id, text) in contents {
        writer.stream(id, "", &text.len().to_string(), text.as_bytes());
    }
    writer.with_table()
}

/// Returns the same document with its objects in an object stream, and the
/// lengths of its contents as objects there.
pub(crate) fn compressed(count: usize) -> Vec<u8> {
    let mut writer = Writer::new();
    let (mut values, contents) = objects(count);
    let mut next = 6 + 2 * count;
    for (id, text) in contents {
        values.push((next, text.len().to_string()));
        writer.stream(id, "", &format!("{next} 0 R"), text.as_bytes());
        next += 1;
    }
    let (mut header, mut data) = (String::new(), String::new());
    for (index, (id, value)) in values.iter().enumerate() {
        header.push_str(&format!("{id} {} ", data.len()));
        data.push_str(value);
        data.push('\n');
        writer.row(*id, [2, next as u64, index as u64]);
    }
    let dict =
        format!("/Type /ObjStm /N {} /First {} /Filter /FlateDecode", values.len(), header.len());
    let packed = deflate((header + &data).as_bytes());
    let length = packed.len().to_string();
    writer.stream(next, &dict, &length, &packed);
    writer.with_stream()
}

/// Returns a document with a page, and object streams that each have the length
/// of another one.
pub(crate) fn chain_of_lengths(count: usize) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.object(1, b"<< /Type /Catalog /Pages 2 0 R >>");
    writer.object(2, b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    let last = 10 + 2 * count - 1;
    let page = format!("<< /Type /Page /Parent 2 0 R /Thumb {last} 0 R /Contents 10 0 R >>");
    writer.object(3, page.as_bytes());
    let mut length = 0;
    for number in 0..count {
        let (stream, held) = (10 + number, 10 + count + number);
        let header = format!("{held} 0 ");
        let data = format!("{header}{length}");
        length = data.len();
        let dict = format!("/Type /ObjStm /N 1 /First {}", header.len());
        // The next stream has this one's length.
        let own = if number + 1 < count { format!("{} 0 R", held + 1) } else { length.to_string() };
        writer.stream(stream, &dict, &own, data.as_bytes());
        writer.row(held, [2, stream as u64, 0]);
    }
    writer.with_stream()
}
