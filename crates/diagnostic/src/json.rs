//! The JSON form: an object that omits absent members.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::location::Location;

/// ```json
/// {"severity":"warning","code":"import-not-found","path":"/src/CLAUDE.md","line":8,"message":"…"}
/// ```
///
/// Unknown keys are ignored. So are `line` and `column` without a `path`,
/// because a location has a path.
#[derive(Serialize, Deserialize)]
struct Form<'a> {
    severity: Cow<'a, str>,
    code: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    message: Cow<'a, str>,
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let location = self.location.as_ref();
        let form = Form {
            severity: self.severity.as_str().into(),
            code: self.code.as_str().into(),
            path: location.map(|location| location.path.to_string_lossy()),
            line: location.and_then(|location| location.line),
            column: location.and_then(|location| location.column),
            message: self.message.as_str().into(),
        };
        form.serialize(serializer)
    }
}

/// Fails for an unknown severity, and for a code that is not in kebab case.
impl<'de> Deserialize<'de> for Diagnostic {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = Form::deserialize(deserializer)?;
        let code = form.code.into_owned();
        let location = form.path.map(|path| {
            Location::new(PathBuf::from(path.into_owned())).line(form.line).column(form.column)
        });
        Ok(Self {
            severity: form.severity.parse().map_err(D::Error::custom)?,
            code: Code::parse(code).ok_or_else(|| D::Error::custom("a code is in kebab case"))?,
            location,
            message: form.message.into_owned(),
        })
    }
}
