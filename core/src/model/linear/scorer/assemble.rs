//! From weights to a scorer: labels renumbered, each feature's weights shared out between head and
//! tails.

use super::{
    super::{
        LinearModel,
        build::{LabelWeights, Postings},
    },
    LinearScorer, PAGE,
    width::Heads,
};
use crate::kernels::{
    sums::{GROUP, HEAD_BLOCK, LabelBounds, pack},
    wide::WIDE,
};
use crate::parameters::RowTransform;
use crate::sparse::order::by_falling_count;
use alloc::{alloc::handle_alloc_error, collections::TryReserveError, vec::Vec};
use core::alloc::Layout;

/// Bytes of heads beyond which features have only tails.
const MOST_HEADS: usize = 1 << 30;

/// A weight and the number of its label.
type Numbered = (u32, i16);

impl LinearScorer {
    /// Makes a model ready.
    ///
    /// Cost: about 20 ns a weight; besides the scorer, memory for the weights of one feature and 4
    /// bytes a label.
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn new(model: &LinearModel) -> Result<Self, TryReserveError> {
        let labels = model.labels() as usize;
        let mut counts = filled(labels, 0u32)?;
        for feature in 0..model.features() {
            let each: &mut dyn FnMut(u32, i16) = &mut |label, _| counts[label as usize] += 1;
            model.visit(feature, each);
        }
        let order = order(&counts)?;
        let weighted = order.partition_point(|&id| counts[id as usize] > 0);
        drop(counts);
        let scales = collected(order.iter().map(|&id| model.parts().scales[id as usize]))?;
        let biases = collected(order.iter().map(|&id| model.bias(id)))?;
        let nonzeros = model.nonzeros();
        let order = (order, weighted);
        let heads = Heads::new(model.parts().bits == WIDE);
        let empty = Self::empty(model.parts().transform, order, (scales, biases), heads)?;
        empty.filled(
            model.features() as usize,
            nonzeros,
            |numbers, feature, weights| {
                weights.try_reserve(model.count(feature))?;
                let each: &mut dyn FnMut(u32, i16) = &mut |label, weight| {
                    weights.push((numbers[label as usize], weight));
                };
                model.visit(feature, each);
                weights.sort_unstable_by_key(|&(number, _)| number);
                Ok(())
            },
        )
    }

    /// Makes weights by label ready, which have 8 bits or less; of each feature the `most` largest
    /// in size, so that a row of v values costs at most v times that many, however many labels
    /// there are. Weights of features that are not below `features` are left out.
    ///
    /// # Panics
    /// Without memory, as collections do.
    #[must_use]
    pub(crate) fn from_weights(
        labels: &[LabelWeights],
        features: usize,
        transform: RowTransform,
        most: usize,
    ) -> Self {
        let assemble = || {
            let of = |id: u32| &labels[id as usize];
            let counts = labels.iter().map(|label| label.features.len() as u32);
            let order = order(&collected(counts)?)?;
            let scales = collected(order.iter().map(|&id| of(id).scale))?;
            let mut postings = Postings::transpose(labels, &order, 0..features);
            postings.keep_largest(most, &scales);
            let biases = collected(order.iter().map(|&id| bias(of(id))))?;
            let weighted = order.partition_point(|&id| !of(id).features.is_empty());
            let (order, heads) = ((order, weighted), Heads::new(false));
            let empty = Self::empty(transform, order, (scales, biases), heads)?;
            empty.filled(features, postings.labels.len(), |_, feature, weights| {
                let (ids, values) = postings.feature(feature as usize);
                weights.try_reserve(ids.len())?;
                weights.extend(ids.iter().copied().zip(values.iter().copied()));
                Ok(())
            })
        };
        let made: Result<Self, TryReserveError> = assemble();
        made.unwrap_or_else(|_| handle_alloc_error(Layout::new::<Self>()))
    }

    /// A scorer without weights for labels in an order in which those that are to have weights come
    /// first, so many.
    fn empty(
        transform: RowTransform,
        (order, weighted): (Vec<u32>, usize),
        (scales, biases): (Vec<f32>, Vec<f32>),
        heads: Heads,
    ) -> Result<Self, TryReserveError> {
        let largest = |values: &[f32]| values.iter().copied().fold(f32::MIN, f32::max);
        let of = |values: &[f32], each: usize| collected(values.chunks(each).map(largest));
        let bounds = LabelBounds {
            scales: of(&scales, HEAD_BLOCK)?,
            biases: of(&biases, HEAD_BLOCK)?,
            group_scales: of(&scales, GROUP * HEAD_BLOCK)?,
            group_biases: of(&biases, GROUP * HEAD_BLOCK)?,
        };
        Ok(Self {
            weighted,
            silent: largest(&biases[weighted..]),
            transform,
            features: 0,
            numbers: inverse(&order)?,
            order,
            scales,
            biases,
            bounds,
            heads,
            head_parts: Vec::new(),
            tails: Vec::new(),
            tail_offsets: Vec::new(),
        })
    }

