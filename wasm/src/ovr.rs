//! Training one-vs-rest: what is not given is chosen on held-out rows, as the command does.

use crate::{
    MACHINE,
    best::{calibrate, parameters, trained},
    dataset::Dataset,
    errors::Thrown,
    model::Model,
    text_options::{TextChoice, TextOptions},
    watching::{Hearing, Watching},
};
use core::ops::ControlFlow;
use hapax_core::{
    kernels::Kernels,
    parameters::{Bias, Loss, Negatives, OneVsRest},
    train::{MemoryEstimate, Parameters, check_data, one_vs_rest::Given},
};
use hapax_wasm_kernels::KERNELS;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// A number, or undefined. Throws `ParamError`.
    #[wasm_bindgen(js_name = numberOption, catch)]
    fn number_option(options: &OvrOptions, name: &str) -> Result<Option<f64>, JsValue>;
    /// The place of a name in a list whose names stand apart by spaces, or undefined. Throws
    /// `ParamError`.
    #[wasm_bindgen(js_name = namedOption, catch)]
    fn named_option(options: &OvrOptions, name: &str, names: &str) -> Result<Option<u32>, JsValue>;
    #[wasm_bindgen(js_name = flagOption, catch)]
    fn flag_option(options: &OvrOptions, name: &str) -> Result<Option<bool>, JsValue>;
}

#[wasm_bindgen]
extern "C" {
    /// `OvrOptions` of `package/values.d.ts`.
    #[wasm_bindgen(extends = TextOptions, typescript_type = "OvrOptions")]
    pub type OvrOptions;
}

/// All of `OvrOptions`.
const OPTIONS: &str = "cost positiveWeight exponent negatives rounds pool mine bias learnBias loss fuse centroid \
                       prior softmax embedding prune bits epsilon maxEpochs seed minDocuments words characters \
                       punctuation calibrate";

/// Trains one-vs-rest: the same data and options give the same bytes as the native command's `ovr`.
#[wasm_bindgen]
pub struct OvrTrainer {
    /// What is fixed, and what the data choose otherwise.
    fixed: OneVsRest,
    given: Given,
    text: TextChoice,
    parameters: JsValue,
}

#[wasm_bindgen]
impl OvrTrainer {
    /// Throws `ParamError`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: Option<OvrOptions>) -> Result<Self, Thrown> {
        let text = match &options {
            Some(options) => TextChoice::new(options, OPTIONS)?,
            None => TextChoice::default(),
        };
        let (fixed, given) = Options(options).one_vs_rest()?;
        given.over(&fixed).check()?;
        Ok(Self {
            fixed,
            given,
            text,
            parameters: JsValue::UNDEFINED,
        })
    }

    /// Trains on `data`, which stays as it is, in one call; `hear` is told after each part, and
    /// stops the training by throwing. Throws `TrainError`, or what `hear` threw.
    pub fn train(&mut self, data: &Dataset, hear: Option<Hearing>) -> Result<Model, Thrown> {
        let (mut watching, seed) = (Watching::new(hear), self.fixed.seed);
        let watch = &mut watching;
        let plain = self.given.over(&self.fixed);
        let chosen = self.text.rows_choosing(&data.source, &plain, watch)?;
        let (rows, vectorizer) = (&*chosen.rows, chosen.vectorizer);
        check_data(rows)?;
        watch.needs(plain.memory_estimate(rows, MACHINE.threads()))?;
        let are_texts = vectorizer.is_some();
        let kernels: &'static dyn Kernels = KERNELS;
        let tell: &mut dyn FnMut(usize, usize) -> ControlFlow<()> =
            &mut |done, of| watch.tell("parameters", done, of);
        let (given, own) = (&self.given, MACHINE);
        let choice = self
            .fixed
            .choose(given, rows, own, kernels, are_texts, tell);
        let mut choice = choice.map_err(|error| watch.why(error))?;
        self.parameters = parameters(&choice);
        let mut model = trained(&choice, (rows, vectorizer), watch)?;
        if self.text.calibrates {
            let begun = core::mem::take(&mut choice.calibrating);
            calibrate(&mut model, begun, (rows, seed), watch, |part, watch| {
                trained(&choice, (part, None), watch)
            })?;
        }
        Ok(Model::trained(model, seed))
    }

    /// The parameters of the last training, given and chosen.
    #[wasm_bindgen(getter, unchecked_return_type = "OvrParameters | undefined")]
    pub fn parameters(&self) -> JsValue {
        self.parameters.clone()
    }
}

