//! How paths are stored: as a string, or, for a path that is not UTF-8, as the
//! list of its bytes (on Windows its UTF-16 units). Every name survives the
//! round trip.
//!
//! ```json
//! "/home/ada/CLAUDE.md"
//! [47, 116, 109, 112, 47, 255]
//! ```
//!
//! Use the functions with `#[serde(with = "path_value")]`, and the modules
//! `optional` and `many` for optional paths and for collections.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

/// Writes a path as a string, or as the list of its units if it is not Unicode.
pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    match path.to_str() {
        Some(text) => serializer.serialize_str(text),
        None => serializer.collect_seq(units(path)),
    }
}

/// Reads a path from either form.
///
/// # Errors
///
/// The value is neither a string nor a list of numbers in a unit's range.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    deserializer.deserialize_any(PathVisitor)
}

/// Reads a path from a string or from a list of units.
struct PathVisitor;

impl<'de> Visitor<'de> for PathVisitor {
    type Value = PathBuf;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path, or the list of its bytes")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<PathBuf, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<PathBuf, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(from_units)
    }
}

#[cfg(unix)]
fn units(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(unix)]
fn from_units(units: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(units).into()
}

/// Returns a path's UTF-16 units, even unpaired surrogates.
#[cfg(windows)]
fn units(path: &Path) -> Vec<u16> {
    use std::os::windows::ffi::OsStrExt;
    path.as_os_str().encode_wide().collect()
}

#[cfg(windows)]
fn from_units(units: Vec<u16>) -> PathBuf {
    use std::os::windows::ffi::OsStringExt;
    std::ffi::OsString::from_wide(&units).into()
}

/// A path where `with` cannot reach, such as an item in a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PathValue(pub(crate) PathBuf);

impl Serialize for PathValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for PathValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer).map(Self)
    }
}

/// Optional paths; `None` is `null`.
pub(crate) mod optional {
    use super::{Deserialize, Deserializer, PathBuf, PathValue, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        path.clone().map(PathValue).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        Ok(Option::<PathValue>::deserialize(deserializer)?.map(|path| path.0))
    }
}

/// Lists and sets of paths.
pub(crate) mod many {
    use super::{Deserialize, Deserializer, PathBuf, PathValue, Serializer};

    pub(crate) fn serialize<'a, S: Serializer>(
        paths: impl IntoIterator<Item = &'a PathBuf>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.into_iter().cloned().map(PathValue))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, C: FromIterator<PathBuf>>(
        deserializer: D,
    ) -> Result<C, D::Error> {
        let paths = Vec::<PathValue>::deserialize(deserializer)?;
        Ok(paths.into_iter().map(|path| path.0).collect())
    }
}
