//! Failures on demand, as `STATUS[:TIMES]` with commas between them: the first
//! requests fail, later ones are judged.

use std::collections::VecDeque;
use std::str::FromStr;

use aside_models::Wire;

use crate::strict::ApiError;

/// Requests that fail on demand, in order.
///
/// ```
/// use aside_gateway::serve::Faults;
///
/// let faults: Faults = "429:3,529".parse()?;
/// assert_eq!(faults.len(), 4);
/// assert!("200:1".parse::<Faults>().is_err());
/// assert!("".parse::<Faults>().is_err());
/// # Ok::<(), aside_gateway::serve::FaultsError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// A status and how many requests still get it, in order.
    left: VecDeque<(u16, u32)>,
}

/// Why a list of faults was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{item:?} is no STATUS[:TIMES] with a status from 400 to 599")]
pub struct FaultsError {
    item: String,
}

impl Faults {
    /// Returns how many requests will fail.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.left.iter().map(|(_, times)| u64::from(*times)).sum()
    }

    /// Returns true if no request will fail.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how the next request fails.
    ///
    /// Each message request uses up one failure, whatever the request is.
    pub(crate) fn next(&mut self, wire: Wire) -> Option<ApiError> {
        let (status, times) = self.left.front_mut()?;
        let status = *status;
        *times -= 1;
        if *times == 0 {
            self.left.pop_front();
        }
        let text = match status {
            429 => "This request would exceed your account's rate limit. Please try again later.",
            529 => "Overloaded",
            500 => "Internal server error",
            _ => "This failure was asked for",
        };
        Some(ApiError::on_wire(wire, status, text))
    }
}

impl FromStr for Faults {
    type Err = FaultsError;

    fn from_str(text: &str) -> Result<Self, FaultsError> {
        let read = |item: &str| {
            let (status, times) = item.split_once(':').unwrap_or((item, "1"));
            let status = status.trim().parse().ok().filter(|it| (400..600).contains(it))?;
            let times = times.trim().parse().ok().filter(|it| *it > 0)?;
            Some((status, times))
        };
        let left = text
            .split(',')
            .map(|item| read(item).ok_or_else(|| FaultsError { item: item.to_owned() }));
        Ok(Self { left: left.collect::<Result<_, _>>()? })
    }
}
