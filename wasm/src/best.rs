//! Training what the native command chooses where no method is named.

use crate::{
    MACHINE,
    dataset::Dataset,
    errors::{Thrown, set_number, set_text},
    model::Model,
    options::Options,
    text_options::{TextChoice, list, ngrams_of},
    watching::{Hearing, Watching},
};
use hapax_core::{
    data::Dataset as Rows,
    kernels::Kernels,
    model::{Method, Model as Core, Scratch},
    parameters::OneVsRest,
    text::{FeatureSpace, Vectorizer, VectorizerOptions},
    train::{
        Calibrating,
        auto::{Best, Progress, memory_estimate, train_best},
        check_data,
        one_vs_rest::Choice,
    },
};
use hapax_wasm_kernels::KERNELS;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// `{}`.
    #[wasm_bindgen(js_name = newObject)]
    fn new_object() -> JsValue;
    #[wasm_bindgen(js_name = setObject)]
    fn set_object(object: &JsValue, field: &str, value: &JsValue);
}

/// All of `BestOptions`.
const OPTIONS: &str = "seed minDocuments words characters punctuation calibrate";

/// Tries features, methods and parameters on held-out rows and trains the best: the same data and
/// options give the same bytes as the native command without a method.
#[wasm_bindgen]
pub struct BestTrainer {
    text: TextChoice,
    parameters: OneVsRest,
    summary: JsValue,
}

#[wasm_bindgen]
impl BestTrainer {
    /// Throws `ParamError`.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "BestOptions | null")] options: JsValue,
    ) -> Result<Self, Thrown> {
        let options = Options::new(options, OPTIONS)?;
        let mut parameters = OneVsRest::default();
        parameters.seed = options.seed()?.unwrap_or(parameters.seed);
        Ok(Self {
            text: TextChoice::new(&options)?,
            parameters,
            summary: JsValue::UNDEFINED,
        })
    }

    /// Trains on `data`, which stays as it is, in one call; `hear` is told after each part, and
    /// stops the training by throwing. Throws `TrainError`, or what `hear` threw.
    pub fn train(&mut self, data: &Dataset, hear: Option<Hearing>) -> Result<Model, Thrown> {
        self.summary = JsValue::UNDEFINED;
        let mut watching = Watching::new(hear);
        let chosen = self
            .text
            .rows_choosing(&data.source, &self.parameters, &mut watching)?;
        let rows = &*chosen.rows;
        check_data(rows)?;
        let are_texts = chosen.vectorizer.is_some();
        watching.needs(memory_estimate(rows, are_texts, MACHINE.threads()))?;
        let machine: (_, &'static dyn Kernels) = (MACHINE, KERNELS);
        let seed = self.parameters.seed;
        let best = train_best(
            rows,
            chosen.vectorizer,
            (seed, None),
            machine,
            |doing| match doing {
                Progress::Settings(done, of) => watching.tell("parameters", done, of),
                Progress::Trying(_) => watching.tell("nearest", 0, 0),
                Progress::Training(_) => watching.tell("training", 0, 0),
                Progress::Part(report) => watching.part(report),
            },
        );
        let mut best = best.map_err(|error| watching.why(error))?;
        if self.text.calibrates {
            let begun = core::mem::take(&mut best.choice.calibrating);
            let nearest = match best.model.method() {
                Method::Nearest(nearest) => Some(nearest.parameters()),
                _ => None,
            };
            let (model, choice) = (&mut best.model, &best.choice);
            calibrate(
                model,
                begun,
                (rows, seed),
                &mut watching,
                |part, watching| match nearest {
                    None => trained(choice, (part, None), watching),
                    Some(parameters) => {
                        let parameters = parameters.within(part.len());
                        Ok(Core::train_nearest(parameters, part, None)?)
                    }
                },
            )?;
        }
        self.summary = summary(&best, chosen.features.as_ref());
        Ok(Model::trained(best.model, seed))
    }

    /// What the last training tried and chose.
    #[wasm_bindgen(getter, unchecked_return_type = "TrainingSummary | undefined")]
    pub fn summary(&self) -> JsValue {
        self.summary.clone()
    }
}

