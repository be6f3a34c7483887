//! What differs between weights of bytes and weights of 16 bits: the type of a head's weights, that
//! of a label's sum, and the loops over them.

use super::PAGE;
use crate::kernels::{
    Kernels,
    sums::{HEAD_BLOCK, HeadTerm, LabelSum, TailTerm},
};
use alloc::{boxed::Box, collections::TryReserveError, vec, vec::Vec};

/// A weight of a head.
pub trait Weight: Copy {
    /// What weights add up to.
    type Sum: LabelSum;

    /// [`Kernels::add_heads`].
    fn add_heads(kernels: &dyn Kernels, sums: &mut [Self::Sum], heads: &[Self], terms: &[HeadTerm]);

    /// [`Kernels::add_tails`].
    fn add_tails(
        kernels: &dyn Kernels,
        sums: &mut [Self::Sum; PAGE],
        tails: &[u32],
        terms: &[TailTerm],
    );
}

/// What adding 64 labels of a head is taken to cost, in tail weights: an estimate, not a timing.
/// Speed and memory depend on it, results do not. Without vectors a head is worth nothing.
const HEAD_COST: usize = if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
    4
} else if cfg!(target_feature = "simd128") {
    7
} else {
    HEAD_BLOCK
};

/// The same of weights of 16 bits.
const WIDE_HEAD_COST: usize = if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
    8
} else if cfg!(target_feature = "simd128") {
    14
} else {
    HEAD_BLOCK
};

impl Weight for i8 {
    type Sum = i16;

    fn add_heads(kernels: &dyn Kernels, sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
        kernels.add_heads(sums, heads, terms);
    }

    fn add_tails(kernels: &dyn Kernels, sums: &mut [i16; PAGE], tails: &[u32], terms: &[TailTerm]) {
        kernels.add_tails(sums, tails, terms);
    }
}

impl Weight for i16 {
    type Sum = i32;

    fn add_heads(kernels: &dyn Kernels, sums: &mut [i32], heads: &[i16], terms: &[HeadTerm]) {
        kernels.add_wide_heads(sums, heads, terms);
    }

    fn add_tails(kernels: &dyn Kernels, sums: &mut [i32; PAGE], tails: &[u32], terms: &[TailTerm]) {
        kernels.add_wide_tails(sums, tails, terms);
    }
}

/// The heads of all features, one after the other.
#[derive(Clone, Debug)]
pub enum Heads {
    /// Of bytes.
    Bytes(Vec<i8>),
    /// Of 16 bits.
    Wide(Vec<i16>),
}

impl Heads {
    /// None yet.
    pub(crate) fn new(wide: bool) -> Self {
        if wide {
            Self::Wide(Vec::new())
        } else {
            Self::Bytes(Vec::new())
        }
    }

    /// How many weights they have.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(heads) => heads.len(),
            Self::Wide(heads) => heads.len(),
        }
    }

    /// What adding 64 labels of them costs, in tail weights.
    pub(crate) fn cost(&self) -> usize {
        match self {
            Self::Bytes(_) => HEAD_COST,
            Self::Wide(_) => WIDE_HEAD_COST,
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Bytes(heads) => heads.len(),
            Self::Wide(heads) => 2 * heads.len(),
        }
    }

    /// Appends a head of so many labels: weights by rising number, those beyond it left out.
    pub(crate) fn push(
        &mut self,
        weights: &[(u32, i16)],
        length: usize,
    ) -> Result<(), TryReserveError> {
        match self {
            Self::Bytes(heads) => push(heads, weights, length, |weight| weight as i8),
            Self::Wide(heads) => push(heads, weights, length, |weight| weight),
        }
    }

    /// Gives back memory that is not used.
    pub(crate) fn shrink(&mut self) {
        match self {
            Self::Bytes(heads) => heads.shrink_to_fit(),
            Self::Wide(heads) => heads.shrink_to_fit(),
        }
    }
}

fn push<T: Copy + Default>(
    heads: &mut Vec<T>,
    weights: &[(u32, i16)],
    length: usize,
    of: impl Fn(i16) -> T,
) -> Result<(), TryReserveError> {
    let start = heads.len();
    heads.try_reserve(length)?;
    heads.resize(start + length, T::default());
    let places = &mut heads[start..];
    for &(number, weight) in weights {
        match places.get_mut(number as usize) {
            Some(place) => *place = of(weight),
            None => break,
        }
    }
    Ok(())
}

/// A sum of 0 for each label of a page.
pub fn zeros<S: LabelSum>() -> Box<[S; PAGE]> {
    let sums = vec![S::default(); PAGE].into_boxed_slice().try_into();
    sums.unwrap_or_else(|_| Box::new([S::default(); PAGE]))
}
