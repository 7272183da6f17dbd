//! Functions by name.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{BindingError, BindingErrorKind};
use crate::{
    assertions, cache, catalogue, check, compare, context, conversion, local, markers, reminders,
    same_meaning,
};

/// The result of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// The facts, as JSON.
    pub json: Vec<u8>,
    /// The body, the messages or the text that the function returns.
    pub body: Option<Vec<u8>>,
}

impl Output {
    /// Creates the result of a function that returns facts only.
    pub(crate) fn facts(facts: &impl Serialize) -> Result<Self, BindingError> {
        let json = serde_json::to_vec(facts);
        let json = json.map_err(|error| BindingError::new(BindingErrorKind::Shape, error))?;
        Ok(Self { json, body: None })
    }

    pub(crate) fn with_body(self, body: Vec<u8>) -> Self {
        Self {
            body: Some(body),
            ..self
        }
    }
}

/// A function of the bindings.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Function {
    /// The name in every language.
    pub name: &'static str,
    run: fn(&[&[u8]], &[u8]) -> Result<Output, BindingError>,
}

const fn function(
    name: &'static str,
    run: fn(&[&[u8]], &[u8]) -> Result<Output, BindingError>,
) -> Function {
    Function { name, run }
}

/// All functions.
pub const FUNCTIONS: &[Function] = &[
    function("check", check::check),
    function("diff", compare::diff),
    function("explain", cache::explain),
    function("plan", markers::plan),
    function("mark", markers::mark),
    function("inject", reminders::inject),
    function("neutralize", reminders::neutralize),
    function("context", context::context),
    function("readable", context::readable),
    function("convert", conversion::convert),
    function("convert_stream", conversion::convert_stream),
    function("models", catalogue::models),
    function("estimate", catalogue::estimate),
    function("accepted", assertions::accepted),
    function("no_cache_miss", assertions::no_cache_miss),
    function("prefix_stable", assertions::prefix_stable),
    function("same_meaning", same_meaning::same_meaning),
    function("memory", local::memory),
    function("git_state", local::git_state),
];

/// Calls a function. `options` is a JSON object; empty bytes are no options.
///
/// # Errors
/// For an unknown function or option, and an input that cannot be read. A panic is an error of the
/// kind [`BindingErrorKind::Panic`].
pub fn call(name: &str, inputs: &[&[u8]], options: &[u8]) -> Result<Output, BindingError> {
    let found = FUNCTIONS.iter().find(|function| function.name == name);
    let function =
        found.ok_or_else(|| BindingError::option(format!("there is no function {name:?}")))?;
    without_panic(|| (function.run)(inputs, options))
}

/// Runs a function, and returns a panic as an error.
pub(crate) fn without_panic<T>(
    run: impl FnOnce() -> Result<T, BindingError>,
) -> Result<T, BindingError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let message = format!("a fault in Aside: {}", text.unwrap_or("no message"));
        Err(BindingError::new(BindingErrorKind::Panic, message))
    })
}

/// Reads the options of a function.
pub(crate) fn options<T: DeserializeOwned + Default>(json: &[u8]) -> Result<T, BindingError> {
    if json.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_slice(json).map_err(|error| BindingError::option(format!("options: {error}")))
}

/// Returns the inputs, if there are as many as a function takes.
pub(crate) fn inputs<'a, const N: usize>(
    inputs: &[&'a [u8]],
) -> Result<[&'a [u8]; N], BindingError> {
    let found = inputs.len();
    <[&[u8]; N]>::try_from(inputs)
        .map_err(|_| BindingError::option(format!("expected {N} inputs, found {found}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_a_name() {
        let error = without_panic::<()>(|| unreachable!("a test")).unwrap_err();
        assert_eq!(error.kind, BindingErrorKind::Panic);
        assert!(error.message.ends_with("a test"), "{error}");
    }
}
