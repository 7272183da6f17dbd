//! Telling a model's users about its retirement.

use std::fmt;

use crate::date::Date;
use crate::facts::ModelStatus;
use crate::find::{Known, find_on};
use crate::platform::Platform;

/// Something to tell users about a model's lifecycle.
///
/// ```
/// use aside_models::{Date, Notice, NoticeKind, Platform};
///
/// let today = Date::new(2026, 11, 22);
/// assert!(Notice::of(Platform::FirstParty, "claude-opus-5-5", today).is_none());
/// let notice = Notice::of(Platform::FirstParty, "llama-5", today).expect("the catalogue has no row for it");
/// assert_eq!(notice.kind, NoticeKind::Unknown);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The id, as spelled in the request.
    pub id: String,
    /// What the notice says.
    pub kind: NoticeKind,
}

/// The kinds of [`Notice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoticeKind {
    /// The catalogue has no row for the model.
    Unknown,
    /// It was retired on that day.
    Retired(Date),
    /// It retires on that day; the vendor recommends another, if any.
    RetiresSoon(Date, Option<&'static str>),
    /// It is guaranteed only until that day, which is near or past.
    Unguaranteed(Date),
}

impl Notice {
    /// Returns the notice about a model on a day; `None` if the model is known and its retirement
    /// far away.
    ///
    /// ```
    /// use aside_models::{Date, Notice, Platform};
    ///
    /// let today = Date::new(2026, 11, 21);
    /// let notice = |id| Notice::of(Platform::FirstParty, id, today).map(|it| it.to_string());
    /// assert_eq!(notice("claude-opus-5-5"), None);
    /// assert_eq!(
    ///     notice("claude-sonnet-4-5").as_deref(),
    ///     Some("claude-sonnet-4-5 retires on 2026-11-30; its vendor recommends claude-sonnet-5-5"),
    /// );
    /// ```
    #[must_use]
    pub fn of(platform: Platform, id: &str, today: Date) -> Option<Self> {
        let found = find_on(platform, id);
        let lifecycle = &found.facts.lifecycle;
        let kind = match (found.known, lifecycle.status(today)) {
            (Known::Family | Known::Unknown, _) => NoticeKind::Unknown,
            (Known::Known, ModelStatus::Active) => return None,
            (Known::Known, ModelStatus::Retired(date)) => NoticeKind::Retired(date),
            (Known::Known, ModelStatus::RetiresSoon(date)) => {
                NoticeKind::RetiresSoon(date, lifecycle.successor)
            }
            (Known::Known, ModelStatus::Unguaranteed(date)) => NoticeKind::Unguaranteed(date),
        };
        let id = id.to_owned();
        Some(Self { id, kind })
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = &self.id;
        match self.kind {
            NoticeKind::Unknown => write!(
                f,
                "{id} is not in the catalogue of models (as of {}): its limits, prices and cache \
                 minimum are unknown",
                crate::AS_OF
            ),
            NoticeKind::Retired(date) => write!(f, "{id} was retired on {date}"),
            NoticeKind::RetiresSoon(date, successor) => {
                write!(f, "{id} retires on {date}")?;
                match successor {
                    Some(successor) => write!(f, "; its vendor recommends {successor}"),
                    None => Ok(()),
                }
            }
            NoticeKind::Unguaranteed(date) => {
                write!(f, "{id} is guaranteed to answer only until {date}")
            }
        }
    }
}
