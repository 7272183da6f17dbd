//! A function's result, and its inputs and options.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{BindingError, BindingErrorKind};

/// What a function returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// Facts, as JSON.
    pub json: Vec<u8>,
    /// The body, messages or text, from a function that returns one.
    pub body: Option<Vec<u8>>,
}

impl Output {
    pub(crate) fn facts(facts: &impl Serialize) -> Result<Self, BindingError> {
        Ok(Self { json: json(facts)?, body: None })
    }

    pub(crate) fn with_body(self, body: Vec<u8>) -> Self {
        Self { body: Some(body), ..self }
    }
}

pub(crate) fn json(value: &impl Serialize) -> Result<Vec<u8>, BindingError> {
    serde_json::to_vec(value).map_err(BindingError::shape)
}

/// The stack of a call. A thread of the caller may have too little for values that nest as deeply as
/// JSON may, and an overflow would end the process.
const STACK_BYTES: usize = 16 << 20;

/// Inputs with fewer brackets nest too little to need that stack.
const FEW_BRACKETS: usize = 64;

/// Runs a call, and turns a panic into an error. If its inputs may nest deeply, the call has a thread
/// of its own.
pub(crate) fn without_panic<T: Send>(
    inputs: &[&[u8]],
    run: impl FnOnce() -> Result<T, BindingError> + Send,
) -> Result<T, BindingError> {
    let brackets = inputs.iter().flat_map(|it| it.iter()).filter(|it| matches!(it, b'[' | b'{'));
    let result = if brackets.take(FEW_BRACKETS).count() < FEW_BRACKETS {
        catch_unwind(AssertUnwindSafe(run))
    } else {
        thread::scope(|scope| {
            let call = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
            let call = call.map_err(|error| BindingError::new(BindingErrorKind::Local, error));
            call.map_or_else(|error| Ok(Err(error)), thread::ScopedJoinHandle::join)
        })
    };
    result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let message = format!("a fault in Aside: {}", text.unwrap_or("no message"));
        Err(BindingError::new(BindingErrorKind::Panic, message))
    })
}

pub(crate) fn options<T: DeserializeOwned + Default>(json: &[u8]) -> Result<T, BindingError> {
    if json.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_slice(json).map_err(|error| BindingError::option(format!("options: {error}")))
}

/// Fails unless the number of inputs is right.
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
        for inputs in [&[][..], &[&[b'['; FEW_BRACKETS][..]]] {
            let error = without_panic::<()>(inputs, || unreachable!("a test")).unwrap_err();
            assert_eq!(error.kind, BindingErrorKind::Panic);
            assert!(error.message.ends_with("a test"), "{error}");
        }
    }
}
