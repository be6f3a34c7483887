//! Training MACH: part by part, because the caller may want to show how far it is, or to stop.

use crate::{
    MACHINE, dataset::Dataset, errors::Thrown, model::Model, options::Options,
    text_options::TextChoice,
};
use hapax_core::{
    model::{Model as Core, Scratch},
    parameters::{Estimator, MachParameters},
    text::Vectorizer,
    train::{
        Calibrating, MemoryEstimate, Parameters, TrainError, Trained, Training,
        mach::{Report, Trainer},
    },
};
use hapax_wasm_kernels::{KERNELS, MACH_KERNELS};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// `{ epoch, epochs, done, of, loss, calibrating }`.
    #[wasm_bindgen(js_name = newReport)]
    fn new_report(
        epoch: u32,
        epochs: u32,
        done: u32,
        of: u32,
        loss: f64,
        calibrating: bool,
    ) -> JsValue;
}

/// All of `MachOptions`.
const OPTIONS: &str = "buckets repetitions epochs averagedEpochs dropout learningRate exponent bits keep rerank \
                       estimator seed minDocuments words characters punctuation calibrate";

/// The estimators, by the native command's names.
const ESTIMATORS: &str = "logit-sum log-mean mean median min";
const BY_NAME: [Estimator; 5] = [
    Estimator::LogitSum,
    Estimator::LogMean,
    Estimator::Mean,
    Estimator::Median,
    Estimator::Min,
];

/// The parameters chosen by the data, with what is given in their place.
fn over(options: &Options, own: &MachParameters) -> Result<MachParameters, Thrown> {
    let count = |name, own| options.count(name).map(|given| given.unwrap_or(own));
    let number = |name, own| options.number(name).map(|given| given.unwrap_or(own));
    let estimator = options.named("estimator", ESTIMATORS, &BY_NAME)?;
    let parameters = MachParameters {
        buckets: count("buckets", own.buckets)?,
        repetitions: count("repetitions", own.repetitions)?,
        epochs: count("epochs", own.epochs)?,
        averaged_epochs: count("averagedEpochs", own.averaged_epochs)?,
        dropout: number("dropout", own.dropout)?,
        learning_rate: number("learningRate", own.learning_rate)?,
        exponent: number("exponent", own.exponent)?,
        bits: count("bits", own.bits)?,
        keep: number("keep", own.keep)?,
        rerank: count("rerank", own.rerank)?,
        seed: options.seed()?.unwrap_or(own.seed),
        estimator: estimator.unwrap_or(own.estimator),
        ..own.clone()
    };
    parameters.check()?;
    Ok(parameters)
}

/// Trains MACH: the same data and options give the same bytes as the native command.
#[wasm_bindgen]
pub struct MachTrainer {
    options: Options,
    text: TextChoice,
}

#[wasm_bindgen]
impl MachTrainer {
    /// Throws `ParamError`.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "MachOptions | null")] options: JsValue,
    ) -> Result<Self, Thrown> {
        let options = Options::new(options, OPTIONS)?;
        over(&options, &MachParameters::default())?;
        let text = TextChoice::new(&options)?;
        Ok(Self { options, text })
    }

    /// Gets ready to train on `data`, which stays as it is: all memory is taken here. Throws
    /// `ParamError`, `TrainError`.
    pub fn start(&self, data: &Dataset) -> Result<MachTraining, Thrown> {
        let (rows, vectorizer) = self.text.rows(&data.source)?;
        let parameters = over(&self.options, &MachParameters::automatic(&rows))?;
        let memory = parameters.memory_estimate(&rows, MACHINE.threads()) as f64;
        Ok(MachTraining {
            trainer: parameters.trainer_owning(
                rows.into_owned(),
                MACHINE.threads(),
                MACH_KERNELS,
            )?,
            parameters,
            vectorizer,
            memory,
            made: None,
            calibrating: self.text.calibrates.then(Calibrating::default),
            other: None,
        })
    }
}

/// A training of MACH under way. Call `free()` when it is no longer needed.
#[wasm_bindgen]
pub struct MachTraining {
    trainer: Trainer<'static>,
    parameters: MachParameters,
    vectorizer: Option<Vectorizer>,
    memory: f64,
    /// The model, when its epochs are over.
    made: Option<Core>,
    /// What turns its scores into probabilities, as long as that is under way.
    calibrating: Option<Calibrating>,
    /// The model of the rows that are not held out.
    other: Option<Trainer<'static>>,
}

#[wasm_bindgen]
impl MachTraining {
    /// Bytes of memory that training takes beside its data; calibration takes as much once more.
    #[wasm_bindgen(getter)]
    pub fn memory(&self) -> f64 {
        self.memory
    }

    /// Learns from about a thousand rows more; `undefined` if all is done. Throws `TrainError`.
    #[wasm_bindgen(unchecked_return_type = "TrainingReport | undefined")]
    pub fn step(&mut self) -> Result<JsValue, Thrown> {
        if self.made.is_none() {
            if let Some(report) = self.trainer.step(MACHINE) {
                return Ok(told(report, false));
            }
            let mach = self.trainer.model(MACHINE)?;
            let vectorizer = self.vectorizer.take();
            self.made = Some(Core::made(
                Trained::Mach(mach),
                self.trainer.data(),
                vectorizer,
            ));
        }
        while let (Some(model), Some(calibrating)) = (&mut self.made, &mut self.calibrating) {
            let mut other = None;
            if let Some(trainer) = &mut self.other {
                if let Some(report) = trainer.step(MACHINE) {
                    return Ok(told(report, true));
                }
                let mach = trainer.model(MACHINE)?;
                other = Some(Core::made(Trained::Mach(mach), trainer.data(), None));
            }
            let data = (self.trainer.data(), self.parameters.seed);
            let scratch = || Scratch::new(KERNELS);
            self.other = match model.calibrate_part(calibrating, data, other, MACHINE, scratch) {
                Some(rows) => Some(self.parameters.trainer_owning(
                    rows,
                    MACHINE.threads(),
                    MACH_KERNELS,
                )?),
                None => {
                    self.calibrating = None;
                    None
                }
            };
        }
        Ok(JsValue::UNDEFINED)
    }

    /// The model, when all is done. Throws `TrainError`.
    pub fn finish(&mut self) -> Result<Model, Thrown> {
        match self.made.take() {
            Some(model) if self.calibrating.is_none() => {
                Ok(Model::trained(model, self.parameters.seed))
            }
            made => {
                self.made = made;
                Err(TrainError::Stopped.into())
            }
        }
    }
}

fn told(report: Report, calibrating: bool) -> JsValue {
    let (done, of) = (report.done as u32, report.of as u32);
    new_report(
        report.epoch,
        report.epochs,
        done,
        of,
        report.loss,
        calibrating,
    )
}
