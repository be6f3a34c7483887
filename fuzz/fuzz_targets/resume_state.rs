//! Any bytes as the state of every training or a part of one, and a true one with any changes:
//! refused, or believed and sound enough to go on from.
#![no_main]

use arbitrary::Arbitrary;
use hapax_core::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    model::Model,
    parameters::{
        EmbeddingTraining, MachParameters, Memoir, MultiClassLoss, MultiClassSvm, Negatives,
        OneVsRest, Sampled, Wsabie,
    },
    sparse::{SparseRows, SparseVec},
    train::{
        Alone, Parts, Resumable, Shared, SharedTraining, Training, Watch,
        mach::MachParts,
        multiclass::{MultiLabel, Solver},
    },
};
use libfuzzer_sys::fuzz_target;
use std::{ops::ControlFlow, sync::OnceLock};

#[derive(Arbitrary, Debug)]
struct Job {
    trainer: u8,
    /// Bytes of the true state that are changed, or all bytes where there are none of these.
    changes: Vec<(u16, u8)>,
    bytes: Vec<u8>,
}

fn data() -> &'static Dataset {
    static DATA: OnceLock<Dataset> = OnceLock::new();
    DATA.get_or_init(|| {
        let (mut rows, mut labels) = (SparseRows::new(12), LabelLists::new(5));
        for row in 0..20u32 {
            let pairs = [(row % 5, 1.0), (5 + row * 7 % 6, 0.5), (11, 0.25)];
            let row_of = SparseVec::from_pairs(pairs).expect("a row");
            rows.push(row_of.view()).expect("a row");
            labels.push([row % 5]);
        }
        Dataset::new(rows, labels, None).expect("data")
    })
}

/// The bytes to try, given the true ones.
fn tried(job: &Job, mut state: Vec<u8>) -> Vec<u8> {
    if job.changes.is_empty() || state.is_empty() {
        return job.bytes.clone();
    }
    for &(at, byte) in &job.changes {
        let at = at as usize % state.len();
        state[at] ^= byte;
    }
    state
}

/// Leaves a training after two steps, tries the bytes on another, and takes two steps where they
/// are believed.
fn check<T: Training>(job: &Job, new: impl Fn() -> T) {
    let step = |training: &mut T| _ = training.step(&Sequential);
    let mut left = new();
    step(&mut left);
    step(&mut left);
    let state = left.to_bytes().expect("a state");
    let mut other = new();
    if other.resume(&tried(job, state)).is_ok() {
        step(&mut other);
        step(&mut other);
    }
}

/// Hears two parts, or as many as it takes to a state, of a training that begins with the bytes, if
/// there are any and they are believed.
struct TwoParts {
    begin: Option<Vec<u8>>,
    parts: usize,
    state: Vec<u8>,
}

impl<R> Watch<R> for TwoParts {
    fn begin(&mut self, training: &mut dyn Resumable) -> ControlFlow<()> {
        match self.begin.take() {
            Some(bytes) if training.resume(&bytes).is_err() => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn part(&mut self, _: R, training: &dyn Resumable) -> ControlFlow<()> {
        self.parts += 1;
        if training.can_be_left() {
            self.state = training.to_bytes().expect("a state");
        }
        match self.parts < 2 || self.state.is_empty() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}

fn check_embedding(job: &Job, training: &EmbeddingTraining) {
    let two_parts = |begin| {
        let mut watch = TwoParts {
            begin,
            parts: 0,
            state: Vec::new(),
        };
        let bits = &Portable;
        let _ = Model::train_embedding(training, None, data(), None, &Sequential, bits, &mut watch);
        watch.state
    };
    let state = two_parts(None);
    two_parts(Some(tried(job, state)));
}

fn check_shared(job: &Job, loss: MultiClassLoss) {
    let parameters = svm(loss);
    let new = || {
        let one = MultiLabel::Refuse;
        SharedTraining::new(
            &parameters,
            data(),
            one,
            (&Sequential, &mut Alone),
            &Portable,
        )
        .expect("one")
    };
    let mut left = new();
    for _ in 0..2 {
        let _ = left.epoch(&Sequential, &Portable, &mut Alone);
    }
    let number = job.bytes.len() % left.shares();
    let mut share = Vec::new();
    let saved = left.save_share(number, &mut |piece| share.extend_from_slice(piece));
    if saved.is_err() {
        return;
    }
    let mut other = new();
    if other.resume_share(number, &tried(job, share)).is_ok() {
        let _ = other.epoch(&Sequential, &Portable, &mut Alone);
    }
}

/// Does all stages in two parts, of which the second is changed on its way.
fn check_parts(job: &Job, mut training: impl Parts) {
    while training.stage() < training.stages() {
        let mut part = |part| training.part(part, 2, &Sequential);
        let (Ok(first), Ok(second)) = (part(0), part(1)) else {
            return;
        };
        if training.take(&[&first, &tried(job, second)]).is_err() {
            return;
        }
    }
}

fn svm(loss: MultiClassLoss) -> MultiClassSvm {
    MultiClassSvm {
        gap: 1e-9,
        cost: 3.0,
        ..MultiClassSvm::new(loss)
    }
}

fuzz_target!(|job: Job| {
    let bits = &Portable;
    match job.trainer % 11 {
        0 => {
            let mach = MachParameters {
                buckets: 3,
                repetitions: 2,
                epochs: 4,
                ..MachParameters::default()
            };
            let new = || mach.trainer(data(), 1, bits).expect("a training");
            check(&job, new);
        }
        1 => {
            let memoir = Memoir::default();
            let new = || memoir.trainer(data()).expect("a training");
            check(&job, new);
        }
        2 => check_embedding(
            &job,
            &EmbeddingTraining::Wsabie(Wsabie {
                dimensions: 4,
                ..Wsabie::default()
            }),
        ),
        3 => check_embedding(&job, &EmbeddingTraining::Sampled(Sampled::auc())),
        4 => {
            let ovr = OneVsRest {
                negatives: Negatives::Mined,
                pool: 6,
                mine: 2,
                ..OneVsRest::default()
            };
            let new = || ovr.trainer(data(), &Sequential, bits).expect("a training");
            check(&job, new);
        }
        5 | 6 => {
            let loss = if job.trainer % 11 == 5 {
                MultiClassLoss::CrammerSinger
            } else {
                MultiClassLoss::LeeLinWahba
            };
            let svm = svm(loss);
            let new = || {
                let one = MultiLabel::Refuse;
                Solver::new(&svm, data(), one, None, &Sequential, bits).expect("a training")
            };
            check(&job, new);
        }
        7 => check_shared(&job, MultiClassLoss::WestonWatkins),
        8 => {
            let ovr = OneVsRest {
                negatives: Negatives::Mined,
                pool: 6,
                mine: 2,
                ..OneVsRest::default()
            };
            let trainer = ovr.trainer(data(), &Sequential, bits);
            check_parts(&job, trainer.expect("a training"));
        }
        9 => {
            let mach = MachParameters {
                buckets: 3,
                repetitions: 4,
                epochs: 2,
                ..MachParameters::default()
            };
            let parts = MachParts::new(&mach, data(), 1, bits);
            check_parts(&job, parts.expect("a training"));
        }
        _ => check_shared(&job, MultiClassLoss::LeeLinWahba),
    }
});
