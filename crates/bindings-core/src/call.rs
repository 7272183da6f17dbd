//! Calling functions by name.

use crate::error::BindingError;
use crate::output::{Output, without_panic};
use crate::{
    assertions, cache, catalogue, check, compare, context, conversion, local, markers, reminders,
    same_meaning,
};

/// A function in the bindings.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Function {
    /// Its name, the same in every language.
    pub name: &'static str,
    run: Run,
}

/// Takes inputs, and options as JSON.
type Run = fn(&[&[u8]], &[u8]) -> Result<Output, BindingError>;

const fn function(name: &'static str, run: Run) -> Function {
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
    function("golden", assertions::golden),
    function("same_meaning", same_meaning::same_meaning),
    function("memory", local::memory),
    function("git_state", local::git_state),
];

/// Calls a function. `options` is a JSON object; empty bytes mean none.
///
/// # Errors
/// The function or an option is unknown, or an input cannot be read. A panic becomes an error with
/// [`BindingErrorKind::Panic`](crate::BindingErrorKind::Panic).
pub fn call(name: &str, inputs: &[&[u8]], options: &[u8]) -> Result<Output, BindingError> {
    let found = FUNCTIONS.iter().find(|function| function.name == name);
    let function =
        found.ok_or_else(|| BindingError::option(format!("there is no function {name:?}")))?;
    without_panic(inputs, || (function.run)(inputs, options))
}
