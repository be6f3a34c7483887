//! MemoirSteps of one row with one violator against Pegasos for many classes.

use super::{
    super::{draws::Sequence, state::LEAST_SCALE, training_rows::TrainingRows},
    CLASSES, FEATURES, data,
};
use crate::parameters::memoir::{
    Average, Length, Memoir, MemoirDraws, MemoirSteps as Sizes, Silent,
};
use crate::train::Training;
use crate::{data::Dataset, executor::Sequential, float, random::Stream};
use alloc::{vec, vec::Vec};

/// Multiplies a small scale into the weights.
fn fold(v: &mut [f32], scale: &mut f64, square: &mut f64) {
    if *scale < LEAST_SCALE {
        v.iter_mut().for_each(|w| *w *= *scale as f32);
        *square = v.iter().map(|w| f64::from(*w) * f64::from(*w)).sum();
        *scale = 1.0;
    }
}

/// Pegasos for many classes, dense, with the lazy scale of the sparse weights.
fn pegasos(data: &Dataset, parameters: &Memoir) -> (Vec<f32>, f64) {
    let lambda = parameters.lambda;
    let mut draws =
        Sequence::new(data, parameters.draws, parameters.several, parameters.seed).unwrap();
    let rows = TrainingRows::new(data, parameters).unwrap();
    let mut v = vec![0f32; CLASSES * FEATURES];
    let (mut scale, mut square) = (1.0, 0.0);
    let Length::Iterations(total) = parameters.length else {
        unreachable!("the test says how many")
    };
    for t in 1..=total {
        let pair = draws.draw();
        let mut x = Vec::new();
        rows.terms(pair.row, &mut x);
        let score = |class: usize| {
            let products = x
                .iter()
                .map(|&(f, value)| v[class * FEATURES + f as usize] * value);
            products.fold(0f32, |sum, product| sum + product)
        };
        let own = pair.class as usize;
        // Class 11 has no rows and is none.
        let wrong = (0..CLASSES - 1).filter(|&class| class != own);
        let best = wrong.clone().map(score).fold(f32::MIN, f32::max);
        let mut random = Stream::new(parameters.seed, (1 << 61) + t);
        let violator = if best == 0.0 {
            let start = random.below(CLASSES as u64 - 1) as usize;
            let round = (0..CLASSES - 1).map(|at| (start + at) % (CLASSES - 1));
            round
                .clone()
                .find(|&class| class != own && score(class) == 0.0)
                .unwrap()
        } else {
            wrong.clone().find(|&class| score(class) == best).unwrap()
        };
        let slack = 1.0 + scale * (f64::from(score(violator)) - f64::from(score(own)));
        let eta = 1.0 / (lambda * t as f64);
        scale *= 1.0 - lambda * eta;
        if t == 1 {
            (scale, square) = (1.0, 0.0);
        }
        fold(&mut v, &mut scale, &mut square);
        if slack > 0.0 {
            let amount = (eta * (1.0 / scale)) as f32;
            let mut added = 0.0;
            // Feature by feature, as the length of all weights is summed.
            for &(f, value) in &x {
                let mut both = 0.0;
                for (class, amount) in [(own, amount), (violator, -amount)] {
                    let weight = &mut v[class * FEATURES + f as usize];
                    let old = f64::from(*weight);
                    *weight += amount * value;
                    both += f64::from(*weight) * f64::from(*weight) - old * old;
                }
                added += both;
            }
            square += added;
        }
        let length = float::sqrt(scale * scale * square);
        let radius = 1.0 / float::sqrt(lambda);
        if length > radius {
            scale *= radius / length;
        }
        fold(&mut v, &mut scale, &mut square);
    }
    (v, scale)
}

#[test]
fn one_row_one_violator_and_the_theorys_steps_are_pegasos_bit_for_bit() {
    let data = data(300);
    for lambda in [0.05, 0.002] {
        let parameters = Memoir {
            lambda,
            steps: Sizes::InverseLambda,
            length: Length::Iterations(5_000),
            draws: MemoirDraws::Uniform,
            violators: 1,
            silent: Silent::Random,
            create: 0.0,
            average: Average::Last,
            ..Memoir::default()
        };
        let mut trainer = parameters.trainer(&data).unwrap();
        while trainer.step(&Sequential).is_some() {}
        let (v, scale) = pegasos(&data, &parameters);
        let mut found = 0;
        trainer.weights().visit(|feature, class, weight| {
            let twin = f64::from(v[class as usize * FEATURES + feature as usize]) * scale;
            assert_eq!(
                weight.to_bits(),
                (twin as f32).to_bits(),
                "{feature} {class}"
            );
            found += usize::from(weight != 0.0);
        });
        assert_eq!(found, v.iter().filter(|w| **w != 0.0).count());
        assert!(found > 300);
    }
}
