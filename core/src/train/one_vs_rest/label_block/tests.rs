//! Sixteen labels at once beside one at a time.

use super::{
    Block, BlockRows, BlockSweep, LABELS, Met, POOLED, block_losses, block_squares, rebuild_block,
};
use crate::{
    parameters::one_vs_rest::{Bias, Loss, OneVsRest},
    random::Stream,
    train::one_vs_rest::packed_rows::PackedRows,
};
use alloc::{vec, vec::Vec};
use hapax_processor::Processor;

/// Below and above the features that a group can name.
const FEATURES: usize = (1 << 16) + 400;
const ROWS: usize = 70;

fn rows() -> PackedRows {
    let mut stream = Stream::new(6, 0);
    let mut rows = PackedRows::default();
    for row in 0..ROWS {
        let ids = (0..row % 11).map(|at| match at % 3 {
            0 => at as u32,
            1 => 100 + stream.below(40) as u32,
            _ => (1 << 16) + stream.below(400) as u32,
        });
        let mut ids: Vec<u32> = ids.collect();
        ids.sort_unstable();
        ids.dedup();
        let mut terms = ids
            .iter()
            .map(|&id| (id, 1.0 - stream.unit() as f32))
            .collect();
        rows.push(&mut terms, usize::MAX);
    }
    rows
}

/// Whether squares grew by what was told.
fn grew(told: Block, before: Block<f64>, after: Block<f64>) {
    for label in 0..LABELS {
        let apart = f64::from(told[label]) - (after[label] - before[label]);
        assert!(apart.abs() < 1e-4 * after[label].max(1.0), "{apart}");
    }
}

/// One label at a time, in f64, by the definitions: weights, bias and both objectives after the
/// sweeps.
fn one_label(
    rows: &PackedRows,
    parameters: &OneVsRest,
    orders: &[Vec<u32>],
    carries: impl Fn(usize) -> bool,
    times: f64,
) -> (Vec<f64>, f64, f64, f64) {
    let (fixed, constant) = match parameters.bias {
        Bias::Fixed(value) => (value, 0.0),
        Bias::Learned(value) => (0.0, value),
    };
    let side = |row: usize| {
        let carried = carries(row);
        let weight = match (carried, row.is_multiple_of(3)) {
            (true, _) => parameters.positive_weight,
            (false, true) => times,
            _ => 1.0,
        };
        let cost = parameters.cost * weight;
        (if carried { 1.0 } else { -1.0 }, cost)
    };
    let (mut weights, mut last) = (vec![0f64; FEATURES], 0.0);
    let mut duals = [0f64; ROWS];
    let margin = |weights: &[f64], last: f64, row: usize| {
        let row_of = rows.row(row);
        let products = row_of
            .terms()
            .map(|(id, value)| weights[id as usize] * f64::from(value));
        side(row).0 * (products.sum::<f64>() + fixed + constant * last)
    };
    for &row in orders.iter().flatten() {
        let row = row as usize;
        let (sign, cost) = side(row);
        let (diagonal, bound) = match parameters.loss {
            Loss::SquaredHinge => (0.5 / cost, f64::INFINITY),
            Loss::Hinge => (0.0, cost),
        };
        let gradient = margin(&weights, last, row) - 1.0 + diagonal * duals[row];
        let curvature = rows.square(row) + constant * constant + diagonal;
        let best = if curvature > 0.0 {
            duals[row] - gradient / curvature
        } else if gradient < 0.0 {
            bound
        } else {
            0.0
        };
        let step = sign * (best.clamp(0.0, bound) - duals[row]);
        duals[row] = best.clamp(0.0, bound);
        for (id, value) in rows.row(row).terms() {
            weights[id as usize] += step * f64::from(value);
        }
        last += step * constant;
    }
    let half = 0.5 * (weights.iter().map(|w| w * w).sum::<f64>() + last * last);
    let (mut primal, mut dual) = (half, -half);
    for (row, &of_row) in duals.iter().enumerate() {
        let (sign, cost) = side(row);
        let short = (1.0 - margin(&weights, last, row)).max(0.0);
        let (loss, less) = match parameters.loss {
            Loss::SquaredHinge => (short * short, of_row * of_row / (4.0 * cost)),
            Loss::Hinge => (short, 0.0),
        };
        primal += cost * loss;
        dual += of_row * (1.0 - sign * fixed) - less;
    }
    (weights, fixed + constant * last, primal, dual)
}

fn carries(label: usize, row: usize) -> bool {
    row % (label + 2) == 1
}

/// For each row a bit for each label that it carries.
fn carried() -> Vec<u32> {
    let bits = |row: usize| (0..LABELS).map(move |label| u32::from(carries(label, row)) << label);
    (0..ROWS).map(|row| bits(row).sum()).collect()
}

