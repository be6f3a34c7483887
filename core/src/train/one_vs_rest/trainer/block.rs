//! The memory in which sixteen labels are solved together.

use crate::{
    float,
    sparse::order,
    train::one_vs_rest::{
        label_block::{Block, LABELS},
        mining::RowsByLabel,
        packed_rows::{PackedRow, PackedRows},
    },
};
use alloc::{vec, vec::Vec};

/// Memory of one thread: 68 bytes a feature and 76 a row.
pub struct BlockScratch {
    /// Weights by feature: all 0 between blocks.
    pub weights: Vec<Block>,
    /// Duals by row: all 0 between blocks, as are the labels carried.
    pub duals: Vec<Block>,
    /// Biases.
    pub biases: Block,
    /// For each row a bit for each label that it carries, and `POOLED`.
    pub carried: Vec<u32>,
    /// The rows of the block, rising.
    pub rows: Vec<u32>,
    /// The same in the order in which they are visited.
    pub order: Vec<u32>,
    /// Weights worth keeping, with their features, by label.
    pub kept: [Vec<(u32, f32)>; LABELS],
    /// The sum of the rows of one label: all 0 between labels.
    sum: Vec<f32>,
}

impl BlockScratch {
    /// For so many features and rows; a block may have all rows.
    #[must_use]
    pub(crate) fn new(features: usize, rows: usize) -> Self {
        Self {
            weights: vec![[0.0; LABELS]; features],
            duals: vec![[0.0; LABELS]; rows],
            biases: [0.0; LABELS],
            carried: vec![0; rows],
            rows: Vec::new(),
            order: Vec::new(),
            kept: core::array::from_fn(|_| Vec::new()),
            sum: Vec::new(),
        }
    }

    /// Begins with labels, at most sixteen, whose rows `own` tells, on these rows: all biases are
    /// `bias`.
    pub(crate) fn begin(
        &mut self,
        own: &RowsByLabel,
        labels: impl Iterator<Item = usize>,
        bias: f32,
    ) {
        self.biases = [bias; LABELS];
        self.order.clear();
        self.order.extend_from_slice(&self.rows);
        for (at, label) in labels.enumerate() {
            for &row in own.of(label) {
                self.carried[row as usize] |= 1 << at;
            }
        }
    }

    /// Ends a block: sets its weights and duals to 0.
    pub(crate) fn end(&mut self) {
        self.weights.fill([0.0; LABELS]);
        self.forget_rows();
    }

    fn forget_rows(&mut self) {
        for &row in &self.rows {
            self.duals[row as usize] = [0.0; LABELS];
            self.carried[row as usize] = 0;
        }
    }

    /// Adds `times` the direction of the sum of `own` rows to the weights of the label at `at`.
    ///
    /// Cost: two passes over their values.
    pub(crate) fn add_centroid(&mut self, rows: &PackedRows, own: &[u32], at: usize, times: f64) {
        let sum = &mut self.sum;
        sum.resize(self.weights.len(), 0.0);
        let own = own.iter().map(|&row| rows.row(row as usize));
        for row in own.clone() {
            row.terms()
                .for_each(|(id, value)| sum[id as usize] += value);
        }
        let kept = &mut self.kept[0];
        kept.clear();
        let mut square = 0.0;
        for row in own {
            for (id, _) in row.terms() {
                let of = core::mem::take(&mut sum[id as usize]);
                if of != 0.0 {
                    square += f64::from(of) * f64::from(of);
                    kept.push((id, of));
                }
            }
        }
        if square > 0.0 {
            let share = (times / float::sqrt(square)) as f32;
            for &(id, of) in kept.iter() {
                self.weights[id as usize][at] += share * of;
            }
        }
    }

    /// Lists the weights larger than `prune` in size of the first `labels` labels in `kept`, by
    /// rising feature, and ends the block.
    ///
    /// Cost: the values of the block's rows, or D if that is less.
    pub(crate) fn take_above(&mut self, packed: &PackedRows, prune: f32, labels: usize) {
        let Self {
            weights,
            rows,
            kept,
            ..
        } = self;
        kept.iter_mut().for_each(Vec::clear);
        let mut take = |id: u32, of: &mut Block| {
            let any = |any, w: &f32| any | (w.abs() > prune);
            if of.iter().fold(false, any) {
                for (kept, &weight) in kept[..labels].iter_mut().zip(of.iter()) {
                    if weight.abs() > prune {
                        kept.push((id, weight));
                    }
                }
            }
            // A feature met again has no weights by then.
            *of = [0.0; LABELS];
        };
        let block_rows = || rows.iter().map(|&row| packed.row(row as usize));
        let values = block_rows().map(|row| 8 * row.groups.len() + row.rare.len());
        if values.sum::<usize>() > weights.len() {
            for (id, of) in (0u32..).zip(weights.iter_mut()) {
                take(id, of);
            }
        } else {
            for (id, _) in block_rows().flat_map(PackedRow::terms) {
                take(id, &mut weights[id as usize]);
            }
            kept.iter_mut().for_each(|kept| order::by_id(kept));
        }
        self.forget_rows();
    }
}
