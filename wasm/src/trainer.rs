//! Training nearest neighbors.

use crate::{
    MACHINE, dataset::Dataset, errors::Thrown, model::Model, options::Options,
    text_options::TextChoice,
};
use hapax_core::{
    data::Dataset as Rows,
    model::{Model as Core, Scratch},
    parameters::{NearestParameters, ParamError, ParamRule},
    train::{Calibrating, Parameters},
};
use hapax_wasm_kernels::KERNELS;
use wasm_bindgen::prelude::*;

/// All of `TrainerOptions`.
const OPTIONS: &str =
    "neighbors alpha beta exponent minDocuments words characters punctuation calibrate";

/// The native command's default.
const SEED: u64 = 42;

/// Trains nearest neighbors: the same data and options give the same bytes as the native command.
#[wasm_bindgen]
pub struct Trainer {
    /// None where the caller left it to the number of rows.
    neighbors: Option<u32>,
    parameters: NearestParameters,
    text: TextChoice,
}

#[wasm_bindgen]
impl Trainer {
    /// Throws `ParamError`.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "TrainerOptions | null")] options: JsValue,
    ) -> Result<Self, Thrown> {
        let options = Options::new(options, OPTIONS)?;
        let neighbors = options.number("neighbors")?;
        if let Some(neighbors) = neighbors {
            ParamError::check("neighbors", neighbors, ParamRule::AtLeast(1.0))?;
        }
        let own = NearestParameters::default();
        let parameters = NearestParameters {
            alpha: options.number("alpha")?.unwrap_or(own.alpha),
            beta: options.number("beta")?.unwrap_or(own.beta),
            exponent: options.number("exponent")?.unwrap_or(own.exponent),
            ..own
        };
        parameters.check()?;
        Ok(Self {
            // Fractions are cut off, and what is beyond u32 is its largest number.
            neighbors: neighbors.map(|given| given as u32),
            parameters,
            text: TextChoice::new(&options)?,
        })
    }

    /// Trains on `data`, which stays as it is. Throws `ParamError`, `TrainError`.
    pub fn train(&self, data: &Dataset) -> Result<Model, Thrown> {
        let (rows, vectorizer) = self.text.rows(&data.source)?;
        let parameters = self.parameters_for(rows.len());
        let mut model = Core::train_nearest(parameters, &rows, vectorizer)?;
        if self.text.calibrates {
            self.calibrate(&mut model, &rows)?;
        }
        // Nothing is drawn at random; the file says which seed there would have been.
        Ok(Model::trained(model, SEED))
    }
}

impl Trainer {
    fn calibrate(&self, model: &mut Core, data: &Rows) -> Result<(), Thrown> {
        let (mut calibrating, mut other) = (Calibrating::default(), None);
        let scratch = || Scratch::new(KERNELS);
        while let Some(rows) =
            model.calibrate_part(&mut calibrating, (data, SEED), other, MACHINE, scratch)
        {
            let parameters = self.parameters_for(data.len()).within(rows.len());
            other = Some(Core::train_nearest(parameters, &rows, None)?);
        }
        Ok(())
    }

    fn parameters_for(&self, rows: usize) -> NearestParameters {
        match self.neighbors {
            Some(neighbors) => NearestParameters {
                neighbors,
                ..self.parameters
            },
            None => self.parameters.within(rows),
        }
    }
}
