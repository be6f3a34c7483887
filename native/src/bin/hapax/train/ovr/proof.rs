//! `hapax train ovr --negatives all --gap`: all labels together solved to a proven gap.

use super::{
    super::{
        super::{failure::Failure, progress::Progress, resources::Stopwatch, table::count},
        Training,
        finish::{Made, Told},
    },
    TrainOvr,
};
use hapax::{
    core::executor::Executor,
    core::{model::Model, parameters::OneVsRest, train::Trained},
    kernels,
};

/// Trains every label to a gap and tells the proof.
pub fn run_to_gap(
    train: &TrainOvr,
    gap: f64,
    parameters: &OneVsRest,
    training: Training,
    watch: &Stopwatch,
    threads: &Executor,
) -> Result<(), Failure> {
    let parameters = OneVsRest {
        max_epochs: train.max_epochs.unwrap_or(10_000),
        ..parameters.clone()
    };
    let progress = Progress::new("proving labels", 0);
    let keeper = train.common.checkpoints.keeper()?;
    let proving = parameters.proving(&training.data, gap, kernels::best())?;
    let belonging = ("proven ovr", (&parameters, gap), &training.data);
    let tell = |(done, of)| progress.set(done, of);
    let made = keeper.train(proving, belonging, threads, tell)?;
    drop(progress);
    let proof = made.certificate;
    let mut told = Told {
        epochs: Some(u64::from(proof.epochs)),
        objective: Some(proof.primal),
        gap: Some(proof.relative_gap()),
        stored_gap: Some(made.stored_gap()),
        lines: vec![
            format!(
                "proof after at most {} epochs a label, before pruning and rounding: primal {:.6}, dual {:.6}, \
                 relative gap {:.2e}; {} weights other than 0",
                proof.epochs,
                proof.primal,
                proof.dual,
                proof.relative_gap(),
                count(proof.nonzeros),
            ),
            format!(
                "as stored: {} weights, relative gap {:.2e}",
                count(made.model.nonzeros() as u64),
                made.stored_gap(),
            ),
        ],
        ..Told::default()
    };
    let mut model = Model::made(
        Trained::OneVsRest(made, &parameters),
        &training.data,
        training.vectorizer,
    );
    let (common, data) = (&train.common, &training.data);
    common.calibrate(&mut model, data, &mut told, threads)?;
    let origin = training.origin;
    train.common.finish(
        Made {
            model,
            origin,
            told,
        },
        watch,
        threads,
    )
}
