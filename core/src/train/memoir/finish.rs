//! From trained weights to those of the model: norms, pruning, rounding.

use super::{parameters::Memoir, weights::Weights};
use crate::{float, model::linear::build::LabelWeights};
use alloc::{vec, vec::Vec};

/// The weights of each class, divided by their length to the power asked for, pruned and rounded. Classes
/// without rows count as unseen.
pub(super) fn label_weights(
    lists: &Weights,
    seen: &[u32],
    features: u32,
    parameters: &Memoir,
) -> Vec<LabelWeights> {
    let classes = lists.classes();
    let mut starts = vec![0usize; classes + 2];
    lists.visit(|_, class, _| starts[class as usize + 2] += 1);
    for at in 2..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut all = vec![(0u32, 0f32); starts[classes + 1]];
    lists.visit(|feature, class, weight| {
        let place = &mut starts[class as usize + 1];
        all[*place] = (feature, weight);
        *place += 1;
    });
    let mut made = vec![LabelWeights::unseen(); classes];
    for &class in seen {
        let own = &all[starts[class as usize]..starts[class as usize + 1]];
        made[class as usize] = of_class(own, features, parameters);
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
