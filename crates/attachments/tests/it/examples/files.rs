//! Files, directories and resources.

use aside_attachments::{
    AlreadyReadFile, Attachment, Cell, CellKind, CellOutput, CompactFileReference, Directory, File,
    FileContent, ImageFile, McpContent, McpResource, Media, Notebook, Pdf, PdfReference, TextFile,
};

pub(super) fn files() -> Vec<(&'static str, Attachment)> {
    vec![
        ("file: text", file("src/main.rs", text("fn main() {\n    run();\n}\n", 1, 3))),
        ("file: text, some lines", file("src/main.rs", text("fn run() {\n}\n", 10, 300))),
        ("file: image", file("logo.png", FileContent::Image(ImageFile { image: png() }))),
        ("file: notebook", file("plot.ipynb", notebook())),
        ("file: pdf", file("paper.pdf", pdf(2))),
        ("file: pdf, long", file("book.pdf", pdf(11))),
        (
            "pdf_reference",
            Attachment::PdfReference(PdfReference {
                path: "manual.pdf".into(),
                pages: 380,
                bytes: Some(5_452_595),
                by_pages: true,
            }),
        ),
        (
            "pdf_reference, no pages",
            Attachment::PdfReference(PdfReference {
                path: "manual.pdf".into(),
                pages: 380,
                bytes: Some(5_452_595),
                by_pages: false,
            }),
        ),
        (
            "compact_file_reference",
            Attachment::CompactFileReference(CompactFileReference { path: "src/tables.rs".into() }),
        ),
        (
            "already_read_file",
            Attachment::AlreadyReadFile(AlreadyReadFile { path: "src/main.rs".into() }),
        ),
        (
            "directory",
            Attachment::Directory(Directory {
                path: "src".into(),
                entries: vec!["lib.rs".into(), "main.rs".into()],
            }),
        ),
        (
            "mcp_resource",
            resource(vec![
                McpContent::Text { text: "Use tabs.".into() },
                McpContent::Blob { media_type: Some("image/png".into()), bytes: 2_048 },
            ]),
        ),
        ("mcp_resource, empty", resource(vec![])),
    ]
}

fn file(path: &str, content: FileContent) -> Attachment {
    Attachment::File(File { path: path.into(), content })
}

pub(crate) fn text(content: &str, start_line: usize, total_lines: usize) -> FileContent {
    FileContent::Text(TextFile { content: content.into(), start_line, total_lines })
}

pub(crate) fn pdf(pages: u32) -> FileContent {
    let document = Media::Base64 { media_type: "application/pdf".into(), data: "JVBERi0=".into() };
    FileContent::Pdf(Pdf { document, pages })
}

pub(super) fn png() -> Media {
    Media::Base64 { media_type: "image/png".into(), data: "iVBORw0KGgo=".into() }
}

fn notebook() -> FileContent {
    let code = Cell {
        kind: CellKind::Code,
        source: "plot(x)".into(),
        outputs: vec![
            CellOutput::Text { text: "done\n".into() },
            CellOutput::Error { text: "NameError: x".into() },
            CellOutput::Image { image: png() },
        ],
    };
    let prose = |kind| Cell { kind, source: "# Plots".into(), outputs: vec![] };
    FileContent::Notebook(Notebook {
        cells: vec![prose(CellKind::Markdown), code, prose(CellKind::Raw)],
    })
}

fn resource(contents: Vec<McpContent>) -> Attachment {
    Attachment::McpResource(McpResource {
        server: "docs".into(),
        uri: "docs://style?a=1&b=\"2\"".into(),
        name: "Style guide".into(),
        contents,
    })
}
