//! Text, images, documents and references: the blocks that are also parts of
//! other blocks, of tool results and of the system prompt.

use super::super::shape::{Kind, Shape, Union, Variant, nullable, optional, required, variant};
use super::CACHE_CONTROL;

/// ```json
/// {"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}
/// ```
///
/// `citations` is on text of the assistant.
const TEXT: Shape = shape![
    required("text", Kind::Text),
    nullable("citations", Kind::List(&Kind::Tagged(&CITATIONS))),
    CACHE_CONTROL,
];

/// Text as a block of a union.
pub(super) const TEXT_VARIANT: Variant = variant("text", &TEXT);

/// ```json
/// {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0…"}}
/// ```
///
/// With `"oversized_image":"downsize"`, the API scales an image that is too
/// large instead of refusing it.
pub(super) const IMAGE_VARIANT: Variant = variant(
    "image",
    &shape![
        required("source", Kind::Tagged(&IMAGE_SOURCES)),
        nullable(
            "transformations",
            Kind::Object(&shape![optional(
                "oversized_image",
                Kind::Literal(&["downsize", "error"])
            )])
        ),
        CACHE_CONTROL,
    ],
);

pub(super) const DOCUMENT_VARIANT: Variant = variant("document", &DOCUMENT);

/// ```json
/// {"type": "document", "title": "Manual", "citations": {"enabled": true},
///  "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0…"}}
/// ```
pub(super) const DOCUMENT: Shape = shape![
    required("source", Kind::Tagged(&DOCUMENT_SOURCES)),
    nullable("citations", Kind::Object(&CITATIONS_CONFIG)),
    nullable("context", Kind::Text),
    nullable("title", Kind::Text),
    CACHE_CONTROL,
];

/// `{"enabled":true}`: the model may cite the document.
pub(super) const CITATIONS_CONFIG: Shape = shape![optional("enabled", Kind::Bool)];

/// A page that the caller found, with its text in blocks. `source` is a URL or
/// another name.
pub(super) const SEARCH_RESULT_VARIANT: Variant = variant(
    "search_result",
    &shape![
        required("content", TEXT_BLOCKS),
        required("source", Kind::Text),
        required("title", Kind::Text),
        optional("citations", Kind::Object(&CITATIONS_CONFIG)),
        CACHE_CONTROL,
    ],
);

/// Text blocks only: the system prompt, search results.
pub(in super::super) const TEXT_BLOCKS: Kind = Kind::List(&Kind::Tagged(&Union {
    what: "text block",
    untagged: None,
    is_of_blocks: true,
    variants: &[TEXT_VARIANT],
}));

pub(super) const TOOL_REFERENCE_VARIANT: Variant = variant("tool_reference", &TOOL_REFERENCE);

/// ```json
/// {"type": "tool_reference", "tool_name": "Grep"}
/// ```
pub(super) const TOOL_REFERENCE: Shape = shape![required("tool_name", Kind::Text), CACHE_CONTROL];

/// The data themselves, an address that the API fetches, or the id of an
/// uploaded file.
const IMAGE_SOURCES: Union = Union {
    what: "image source",
    untagged: None,
    is_of_blocks: false,
    variants: &[
        variant(
            "base64",
            &shape![
                required(
                    "media_type",
                    Kind::Literal(&["image/jpeg", "image/png", "image/gif", "image/webp"])
                ),
                required("data", Kind::Text),
            ],
        ),
        URL_SOURCE,
        FILE_SOURCE,
    ],
};

/// A PDF, plain text, or blocks of text and images; by an address or an id too.
const DOCUMENT_SOURCES: Union = Union {
    what: "document source",
    untagged: None,
    is_of_blocks: false,
    variants: &[
        variant(
            "base64",
            &shape![
                required("media_type", Kind::Literal(&["application/pdf"])),
                required("data", Kind::Text),
            ],
        ),
        variant(
            "text",
            &shape![
                required("media_type", Kind::Literal(&["text/plain"])),
                required("data", Kind::Text),
            ],
        ),
        variant(
            "content",
            &shape![required(
                "content",
                Kind::Either(&[
                    Kind::Text,
                    Kind::List(&Kind::Tagged(&Union {
                        what: "block of a document",
                        untagged: None,
                        is_of_blocks: true,
                        variants: &[TEXT_VARIANT, IMAGE_VARIANT],
                    })),
                ])
            )],
        ),
        URL_SOURCE,
        FILE_SOURCE,
    ],
};

const URL_SOURCE: Variant = variant("url", &shape![required("url", Kind::Text)]);

const FILE_SOURCE: Variant = variant("file", &shape![required("file_id", Kind::Text)]);

/// The cited text with its place: a range of characters, pages or blocks of a
/// document, a page of the web, or a search result. Pages are numbered from 1,
/// characters and blocks from 0, and the end is not included.
const CITATIONS: Union = Union {
    what: "citation",
    untagged: None,
    is_of_blocks: false,
    variants: &[
        variant(
            "char_location",
            &shape![
                required("cited_text", Kind::Text),
                required("document_index", Kind::Integer(0)),
                required("document_title", Kind::Text).or_null(),
                required("start_char_index", Kind::Integer(0)),
                required("end_char_index", Kind::Integer(0)),
                nullable("file_id", Kind::Text),
            ],
        ),
        variant(
            "page_location",
            &shape![
                required("cited_text", Kind::Text),
                required("document_index", Kind::Integer(0)),
                required("document_title", Kind::Text).or_null(),
                required("start_page_number", Kind::Integer(0)),
                required("end_page_number", Kind::Integer(0)),
                nullable("file_id", Kind::Text),
            ],
        ),
        variant(
            "content_block_location",
            &shape![
                required("cited_text", Kind::Text),
                required("document_index", Kind::Integer(0)),
                required("document_title", Kind::Text).or_null(),
                required("start_block_index", Kind::Integer(0)),
                required("end_block_index", Kind::Integer(0)),
                nullable("file_id", Kind::Text),
            ],
        ),
        variant(
            "web_search_result_location",
            &shape![
                required("cited_text", Kind::Text),
                required("encrypted_index", Kind::Text),
                required("title", Kind::Text).or_null(),
                required("url", Kind::Text),
            ],
        ),
        variant(
            "search_result_location",
            &shape![
                required("cited_text", Kind::Text),
                required("search_result_index", Kind::Integer(0)),
                required("source", Kind::Text),
                required("start_block_index", Kind::Integer(0)),
                required("end_block_index", Kind::Integer(0)),
                required("title", Kind::Text).or_null(),
            ],
        ),
    ],
};
