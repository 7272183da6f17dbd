//! Decompressing the streams that hold a document's structure.
//!
//! These are object streams and tables of objects. Only `FlateDecode` is
//! supported, with PNG's predictors: tables are usually written as differences
//! between rows. Page streams are never decompressed.

use std::io::Read;

use super::budget::Budget;
use super::dict;
use super::error::PdfError;

/// Returns a stream's decoded data.
///
/// # Errors
/// The filter or the predictor is another one, nothing can be decompressed, or
/// the data is larger than what is left of the budget.
pub(super) fn decode(dict: &[u8], data: &[u8], budget: &Budget) -> Result<Vec<u8>, PdfError> {
    let first = |key: &[u8]| {
        let value = dict::get(dict, key, budget)?;
        match value.first() {
            Some(b'[') => dict::items(value, budget).next(),
            _ => Some(value),
        }
    };
    let filters = dict::get(dict, b"Filter", budget).unwrap_or_default();
    let is_single = dict::items(filters, budget).count() <= 1;
    let filter = first(b"Filter").filter(|it| *it != b"null");
    let plain = match filter {
        None => take(data, budget)?,
        Some(filter) if is_single && dict::is_name(filter, b"FlateDecode") => {
            inflate(data, budget)?
        }
        Some(_) => return Err(PdfError::Damaged("a filter of its structure is not known")),
    };
    match first(b"DecodeParms") {
        Some(parameters) => predicted(plain, parameters, budget),
        None => Ok(plain),
    }
}

#[cfg(feature = "compressed")]
fn inflate(data: &[u8], budget: &Budget) -> Result<Vec<u8>, PdfError> {
    take(flate2::read::ZlibDecoder::new(data), budget)
}

#[cfg(not(feature = "compressed"))]
fn inflate(_data: &[u8], _budget: &Budget) -> Result<Vec<u8>, PdfError> {
    Err(PdfError::Damaged(
        "its structure is compressed, and this build lacks the feature `compressed`",
    ))
}

/// Reads everything, within the budget. Ignores a fault at the end of
/// compressed data.
fn take(reader: impl Read, budget: &Budget) -> Result<Vec<u8>, PdfError> {
    let limit = budget.inflatable();
    let mut plain = Vec::new();
    let read = reader.take(limit as u64 + 1).read_to_end(&mut plain);
    budget.inflate(plain.len());
    match read {
        _ if plain.len() > limit => Err(PdfError::TooComplex),
        Err(_) if plain.is_empty() => Err(PdfError::Damaged("a stream cannot be decompressed")),
        _ => Ok(plain),
    }
}

/// Reverses the prediction of rows.
///
/// Each row begins with a byte that names its predictor (0 none, 1 left, 2 up,
/// 3 their mean, 4 Paeth). `row` is its length in bytes without that byte;
/// `pixel` is the distance to the neighbour on the left. An incomplete last row
/// is dropped.
fn predicted(plain: Vec<u8>, parameters: &[u8], budget: &Budget) -> Result<Vec<u8>, PdfError> {
    let number = |key: &[u8], usual: u64| {
        let value = dict::get(parameters, key, budget);
        value.and_then(dict::integer).unwrap_or(usual)
    };
    match number(b"Predictor", 1) {
        1 => return Ok(plain),
        10..=15 => {}
        _ => {
            return Err(PdfError::Damaged("a predictor of its structure is not known"));
        }
    }
    let bits = number(b"Colors", 1).saturating_mul(number(b"BitsPerComponent", 8));
    let row = bits.saturating_mul(number(b"Columns", 1)).div_ceil(8);
    let fits = row > 0 && row <= plain.len() as u64;
    if !fits || bits > 64 {
        return Err(PdfError::Damaged("the rows of a stream have no length"));
    }
    // In range: no longer than the data.
    let (row, pixel) = (row as usize, (bits.div_ceil(8) as usize).max(1));
    let mut before = vec![0; row];
    let mut rows = Vec::with_capacity(plain.len());
    for coded in plain.chunks_exact(row + 1) {
        let mut now = coded[1..].to_vec();
        for at in 0..row {
            let left = if at < pixel { 0 } else { now[at - pixel] };
            let corner = if at < pixel { 0 } else { before[at - pixel] };
            let up = before[at];
            let guess = match coded[0] {
                0 => 0,
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                _ => paeth(left, up, corner),
            };
            now[at] = now[at].wrapping_add(guess);
        }
        rows.extend_from_slice(&now);
        before = now;
    }
    Ok(rows)
}

/// Returns the neighbour nearest to their linear continuation.
fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, up, corner].map(i16::from);
    let distance = |it: i16| (a + b - c - it).abs();
    if distance(a) <= distance(b) && distance(a) <= distance(c) {
        left
    } else if distance(b) <= distance(c) {
        up
    } else {
        corner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_predicted_as_in_png() {
        let parameters = b"<< /Predictor 12 /Columns 3 >>";
        let check = |coded: &[u8], expected: &[u8]| {
            let found = predicted(coded.to_vec(), parameters, &Budget::default());
            assert_eq!(found.unwrap(), expected);
        };
        check(&[0, 1, 2, 3, 2, 1, 1, 1], &[1, 2, 3, 2, 3, 4]);
        check(&[1, 1, 1, 1, 3, 1, 1, 1], &[1, 2, 3, 1, 2, 3]);
        check(&[4, 5, 1, 255, 4, 1, 0, 0], &[5, 6, 5, 6, 6, 5]);
    }

    #[test]
    fn a_bomb_ends_with_an_error() {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::copy(&mut std::io::repeat(0).take(1 << 20), &mut encoder).unwrap();
        let bomb = encoder.finish().unwrap();
        let budget = Budget::default();
        let dict = b"<< /Filter [/FlateDecode] >>";
        assert_eq!(decode(dict, &bomb, &budget).unwrap().len(), 1 << 20);
        budget.inflate(budget.inflatable() - (1 << 20) + 1);
        assert_eq!(decode(dict, &bomb, &budget), Err(PdfError::TooComplex));
    }
}
