//! Amounts that can be added to each other are also summed up.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use crate::{Cost, TokenEstimate, Usage};

macro_rules! sums {
    ($($amount:ty),*) => {$(
        impl AddAssign for $amount {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl Sum for $amount {
            fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
                amounts.fold(Self::default(), Add::add)
            }
        }
    )*};
}

sums!(Cost, TokenEstimate, Usage);
