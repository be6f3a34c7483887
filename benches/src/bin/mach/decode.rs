//! The best 5 of 105,033 labels, by every kernel and by the plain decoder.

use crate::Result;
use hapax::{
    core::{
        hash::{BucketHash, BucketPlan},
        model::mach::{DecodeScratch, LabelDecoder},
        parameters::mach::Estimator,
        random::Stream,
        search::Top,
    },
    kernels,
};
use hapax_benches::process::cpu_seconds;

pub fn decode() -> Result<()> {
    let plan = BucketPlan {
        hash: BucketHash::Permutation,
        buckets: 32,
        repetitions: 25,
        labels: 105_033,
        seed: 42,
    };
    let decoder = LabelDecoder::new(plan.draw()?)?;
    let mut dice = Stream::new(1, 1);
    // Heads of a trained model are sure of some rows and not of others; one label is right.
    let queries: Vec<Vec<f32>> = (0..200)
        .map(|query| {
            let sharp = 1.0 + 6.0 * dice.unit();
            let label = dice.below(105_033) as usize;
            let codes = plan.evaluate(0).ok();
            let mut scores: Vec<f32> = (0..800).map(|_| dice.unit() as f32).collect();
            for head in 0..25 {
                if let Some(codes) = &codes
                    && dice.unit() < 0.3 + 0.003 * f64::from(query)
                {
                    scores[head * 32 + usize::from(codes.repetition(head)[label])] += sharp as f32;
                }
                let own = &mut scores[head * 32..(head + 1) * 32];
                own.iter_mut().for_each(|s| *s = s.exp());
                let total: f32 = own.iter().sum();
                own.iter_mut().for_each(|s| *s /= total);
            }
            scores
        })
        .collect();
    let mut top = Top::default();
    let mut scratch = DecodeScratch::default();
    let time = |run: &mut dyn FnMut(&[f32])| {
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = cpu_seconds();
            (0..5).for_each(|_| queries.iter().for_each(|query| run(query)));
            best = best.min((cpu_seconds() - start) * 1e6 / (5 * queries.len()) as f64);
        }
        best
    };
    let plain = time(&mut |query| decoder.plain(query, 5, Estimator::Mean, &mut top));
    println!("plain decoder: {plain:.0} us");
    for kernels in kernels::available() {
        let mut scored = 0;
        let fast = time(&mut |query| {
            decoder.best(query, 5, Estimator::Mean, kernels, &mut scratch, &mut top);
            scored += scratch.scored;
        });
        let scored = scored / (15 * queries.len());
        println!(
            "{}: {fast:.0} us, {:.1} times faster, {scored} labels scored exactly",
            kernels.name(),
            plain / fast
        );
    }
    Ok(())
}
