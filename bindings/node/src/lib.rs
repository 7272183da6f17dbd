//! The native module: bytes in, bytes out. Everything else is JavaScript.

use std::path::PathBuf;

use aside_arrow::ArrowError;
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

/// Returns the rows of logs as an Arrow IPC stream, and the parts of logs that cannot be read as a
/// list of texts.
#[napi]
pub fn rows(paths: Vec<String>, format: Option<String>) -> napi::Result<NativeOutput> {
    let paths: Vec<PathBuf> = paths.into_iter().map(PathBuf::from).collect();
    let rows = local::LogRows::new(&paths, format.as_deref()).map_err(|error| failed(&error))?;
    let stream = aside_arrow::ipc_stream(rows);
    let (stream, faults) = stream.map_err(|error| match error {
        ArrowError::ExternalError(error) => match error.downcast_ref::<BindingError>() {
            Some(error) => failed(error),
            None => Error::new(Status::GenericFailure, error.to_string()),
        },
        error => Error::new(Status::GenericFailure, error.to_string()),
    })?;
    Ok(NativeOutput {
        json: serde_json::json!(faults).to_string().into_bytes().into(),
        body: Some(stream.into()),
    })
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
    pub fn reply(&mut self, blocks: Buffer) -> napi::Result<()> {
        self.0.reply(&blocks).map_err(|error| failed(&error))
    }

    #[napi]
    pub fn answer(&mut self, body: Buffer, options: Buffer) -> napi::Result<NativeOutput> {
        result(self.0.answer(&body, &options))
    }
}

/// Returns the error whose text is JSON, from which `index.js` makes an `AsideError`.
fn failed(error: &BindingError) -> Error {
    let json = serde_json::to_string(error);
    Error::new(Status::InvalidArg, json.unwrap_or_else(|_| error.to_string()))
}

fn result(output: Result<Output, BindingError>) -> napi::Result<NativeOutput> {
    let output = output.map_err(|error| failed(&error))?;
    Ok(NativeOutput { json: output.json.into(), body: output.body.map(Into::into) })
}
