//! The rows of `aside report --rows` as Arrow record batches. The columns have the names and the
//! order of the keys of a row; a test of the Python package compares them.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchReader, StringArray,
    TimestampMillisecondArray,
};
use arrow_schema::SchemaRef;
use aside_bindings_core::local::{LogRows, Row};

pub use arrow_schema::ArrowError;

/// How many rows a batch has at most.
const BATCH_ROWS: usize = 8_192;

/// A stream of record batches. `W` is called with each part of a log that cannot be read.
#[derive(Debug)]
pub struct RowBatches<W> {
    rows: LogRows,
    schema: SchemaRef,
    warn: W,
}

impl<W: FnMut(String) -> Result<(), ArrowError>> RowBatches<W> {
    /// Creates a stream of the rows of logs, which are read as the batches are. An error of `warn`
    /// is one of the stream.
    ///
    /// # Errors
    /// The columns have different lengths, which none of them has.
    pub fn new(rows: LogRows, warn: W) -> Result<Self, ArrowError> {
        let schema = batch(&[])?.schema();
        Ok(Self { rows, schema, warn })
    }
}

impl<W: FnMut(String) -> Result<(), ArrowError>> Iterator for RowBatches<W> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows: Result<Vec<Row>, _> = self.rows.by_ref().take(BATCH_ROWS).collect();
        let mut faults = self.rows.take_faults().into_iter();
        if let Err(error) = faults.try_for_each(&mut self.warn) {
            return Some(Err(error));
        }
        match rows {
            Ok(rows) if rows.is_empty() => None,
            Ok(rows) => Some(batch(&rows)),
            Err(error) => Some(Err(ArrowError::ExternalError(Box::new(error)))),
        }
    }
}

impl<W: FnMut(String) -> Result<(), ArrowError>> RecordBatchReader for RowBatches<W> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Returns all batches as one Arrow IPC stream, and the parts of logs that cannot be read.
///
/// # Errors
/// A log that is named cannot be opened.
#[cfg(feature = "ipc")]
pub fn ipc_stream(rows: LogRows) -> Result<(Vec<u8>, Vec<String>), ArrowError> {
    let mut faults = Vec::new();
    let batches = RowBatches::new(rows, |fault| {
        faults.push(fault);
        Ok(())
    })?;
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batches.schema())?;
    for batch in batches {
        writer.write(&batch?)?;
    }
    Ok((writer.into_inner()?, faults))
}

fn batch(rows: &[Row]) -> Result<RecordBatch, ArrowError> {
    type Text = fn(&Row) -> Option<&str>;
    let text = |value: Text| Arc::new(rows.iter().map(value).collect::<StringArray>()) as ArrayRef;
    let tokens = |value: fn(&Row) -> u64| {
        let values = rows.iter().map(|row| i64::try_from(value(row)).unwrap_or(i64::MAX));
        Arc::new(Int64Array::from_iter_values(values)) as ArrayRef
    };
    let number = |value: fn(&Row) -> Option<usize>| {
        let values = rows.iter().map(|row| i64::try_from(value(row)?).ok());
        Arc::new(values.collect::<Int64Array>()) as ArrayRef
    };
    let dollars = |value: fn(&Row) -> Option<f64>| {
        Arc::new(rows.iter().map(value).collect::<Float64Array>()) as ArrayRef
    };
    let times = rows.iter().map(|row| {
        // A log with times of its own has none.
        row.time()?;
        i64::try_from(row.at.as_millis()).ok()
    });
    let times = times.collect::<TimestampMillisecondArray>().with_timezone("UTC");
    let days: StringArray =
        rows.iter().map(|row| row.prices_as_of.map(|day| day.to_string())).collect();
    let is_predicted = rows.iter().map(|row| Some(row.is_predicted));
    let columns = [
        ("time", Arc::new(times) as ArrayRef, true),
        ("at", dollars(|row| Some(row.at.as_secs_f64())), false),
        ("agent", text(|row| row.agent.map(|agent| agent.as_str())), true),
        ("project", text(|row| row.project.as_deref()), true),
        ("session", text(|row| row.session.as_deref()), true),
        ("subagent", text(|row| row.subagent.as_deref()), true),
        ("id", text(|row| row.id.as_deref()), true),
        ("line", number(|row| Some(row.line)), false),
        ("model", text(|row| row.model.as_deref()), true),
        ("status", number(|row| row.status.map(usize::from)), true),
        ("error", text(|row| row.error.as_deref()), true),
        ("read", tokens(|row| row.usage.read), false),
        ("write_5m", tokens(|row| row.usage.write_5m), false),
        ("write_1h", tokens(|row| row.usage.write_1h), false),
        ("write_other", tokens(|row| row.usage.write_other), false),
        ("uncached", tokens(|row| row.usage.uncached), false),
        ("output", tokens(|row| row.usage.output), false),
        ("is_predicted", Arc::new(is_predicted.collect::<BooleanArray>()) as ArrayRef, false),
        ("cost", dollars(|row| row.cost.map(|cost| cost.dollars())), true),
        ("prices_as_of", Arc::new(days) as ArrayRef, true),
        ("cause", text(|row| row.cause.as_ref().map(|cause| &*cause.name)), true),
        ("lost_tokens", tokens(|row| row.lost_tokens), false),
        ("lost_cost", dollars(|row| row.lost_cost.map(|cost| cost.dollars())), true),
        ("path", text(|row| row.difference.as_ref().map(|it| &*it.path)), true),
        ("byte", number(|row| row.difference.as_ref().and_then(|it| it.byte_offset)), true),
        ("unknown_write", tokens(|row| row.unknown_write), false),
    ];
    RecordBatch::try_from_iter_with_nullable(columns)
}