#[test]
fn labels_side_by_side_are_labels_one_by_one() {
    let (rows, carried) = (rows(), carried());
    let mut stream = Stream::new(1, 1);
    let mut orders = vec![(0..ROWS as u32).collect::<Vec<_>>(); 5];
    orders.iter_mut().for_each(|order| stream.shuffle(order));
    // Every third row stands for several.
    let carried: Vec<u32> = (carried.into_iter().enumerate())
        .map(|(row, labels)| {
            if row.is_multiple_of(3) {
                labels | POOLED
            } else {
                labels
            }
        })
        .collect();
    let both = [Loss::Hinge, Loss::SquaredHinge];
    for (loss, times) in both.map(|loss| [(loss, 1.0), (loss, 6.0)]).concat() {
        for bias in [Bias::Fixed(-1.0), Bias::Learned(0.5)] {
            let parameters = OneVsRest {
                loss,
                bias,
                cost: 0.7,
                positive_weight: 2.0,
                ..OneVsRest::default()
            };
            let (fixed, constant) = match bias {
                Bias::Fixed(value) => (value, 0.0),
                Bias::Learned(value) => (0.0, value),
            };
            let of = BlockRows {
                times: times as f32,
                ..BlockRows::new(&parameters, &rows, &carried)
            };
            let mut weights = vec![[0f32; LABELS]; FEATURES];
            let (mut duals, mut biases) = (vec![[0f32; LABELS]; ROWS], [fixed as f32; LABELS]);
            let mut gaps: Block = [0.0; LABELS];
            for order in &orders {
                let mut visited = order.clone();
                let before = block_squares(&weights);
                let met = Processor::portable().run(BlockSweep {
                    of: of.clone(),
                    order: &mut visited,
                    settled: [-1.0; LABELS],
                    weights: &mut weights,
                    duals: &mut duals,
                    biases: &mut biases,
                    bias_feature: constant as f32,
                });
                gaps = met.gaps;
                assert!(met.open == ROWS && visited == *order);
                assert_eq!(met.settled_losses, [0.0; LABELS]);
                grew(met.growth, before, block_squares(&weights));
            }
            let losses = block_losses(&of, &weights, &biases);
            let squares = block_squares(&weights);
            let mut exact = vec![[0f64; LABELS]; FEATURES];
            let found = rebuild_block(&of, &duals, &mut exact);
            for label in 0..LABELS {
                let (expected, bias, primal, dual) = one_label(
                    &rows,
                    &parameters,
                    &orders,
                    |row| carries(label, row),
                    times,
                );
                for (feature, weight) in expected.iter().enumerate() {
                    assert!((f64::from(weights[feature][label]) - weight).abs() < 1e-5);
                    assert!((exact[feature][label] - weight).abs() < 1e-5);
                }
                assert!((f64::from(biases[label]) - bias).abs() < 1e-5);
                let last = found.sums[label] * constant;
                let square = squares[label] + last * last;
                assert!((0.5 * square + losses[label] - primal).abs() < 1e-4 * primal);
                let gain = found.gains[label] - fixed * found.sums[label];
                assert!((gain - 0.5 * square - dual).abs() < 1e-4 * primal);
                assert!(gaps[label] >= 0.0 && primal > dual);
            }
        }
    }
}

/// What sweeps move.
#[derive(Clone, Debug, PartialEq)]
struct State {
    weights: Vec<Block>,
    duals: Vec<Block>,
    biases: Block,
}

impl State {
    fn sweep(&mut self, of: &BlockRows<'_>, order: &mut [u32], settled: Block) -> Met {
        Processor::portable().run(BlockSweep {
            of: of.clone(),
            order,
            settled,
            weights: &mut self.weights,
            duals: &mut self.duals,
            biases: &mut self.biases,
            bias_feature: 1.0,
        })
    }
}

#[test]
fn settled_rows_leave_the_order_and_keep_their_duals() {
    let (rows, carried) = (rows(), carried());
    for loss in [Loss::Hinge, Loss::SquaredHinge] {
        let parameters = OneVsRest {
            loss,
            ..OneVsRest::default()
        };
        let of = BlockRows::new(&parameters, &rows, &carried);
        let mut order: Vec<u32> = (0..ROWS as u32).rev().collect();
        let mut state = State {
            weights: vec![[0.0; LABELS]; FEATURES],
            duals: vec![[0.0; LABELS]; ROWS],
            biases: [0.0; LABELS],
        };
        for _ in 0..6 {
            state.sweep(&of, &mut order, [-1.0; LABELS]);
        }
        // What settles a row differs from label to label.
        let settled: Block = core::array::from_fn(|label| 1e-2 * (1 + label) as f32);
        // The twin: sweeps over one row each, of which none settles.
        let (mut twin, mut left, mut losses) = (state.clone(), Vec::new(), [0f32; LABELS]);
        for &row in &order {
            let met = twin.sweep(&of, &mut [row], [-1.0; LABELS]);
            if (0..LABELS).any(|label| met.gaps[label] > settled[label]) {
                left.push(row);
            } else {
                (0..LABELS).for_each(|label| losses[label] += met.losses[label]);
            }
        }
        let before = block_squares(&state.weights);
        let met = state.sweep(&of, &mut order, settled);
        assert!(state == twin, "rows that settle are visited once more");
        assert_eq!(order[..met.open], left);
        assert!((5..ROWS - 5).contains(&met.open), "{}", met.open);
        assert_eq!(met.settled_losses, losses);
        assert!(losses.iter().any(|&loss| loss > 0.0));
        grew(met.growth, before, block_squares(&state.weights));

        let (duals, before) = (state.duals.clone(), block_squares(&state.weights));
        let met = state.sweep(&of, &mut order[..left.len()], settled);
        let moved = |row: &usize| state.duals[*row] != duals[*row];
        let moved: Vec<usize> = (0..ROWS).filter(moved).collect();
        assert!(!moved.is_empty() && moved.iter().all(|&row| left.contains(&(row as u32))));
        grew(met.growth, before, block_squares(&state.weights));
    }
}
