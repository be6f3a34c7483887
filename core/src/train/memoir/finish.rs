//! From trained weights to the model: norms, pruning, rounding.
//!
//! Weights that stand by feature become the model's records one feature after the other, each list
//! given back once it is read, since the weights are most of what training holds: beside them stand
//! the records so far, of fewer bytes than the lists given back, and 20 bytes a class. What a
//! class's weights are divided by and rounded to follows from a pass before. Weights that stand by
//! class are rounded class by class.

use super::{
    class_rows::ClassRows,
    feature_lists::FeatureLists,
    weights::{Storage, Weights},
};
use crate::parameters::memoir::Memoir;
use crate::{
    float,
    model::linear::{
        LinearModel,
        build::{LabelWeights, Records, TooManyWeights, build},
        levels::Levels,
    },
};
use alloc::{vec, vec::Vec};

/// The model over `features` features: the weights of each class divided by their length to the
/// power asked for, pruned and rounded. Classes that are not among `seen`, rising, count as never
/// seen.
pub(super) fn model(
    weights: Weights,
    seen: &[u32],
    features: u32,
    parameters: &Memoir,
) -> Result<LinearModel, TooManyWeights> {
    match weights.0 {
        Storage::Features(lists) => by_feature(lists, seen, features, parameters),
        Storage::Classes(rows) => by_class(rows, seen, features, parameters),
    }
}

/// What is to be known of a class's weights before any of them can be rounded.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    square: f64,
    /// The largest in size, that of the constant feature included, and without it.
    largest: f32,
    largest_stored: f32,
    constant: f32,
}

impl Extent {
    fn count(&mut self, weight: f32, constant: bool) {
        self.square += f64::from(weight) * f64::from(weight);
        self.largest = self.largest.max(weight.abs());
        if constant {
            self.constant = weight;
        } else {
            self.largest_stored = self.largest_stored.max(weight.abs());
        }
    }

    fn rounding(&self, parameters: &Memoir) -> Rounding {
        let length = float::power(float::sqrt(self.square), parameters.norm_power);
        let factor = if length > 0.0 {
            (1.0 / length) as f32
        } else {
            1.0
        };
        let least = parameters.prune * self.largest;
        let kept = self.largest_stored > least;
        let levels = kept.then(|| Levels::new(self.largest_stored * factor, parameters.bits));
        Rounding {
            factor,
            least,
            levels: levels.flatten(),
            bias: self.constant * factor * parameters.bias as f32,
        }
    }
}

/// How the weights of a class are stored.
#[derive(Clone, Copy, Debug)]
struct Rounding {
    factor: f32,
    /// Weights up to this size are left out.
    least: f32,
    levels: Option<Levels>,
    bias: f32,
}

impl Rounding {
    fn scale(&self) -> f32 {
        self.levels.map_or(Levels::NO_WEIGHT, Levels::scale)
    }

    /// A weight as it is stored; 0 where it is left out.
    fn of(&self, weight: f32) -> i16 {
        match self.levels {
            Some(levels) if weight.abs() > self.least => levels.of(weight * self.factor),
            _ => 0,
        }
    }
}

fn by_feature(
    mut lists: FeatureLists,
    seen: &[u32],
    features: u32,
    parameters: &Memoir,
) -> Result<LinearModel, TooManyWeights> {
    let classes = lists.classes();
    let mut extents = vec![Extent::default(); classes];
    lists.visit(|feature, class, weight| {
        extents[class as usize].count(weight, feature == features);
    });
    let mut rounding: Vec<Option<Rounding>> = vec![None; classes];
    for &class in seen {
        let class = class as usize;
        rounding[class] = Some(extents[class].rounding(parameters));
    }
    drop(extents);
    let mut written = Records::new(features as usize, parameters.bits);
    let mut stored: Vec<(u32, i16)> = Vec::new();
    for feature in 0..features {
        stored.clear();
        lists.take(feature, |class, weight| {
            let level = rounding[class as usize].map_or(0, |own| own.of(weight));
            if level != 0 {
                stored.push((class, level));
            }
        });
        // A class stands once in a list.
        stored.sort_unstable_by_key(|&(class, _)| class);
        written.push(stored.iter().copied())?;
    }
    let number = |of: fn(&Rounding) -> f32| {
        let numbers = rounding.iter().map(|own| own.as_ref().map_or(0.0, of));
        numbers.collect()
    };
    let (scales, biases) = (number(Rounding::scale), number(|own| own.bias));
    Ok(written.model(scales, biases, parameters.transform()))
}