/// The options as they were given.
struct Options(Option<OvrOptions>);

impl Options {
    fn number(&self, name: &str) -> Result<Option<f64>, Thrown> {
        let Some(options) = &self.0 else {
            return Ok(None);
        };
        number_option(options, name).map_err(Thrown::again)
    }

    /// Fractions are cut off, and NaN is 0, which most counts refuse.
    fn count(&self, name: &str, own: u32) -> Result<u32, Thrown> {
        Ok(self.number(name)?.map_or(own, |given| given as u32))
    }

    fn named<T: Copy>(&self, name: &str, names: &str, values: &[T]) -> Result<Option<T>, Thrown> {
        let Some(options) = &self.0 else {
            return Ok(None);
        };
        let at = named_option(options, name, names).map_err(Thrown::again)?;
        Ok(at.and_then(|at| values.get(at as usize).copied()))
    }

    fn is(&self, name: &str) -> Result<bool, Thrown> {
        let Some(options) = &self.0 else {
            return Ok(false);
        };
        let given = flag_option(options, name).map_err(Thrown::again)?;
        Ok(given.unwrap_or(false))
    }

    fn seed(&self) -> Result<u64, Thrown> {
        let own = OneVsRest::default().seed;
        Ok(self.number("seed")?.map_or(own, |given| given as u64))
    }

    /// As the command's options: what is fixed, and what the data would choose otherwise.
    fn one_vs_rest(&self) -> Result<(OneVsRest, Given), Thrown> {
        let base = OneVsRest::default();
        let losses = [Loss::Hinge, Loss::SquaredHinge];
        let negatives = [Negatives::Mined, Negatives::All, Negatives::Auto];
        let fixed = OneVsRest {
            loss: self
                .named("loss", "hinge squared-hinge", &losses)?
                .unwrap_or(base.loss),
            negatives: self
                .named("negatives", "mined all auto", &negatives)?
                .unwrap_or(base.negatives),
            rounds: self.count("rounds", base.rounds)?,
            max_epochs: self.count("maxEpochs", base.max_epochs)?,
            bits: self.count("bits", base.bits)?,
            seed: self.seed()?,
            ..base
        };
        let (learned, value) = (self.is("learnBias")?, self.number("bias")?);
        let bias = match learned {
            true => Bias::Learned(value.unwrap_or(1.0)),
            false => Bias::Fixed(value.unwrap_or(-1.0)),
        };
        let whole = |name| -> Result<Option<u32>, Thrown> {
            Ok(self.number(name)?.map(|given| given as u32))
        };
        let fuse = self.named("fuse", "auto centroid nearest none", &[0, 1, 2, 3])?;
        let fuse = fuse.unwrap_or(0);
        // None has nothing beside the machines, centroid neither neighbors nor an embedding.
        let unless = |left_out: bool, given: Option<f64>| if left_out { Some(0.0) } else { given };
        let given = Given {
            cost: self.number("cost")?,
            positive_weight: self.number("positiveWeight")?,
            exponent: self.number("exponent")?,
            bias: (learned || value.is_some()).then_some(bias),
            prune: self.number("prune")?.map(|given| given as f32),
            centroid: unless(fuse == 3, self.number("centroid")?),
            prior: self.number("prior")?,
            softmax: unless(fuse == 3, self.number("softmax")?),
            pool: whole("pool")?,
            mine: whole("mine")?,
            epsilon: self.number("epsilon")?,
            embedding: unless(fuse == 1 || fuse == 3, self.number("embedding")?),
            neighbors: [None, Some(false), Some(true), Some(false)][fuse],
            max_bytes: None,
        };
        Ok((fixed, given))
    }
}
