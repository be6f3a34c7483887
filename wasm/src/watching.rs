//! Who hears of a training that is one call: a function, which may stop it by throwing.

use crate::errors::Thrown;
use core::{hint::black_box, ops::ControlFlow};
use hapax_core::train::{
    TrainError,
    one_vs_rest::{Report, Stage},
};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// What a trainer calls after each part: `(stage, done, of, memory)`.
    #[wasm_bindgen(typescript_type = "Hearing")]
    pub type Hearing;
    /// `hear.call(owner, stage, done, of, memory)`.
    #[wasm_bindgen(method, catch)]
    fn call(
        hear: &Hearing,
        owner: &JsValue,
        stage: &str,
        done: f64,
        of: f64,
        memory: &JsValue,
    ) -> Result<JsValue, JsValue>;
}

/// As many bytes as wasm has addresses for.
const ADDRESSES: u64 = 1 << 32;

/// Bytes asked for at once.
const PIECE: u64 = 1 << 28;

/// A function that hears of parts, and what it threw.
pub struct Watching {
    hear: Option<Hearing>,
    thrown: Option<JsValue>,
    /// Bytes that training will take beside its data, as soon as that is known.
    memory: JsValue,
}

impl Watching {
    pub fn new(hear: Option<Hearing>) -> Self {
        Self {
            hear,
            thrown: None,
            memory: JsValue::UNDEFINED,
        }
    }

    /// So much of a stage is done; `of` is 0 where that is not known.
    pub fn tell(&mut self, stage: &str, done: usize, of: usize) -> ControlFlow<()> {
        let Some(hear) = &self.hear else {
            return ControlFlow::Continue(());
        };
        let (done, of) = (done as f64, of as f64);
        match hear.call(&JsValue::UNDEFINED, stage, done, of, &self.memory) {
            Ok(_) => ControlFlow::Continue(()),
            Err(thrown) => {
                self.thrown = Some(thrown);
                ControlFlow::Break(())
            }
        }
    }

    /// A part of one-vs-rest is done.
    pub fn part(&mut self, report: Report) -> ControlFlow<()> {
        let stage = match report.stage {
            Stage::Solve => "solving",
            Stage::Mine => "mining",
            Stage::Softmax => "softmax",
        };
        self.tell(stage, report.done, report.of)
    }

    /// A stage begins, unless what hears of it stops the training.
    pub fn begin(&mut self, stage: &str) -> Result<(), Thrown> {
        match self.tell(stage, 0, 0) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(self.why(TrainError::Stopped)),
        }
    }

    /// Notes how much memory training will take, and refuses if it cannot be had. What is asked for
    /// here stays the module's, so that training finds it.
    pub fn needs(&mut self, bytes: u64) -> Result<(), Thrown> {
        self.memory = (bytes as f64).into();
        let lacking = || Err(TrainError::OutOfMemory { bytes }.into());
        if bytes >= ADDRESSES {
            return lacking();
        }
        let (mut pieces, mut left) = (Vec::new(), bytes);
        while left > 0 {
            let mut piece = Vec::<u8>::new();
            let size = left.min(PIECE);
            if piece.try_reserve_exact(size as usize).is_err() {
                return lacking();
            }
            pieces.push(black_box(piece));
            left -= size;
        }
        Ok(())
    }

    /// What was thrown, if it was that which stopped training.
    pub fn why(&mut self, error: impl Into<Thrown>) -> Thrown {
        match self.thrown.take() {
            Some(thrown) => Thrown::again(thrown),
            None => error.into(),
        }
    }
}