    /// Takes in the weights of each feature: `weights_of`, told the labels' numbers, appends them
    /// by rising number, `nonzeros` in all.
    fn filled(
        mut self,
        features: usize,
        nonzeros: usize,
        mut weights_of: impl FnMut(&[u32], u32, &mut Vec<Numbered>) -> Result<(), TryReserveError>,
    ) -> Result<Self, TryReserveError> {
        let pages = self.order.len().div_ceil(PAGE);
        self.features = features as u32;
        self.head_parts.try_reserve_exact(features)?;
        self.tail_offsets
            .try_reserve_exact(pages.saturating_mul(features) + 1)?;
        self.tails.try_reserve_exact(nonzeros)?;
        let mut weights = Vec::new();
        for feature in 0..features {
            weights.clear();
            weights_of(&self.numbers, feature as u32, &mut weights)?;
            let head = self.push_head(&weights)?;
            self.push_tails(pages, head, &weights);
        }
        self.tail_offsets.push(self.tails.len() as u32);
        self.tails.shrink_to_fit();
        self.heads.shrink();
        Ok(self)
    }

    /// Returns how many labels the head holds.
    fn push_head(&mut self, weights: &[Numbered]) -> Result<usize, TryReserveError> {
        let start = self.heads.len();
        let length = if start < MOST_HEADS {
            head_length(weights, self.heads.cost())
        } else {
            0
        };
        self.head_parts.push((start as u32, length as u32));
        self.heads.push(weights, length)?;
        Ok(length)
    }

    /// The tails of the next feature, which begin behind its head. Room for all weights is
    /// reserved.
    fn push_tails(&mut self, pages: usize, head: usize, weights: &[Numbered]) {
        let behind = weights.partition_point(|&(number, _)| (number as usize) < head);
        let mut left = weights[behind..].iter().peekable();
        for page in 0..pages {
            self.tail_offsets.push(self.tails.len() as u32);
            let end = (page + 1) * PAGE;
            while let Some(&(number, weight)) = left.next_if(|w| (w.0 as usize) < end) {
                self.tails.push(pack(number as u16, weight));
            }
        }
    }
}

fn filled<T: Clone>(length: usize, value: T) -> Result<Vec<T>, TryReserveError> {
    let mut values = Vec::new();
    values.try_reserve_exact(length)?;
    values.resize(length, value);
    Ok(values)
}

fn collected<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, TryReserveError> {
    let mut made = Vec::new();
    made.try_reserve_exact(values.len())?;
    made.extend(values);
    Ok(made)
}

/// Label ids by falling number of weights.
fn order(weights: &[u32]) -> Result<Vec<u32>, TryReserveError> {
    let mut order = collected((0..weights.len()).map(|id| id as u32))?;
    by_falling_count(&mut order, weights);
    Ok(order)
}

/// The number of each label.
fn inverse(order: &[u32]) -> Result<Vec<u32>, TryReserveError> {
    let mut numbers = filled(order.len(), 0)?;
    for (number, &label) in (0..).zip(order) {
        numbers[label as usize] = number;
    }
    Ok(numbers)
}

fn bias(label: &LabelWeights) -> f32 {
    if label.scale == 0.0 {
        f32::MIN
    } else {
        label.bias
    }
}

/// How many labels of a feature the head holds: a multiple of 64 that saves most against a tail
/// alone. A head's length is at most 16 times its weights.
fn head_length(weights: &[Numbered], cost: usize) -> usize {
    let (mut best, mut most) = (0, 0isize);
    for (before, &(number, _)) in weights.iter().enumerate() {
        if number as usize >= PAGE {
            break;
        }
        let length = (number as usize + 1).next_multiple_of(HEAD_BLOCK);
        let saved = (before + 1) as isize - (length / HEAD_BLOCK * cost) as isize;
        if saved > most {
            (best, most) = (length, saved);
        }
    }
    best
}
