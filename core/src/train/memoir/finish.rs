//! From trained weights to those of the model: norms, pruning, rounding.

use super::{parameters::Memoir, weights::Weights};
use crate::{float, model::linear::build::LabelWeights};
use alloc::{vec, vec::Vec};

/// The weights of so many parts of the classes are gathered one after the other.
const BLOCKS: usize = 8;

/// The weights of each class, divided by their length to the power asked for, pruned and rounded. Classes
/// without rows count as unseen.
pub(super) fn label_weights(
    lists: &Weights,
    seen: &[u32],
    features: u32,
    parameters: &Memoir,
) -> Vec<LabelWeights> {
    let classes = lists.classes();
    let mut made = vec![LabelWeights::unseen(); classes];
    let mut of_block = Vec::new();
    // Not all at once, which would hold all weights twice.
    for start in (0..classes).step_by(classes.div_ceil(BLOCKS).max(1)) {
        let block = start..(start + classes.div_ceil(BLOCKS)).min(classes);
        of_block.clear();
        of_block.resize(block.len(), Vec::new());
        lists.visit(|feature, class, weight| {
            if block.contains(&(class as usize)) {
                of_block[class as usize - start].push((feature, weight));
            }
        });
        let first = seen.partition_point(|&class| (class as usize) < start);
        let own = seen[first..]
            .iter()
            .take_while(|&&class| block.contains(&(class as usize)));
        for &class in own {
            let weights = &of_block[class as usize - start];
            made[class as usize] = of_class(weights, features, parameters);
        }
    }
    made
}

fn of_class(weights: &[(u32, f32)], features: u32, parameters: &Memoir) -> LabelWeights {
    let square: f64 = weights
        .iter()
        .map(|(_, w)| f64::from(*w) * f64::from(*w))
        .sum();
    let length = float::power(float::sqrt(square), parameters.norm_power);
    let factor = if length > 0.0 {
        (1.0 / length) as f32
    } else {
        1.0
    };
    let largest = weights.iter().map(|(_, w)| w.abs()).fold(0f32, f32::max);
    let least = parameters.prune * largest;
    let (mut kept, mut bias) = (Vec::new(), 0.0);
    for &(feature, weight) in weights {
        if feature == features {
            bias = weight * factor * parameters.bias as f32;
        } else if weight.abs() > least {
            kept.push((feature, weight * factor));
        }
    }
    LabelWeights::round(&kept, bias, parameters.bits)
}
