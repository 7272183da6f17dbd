//! The native module `aside._native`: bytes in, bytes out. Everything else is Python.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use aside_arrow::{ArrowError, RowBatches};
use aside_bindings_core::{BindingError, CacheSession, Output, local};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

create_exception!(aside, AsideError, PyException, "An input, an option or a file is at fault.");

/// Warns about a part of a log.
type Warn = fn(String) -> std::result::Result<(), ArrowError>;

type Result<'py> = PyResult<(Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>)>;

/// Calls a function without the GIL.
#[pyfunction]
fn call<'py>(
    py: Python<'py>,
    name: &str,
    inputs: Vec<Bound<'py, PyBytes>>,
    options: &[u8],
) -> Result<'py> {
    let inputs: Vec<&[u8]> = inputs.iter().map(|input| input.as_bytes()).collect();
    let output = py.detach(|| aside_bindings_core::call(name, &inputs, options));
    result(py, output)
}

/// One session's cache model.
#[pyclass(frozen)]
#[derive(Default)]
struct CacheModel(Mutex<CacheSession>);

#[pymethods]
impl CacheModel {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn send<'py>(&self, py: Python<'py>, body: &[u8], options: &[u8]) -> Result<'py> {
        let output = py.detach(|| lock(&self.0).send(body, options));
        result(py, output)
    }
}

/// The strict Messages API in process.
#[pyclass(frozen)]
#[derive(Default)]
struct StrictApi(Mutex<local::StrictApi>);

#[pymethods]
impl StrictApi {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn reply(&self, py: Python<'_>, blocks: &[u8]) -> PyResult<()> {
        lock(&self.0).reply(blocks).map_err(|error| raised(py, &error))
    }

    fn answer<'py>(&self, py: Python<'py>, body: &[u8], options: &[u8]) -> Result<'py> {
        let output = py.detach(|| lock(&self.0).answer(body, options));
        result(py, output)
    }
}

/// Logs, whose rows each reader of the Arrow stream reads from the first one: DuckDB reads a stream
/// for its schema, and another one for the rows.
#[pyclass(frozen)]
struct Rows {
    paths: Vec<PathBuf>,
    format: Option<String>,
}

impl Rows {
    fn batches(&self, py: Python<'_>) -> PyResult<RowBatches<Warn>> {
        let rows = py.detach(|| local::LogRows::new(&self.paths, self.format.as_deref()));
        let rows = rows.map_err(|error| raised(py, &error))?;
        RowBatches::new(rows, warn as Warn).map_err(|error| AsideError::new_err(error.to_string()))
    }
}

#[pymethods]
impl Rows {
    #[new]
    fn new(py: Python<'_>, paths: Vec<PathBuf>, format: Option<String>) -> PyResult<Self> {
        let rows = Self { paths, format };
        rows.batches(py)?;
        Ok(rows)
    }

    /// Returns the rows through the Arrow C stream interface. Every schema but that of the rows is
    /// left to the reader, as the interface allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(self.batches(py)?));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// Issues a Python warning, which a filter can make an error.
fn warn(text: String) -> std::result::Result<(), ArrowError> {
    let failed = |error: PyErr| ArrowError::ExternalError(Box::new(error));
    Python::attach(|py| {
        let text = CString::new(text).map_err(|error| failed(error.into()))?;
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1).map_err(failed)
    })
}

/// Locks a value. A panic in a call leaves it readable: the next call reports what it finds.
fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

fn result(py: Python<'_>, output: std::result::Result<Output, BindingError>) -> Result<'_> {
    let output = output.map_err(|error| raised(py, &error))?;
    let body = output.body.map(|body| PyBytes::new(py, &body));
    Ok((PyBytes::new(py, &output.json), body))
}

/// Converts an error to an exception, with its kind, path and line.
fn raised(py: Python<'_>, error: &BindingError) -> PyErr {
    let raised = AsideError::new_err(error.to_string());
    let value = raised.value(py);
    let set = value
        .setattr("kind", error.kind.as_str())
        .and_then(|()| value.setattr("path", &error.path))
        .and_then(|()| value.setattr("line", error.line));
    set.err().unwrap_or(raised)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("AsideError", module.py().get_type::<AsideError>())?;
    module.add_class::<CacheModel>()?;
    module.add_class::<Rows>()?;
    module.add_class::<StrictApi>()?;
    module.add_function(wrap_pyfunction!(call, module)?)
}