/// Fits what turns scores into probabilities, from where it has `begun`: `train` makes another
/// model like this one.
pub fn calibrate(
    model: &mut Core,
    mut begun: Calibrating,
    (rows, seed): (&Rows, u64),
    watching: &mut Watching,
    mut train: impl FnMut(&Rows, &mut Watching) -> Result<Core, Thrown>,
) -> Result<(), Thrown> {
    let mut other = None;
    let (data, scratch) = ((rows, seed), || Scratch::new(KERNELS));
    while let Some(part) = model.calibrate_part(&mut begun, data, other, MACHINE, scratch) {
        watching.begin("calibrating")?;
        let mut made = train(&part, watching)?;
        // Without memory to prepare it a model answers the same, more slowly.
        let _ = made.prepare();
        other = Some(made);
    }
    Ok(())
}

/// The model of a choice of one-vs-rest.
pub fn trained(
    choice: &Choice,
    (rows, vectorizer): (&Rows, Option<Vectorizer>),
    watching: &mut Watching,
) -> Result<Core, Thrown> {
    let (parameters, kernels): (_, &'static dyn Kernels) = (&choice.parameters, KERNELS);
    let linear = parameters.train(rows, MACHINE, kernels, |report| watching.part(report));
    let linear = linear.map_err(|error| watching.why(error))?;
    let data = (rows, vectorizer);
    let model = choice
        .fused
        .model(linear, parameters, data, MACHINE, kernels);
    Ok(model?)
}

/// `TrainingSummary` of `package/values.d.ts`.
fn summary(best: &Best, features: Option<&VectorizerOptions>) -> JsValue {
    let object = new_object();
    set_text(&object, "method", best.candidate.name());
    let mut tried = Vec::new();
    for method in &best.tried {
        let of = new_object();
        set_text(&of, "method", method.candidate.name());
        set_number(&of, "precision", method.precision);
        set_number(&of, "precisionAt1", method.at_1);
        tried.push(of);
    }
    set_object(&object, "tried", &list(tried));
    set_object(&object, "parameters", &parameters(&best.choice));
    set_number(&object, "settings", best.choice.tried.len() as f64);
    let judged = best.choice.best().map_or(0, |trial| trial.judged);
    set_number(&object, "judged", judged as f64);
    if let Some([without, with]) = best.standardized {
        let of = new_object();
        set_number(&of, "precisionAt1", with);
        set_number(&of, "without", without);
        set_object(&object, "standardized", &of);
    }
    if let Some(options) = features {
        let of = new_object();
        for (name, lengths) in [
            ("words", options.tokens.words),
            ("characters", options.tokens.characters),
        ] {
            set_object(&of, name, &ngrams_of(lengths));
        }
        set_object(&of, "punctuation", &options.tokens.punctuation.into());
        if let FeatureSpace::Vocabulary { min_documents, .. } = options.features {
            set_number(&of, "minDocuments", min_documents.into());
        }
        set_object(&object, "features", &of);
    }
    object
}

/// What was chosen of one-vs-rest.
pub fn parameters(choice: &Choice) -> JsValue {
    let (own, object) = (&choice.parameters, new_object());
    set_numbers(
        &object,
        &[
            ("cost", own.cost),
            ("positiveWeight", own.positive_weight),
            ("exponent", own.exponent),
            ("centroid", own.centroid),
            ("prior", own.prior),
            ("prune", own.prune.into()),
            ("softmax", own.softmax),
            ("embedding", choice.fused.embedding.into()),
            ("neighbors", choice.fused.neighbors.into()),
        ],
    );
    object
}

fn set_numbers(object: &JsValue, numbers: &[(&str, f64)]) {
    for &(name, value) in numbers {
        set_number(object, name, value);
    }
}