fn by_class(
    mut rows: ClassRows,
    seen: &[u32],
    features: u32,
    parameters: &Memoir,
) -> Result<LinearModel, TooManyWeights> {
    let mut made = vec![LabelWeights::unseen(); rows.classes()];
    for &class in seen {
        made[class as usize] = of_class(&rows.take(class), features, parameters);
    }
    drop(rows);
    let transform = parameters.transform();
    build(&made, features as usize, transform, parameters.bits)
}

/// The weights of one class, its features rising, rounded.
fn of_class(weights: &[(u32, f32)], features: u32, parameters: &Memoir) -> LabelWeights {
    let mut extent = Extent::default();
    for &(feature, weight) in weights {
        extent.count(weight, feature == features);
    }
    let rounding = extent.rounding(parameters);
    let levels = weights
        .iter()
        .filter(|(feature, _)| *feature != features)
        .map(|&(feature, weight)| (feature, rounding.of(weight)))
        .filter(|(_, level)| *level != 0);
    let (features, weights) = levels.unzip();
    LabelWeights {
        features,
        weights,
        scale: rounding.scale(),
        bias: rounding.bias,
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        executor::Sequential,
        float,
        model::linear::{
            LinearModel,
            build::{LabelWeights, build},
        },
        parameters::memoir::{Average, Length, Memoir, MemoirDraws, Oracle, Silent},
        train::{
            Training,
            memoir::{tests::data, trainer::MemoirTrainer},
        },
    };
    use alloc::{vec, vec::Vec};

    /// The same without passes over features: the weights of all classes side by side, each class
    /// divided, pruned and rounded for itself.
    fn twin(trainer: &MemoirTrainer<'_>) -> LinearModel {
        let parameters = &trainer.parameters;
        let features = trainer.data.rows().features();
        let mut classes = vec![Vec::new(); trainer.weights.classes()];
        trainer.weights.visit(|feature, class, weight| {
            classes[class as usize].push((feature, weight));
        });
        let rounded: Vec<LabelWeights> = (0..)
            .zip(classes)
            .map(|(class, weights)| {
                if !trainer.seen.contains(&class) {
                    return LabelWeights::unseen();
                }
                let squares = weights.iter().map(|&(_, w)| f64::from(w) * f64::from(w));
                let length = float::power(float::sqrt(squares.sum()), parameters.norm_power);
                let factor = if length > 0.0 { 1.0 / length } else { 1.0 } as f32;
                let largest = weights.iter().fold(0f32, |most, (_, w)| most.max(w.abs()));
                let (mut bias, mut kept) = (0.0, Vec::new());
                for (feature, weight) in weights {
                    if feature == features {
                        bias = weight * factor * parameters.bias as f32;
                    } else if weight.abs() > parameters.prune * largest {
                        kept.push((feature, weight * factor));
                    }
                }
                LabelWeights::round(&kept, bias, parameters.bits)
            })
            .collect();
        let transform = parameters.transform();
        build(&rounded, features as usize, transform, parameters.bits).unwrap()
    }

    #[test]
    fn models_written_from_lists_are_those_of_classes_side_by_side() {
        let data = data(400);
        let base = Memoir {
            length: Length::Epochs(3),
            silent: Silent::Random,
            ..Memoir::automatic(&data)
        };
        let l1 = base.clone().with_l1(12);
        let with = |bias, prune, bits, norm_power| Memoir {
            bias,
            prune,
            bits,
            norm_power,
            ..base.clone()
        };
        let ways = [
            base.clone(),
            with(0.5, 0.0, 8, 1.0),
            with(1.0, 0.3, 5, 0.25),
            with(0.0, 1.0, 8, 0.0),
            Memoir {
                prune: 0.1,
                bias: 0.5,
                ..l1
            },
            Memoir {
                average: Average::Last,
                draws: MemoirDraws::Balanced,
                ..with(0.5, 0.05, 6, 0.5)
            },
            Memoir {
                length: Length::Iterations(1),
                ..base.clone()
            },
        ];
        for way in ways {
            for oracle in [
                Oracle::Exhaustive,
                Oracle::SignCodes {
                    words: 1,
                    candidates: 8,
                },
            ] {
                let way = Memoir {
                    oracle,
                    ..way.clone()
                };
                let mut trainer = way.trainer(&data).unwrap();
                while trainer.step(&Sequential).is_some() {}
                let expected = twin(&trainer);
                let model = trainer.finish(&Sequential).unwrap();
                assert!(model.parts() == expected.parts(), "{way:?}");
            }
        }
    }
}
