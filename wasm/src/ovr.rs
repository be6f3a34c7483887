//! Training one-vs-rest: what is not given is chosen on held-out rows, as the command does.

use crate::{
    MACHINE,
    best::{calibrate, parameters, trained},
    dataset::Dataset,
    errors::Thrown,
    model::Model,
    options::Options,
    text_options::TextChoice,
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
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "OvrOptions | null")] options: JsValue,
    ) -> Result<Self, Thrown> {
        let options = Options::new(options, OPTIONS)?;
        let text = TextChoice::new(&options)?;
        let (fixed, given) = one_vs_rest(&options)?;
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

/// As the command's options: what is fixed, and what the data would choose otherwise.
fn one_vs_rest(options: &Options) -> Result<(OneVsRest, Given), Thrown> {
    let base = OneVsRest::default();
    let losses = [Loss::Hinge, Loss::SquaredHinge];
    let negatives = [Negatives::Mined, Negatives::All, Negatives::Auto];
    let fixed = OneVsRest {
        loss: options
            .named("loss", "hinge squared-hinge", &losses)?
            .unwrap_or(base.loss),
        negatives: options
            .named("negatives", "mined all auto", &negatives)?
            .unwrap_or(base.negatives),
        rounds: options.count("rounds")?.unwrap_or(base.rounds),
        max_epochs: options.count("maxEpochs")?.unwrap_or(base.max_epochs),
        bits: options.count("bits")?.unwrap_or(base.bits),
        seed: options.seed()?.unwrap_or(base.seed),
        ..base
    };
    let (learned, value) = (
        options.flag("learnBias")?.unwrap_or_default(),
        options.number("bias")?,
    );
    let bias = match learned {
        true => Bias::Learned(value.unwrap_or(1.0)),
        false => Bias::Fixed(value.unwrap_or(-1.0)),
    };
    let fuse = options.named("fuse", "auto centroid nearest none", &[0, 1, 2, 3])?;
    let fuse = fuse.unwrap_or(0);
    // None has nothing beside the machines, centroid neither neighbors nor an embedding.
    let unless = |left_out: bool, given: Option<f64>| if left_out { Some(0.0) } else { given };
    let given = Given {
        cost: options.number("cost")?,
        positive_weight: options.number("positiveWeight")?,
        exponent: options.number("exponent")?,
        bias: (learned || value.is_some()).then_some(bias),
        prune: options.number("prune")?.map(|given| given as f32),
        centroid: unless(fuse == 3, options.number("centroid")?),
        prior: options.number("prior")?,
        softmax: unless(fuse == 3, options.number("softmax")?),
        pool: options.count("pool")?,
        mine: options.count("mine")?,
        epsilon: options.number("epsilon")?,
        embedding: unless(fuse == 1 || fuse == 3, options.number("embedding")?),
        neighbors: [None, Some(false), Some(true), Some(false)][fuse],
        max_bytes: None,
    };
    Ok((fixed, given))
}
