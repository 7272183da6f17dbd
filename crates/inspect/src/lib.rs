#![doc = include_str!("../README.md")]

mod part;
mod sources;

mod block;
mod pieces;
mod states;
mod tree;

mod named;

mod hints;
mod locate;
mod on_disk;
mod report;
mod servers;

mod json;
mod source_map;
mod text;
mod timeline;
mod verdict_lines;

mod body_lines;

mod html;

pub mod rows;

// Re-exported because public signatures use their types: one dependency is enough.
pub use aside_cache_model as cache_model;
pub use aside_messages as messages;
pub use aside_models as models;
pub use aside_request_logs as request_logs;

pub use body_lines::{BodyLine, BodyLineKind, body_lines, without_indices};
pub use hints::Hint;
pub use json::ReportView;
pub use locate::ByteLocation;
pub use on_disk::DiskSource;
pub use part::{CacheState, PartKind, PartLayer, RequestPart};
pub use report::{LayerSum, Report, ReportMarker, parts_at, report};
pub use servers::ServerShare;
pub use source_map::SourceSegment;
pub use sources::BodySources;
pub use text::{TextOptions, money, prices_of, thousands};
pub use timeline::{LevelTokens, Step};
pub use verdict_lines::{changed_lines, difference_lines, miss_lines, since};

pub use html::{PageOptions, page};
