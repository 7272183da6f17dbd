//! The native module: bytes in, bytes out. Everything else is JavaScript.

use aside_bindings_core::{BindingError, CacheSession, Output, local};
use napi::bindgen_prelude::{Buffer, Error, Status};
use napi_derive::napi;

/// What a function returns: facts as JSON, and a body.
#[napi(object)]
pub struct NativeOutput {
    pub json: Buffer,
    pub body: Option<Buffer>,
}

/// Calls a function.
#[napi]
pub fn call(name: String, inputs: Vec<Buffer>, options: Buffer) -> napi::Result<NativeOutput> {
    let inputs: Vec<&[u8]> = inputs.iter().map(|input| &input[..]).collect();
    result(aside_bindings_core::call(&name, &inputs, &options))
}

/// One session's cache model.
#[napi]
#[derive(Default)]
pub struct CacheModel(CacheSession);

#[napi]
impl CacheModel {
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    #[napi]
    pub fn send(&mut self, body: Buffer, options: Buffer) -> napi::Result<NativeOutput> {
        result(self.0.send(&body, &options))
    }
}

/// The strict Messages API in process.
#[napi]
#[derive(Default)]
pub struct StrictApi(local::StrictApi);

#[napi]
impl StrictApi {
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    #[napi]
    pub fn answer(&mut self, body: Buffer, options: Buffer) -> napi::Result<NativeOutput> {
        result(self.0.answer(&body, &options))
    }
}

/// Returns the output. An error's text is JSON, from which `index.js` makes an `AsideError`.
fn result(output: Result<Output, BindingError>) -> napi::Result<NativeOutput> {
    let failed = |error: BindingError| {
        let json = serde_json::to_string(&error);
        Error::new(
            Status::InvalidArg,
            json.unwrap_or_else(|_| error.to_string()),
        )
    };
    let output = output.map_err(failed)?;
    Ok(NativeOutput {
        json: output.json.into(),
        body: output.body.map(Into::into),
    })
}
