//! What the training of every algorithm ends with: fitting into a budget, writing, telling.

use super::{
    super::{
        compact::{print_report, report_json, too_small},
        data_options::DataOptions,
        evaluate::Tested,
        failure::Failure,
        input::{Origin, read_for_model},
        output::print,
        resources::{Stopwatch, peak_rss_bytes},
        table::{bytes, count, table},
    },
    Common, embedding, exact, mach, memoir, nearest, ovr,
};
use hapax::{
    ModelFile,
    core::{
        executor::Executor,
        model::{Method, Model},
        parameters::LinearTraining,
        text::FeatureSpace,
        train::{Calibrated, Compacted, CompactionError},
    },
    kernels,
};
use serde_json::{Value, json};

/// A model as an algorithm made it.
pub struct Made {
    pub model: Model,
    pub origin: Origin,
    pub told: Told,
}

/// What an algorithm has to tell of its training.
#[derive(Default)]
pub struct Told {
    pub epochs: Option<u64>,
    /// The value of what training minimizes.
    pub objective: Option<f64>,
    /// How far it may be above the least, as a share of it.
    pub gap: Option<f64>,
    /// The same of the weights as they are stored.
    pub stored_gap: Option<f64>,
    /// How many rows were held out to choose parameters.
    pub held_out: Option<usize>,
    /// What was measured after each epoch, for programs.
    pub report: Vec<Value>,
    /// What held-out rows said of probabilities.
    pub calibrated: Option<Calibrated>,
    /// More lines for people.
    pub lines: Vec<String>,
}

/// A trained model and what training it cost.
struct Trained {
    told: Told,
    compacted: Compacted,
    seconds: f64,
    cpu_seconds: f64,
}

impl Common {
    /// Fits the model into the budget, if there is one, writes it, and tells what was trained.
    pub fn finish(&self, made: Made, watch: &Stopwatch, threads: &Executor) -> Result<(), Failure> {
        let mut model = made.model;
        let provenance = model.provenance_mut();
        provenance.index_base = made.origin.index_base;
        provenance.columns = made.origin.columns;
        provenance.seed = self.seed;
        let compacted = match self.max_bytes {
            Some(most) => model
                .compacted(most, self.seed, threads, kernels::best())
                .map_err(|error| self.too_small(&model, &error))?,
            None => Compacted {
                bytes: model.file_bytes()?,
                model,
                report: None,
                weights: None,
            },
        };
        let (seconds, cpu_seconds) = (watch.seconds(), watch.cpu_seconds());
        compacted.model.save(&self.output)?;
        self.checkpoints.forget();
        let mut told = made.told;
        if compacted.weights.is_some() {
            told.stored_gap = None;
        }
        let mut trained = Trained {
            told,
            compacted,
            seconds,
            cpu_seconds,
        };
        self.report(&mut trained, &made.origin.marks, threads)
    }

    /// What is too small a budget, and what helps.
    fn too_small(&self, model: &Model, error: &CompactionError) -> Failure {
        let told = too_small(error);
        let vocabulary = model.vectorizer().filter(|vectorizer| {
            matches!(
                vectorizer.options().features,
                FeatureSpace::Vocabulary { .. }
            )
        });
        match (told, vocabulary) {
            (Failure::Input(told), Some(vocabulary)) => Failure::Input(format!(
                "{told}; --max-features below {} makes its vocabulary smaller",
                vocabulary.features()
            )),
            (told, _) => told,
        }
    }

    /// Tells what was trained, with the figures of the test file if one was given.
    fn report(
        &self,
        trained: &mut Trained,
        training: &[u128],
        threads: &Executor,
    ) -> Result<(), Failure> {
        let model = &mut trained.compacted.model;
        let size = trained.compacted.bytes;
        let tested = match &self.test {
            Some(path) => {
                // Of a table it is the same column; rows have a file of their own.
                let column = model.provenance().columns.as_ref();
                let column = column.and_then(|_| self.data.labels.clone());
                let labels = self.test_labels.as_ref();
                let labels = labels.map(|path| path.to_string_lossy().into_owned());
                let options = DataOptions {
                    labels: labels.or(column),
                    ..self.data.clone()
                };
                let mut test = read_for_model(path, &options, model, threads)?;
                test.texts = Vec::new();
                let mut tested = Tested::new(model, &test, &[1, 3, 5], threads)?;
                tested.look_for(training)?;
                Some(tested.evaluated)
            }
            None => None,
        };
        if self.json {
            let mut line = trained.json(threads);
            line["test"] = json!(tested.as_ref().map(|tested| tested.json(size)));
            return print(line);
        }
        trained.print()?;
        if self.max_bytes.is_some() {
            print_report(&trained.compacted)?;
        }
        if let Some(tested) = tested {
            print("")?;
            tested.print(size)?;
        }
        print(format_args!("wrote {}", self.output.display()))
    }
}

impl Trained {
    fn json(&self, threads: &Executor) -> Value {
        let made = self.compacted.model.provenance();
        json!({
            "algorithm": made.algorithm, "seconds": self.seconds, "cpu_seconds": self.cpu_seconds,
            "threads": threads.threads(), "peak_rss_bytes": peak_rss_bytes(),
            "model_bytes": self.compacted.bytes, "n": made.rows, "d": made.features,
            "l": made.labels, "seed": made.seed, "epochs": self.told.epochs,
            "objective": self.told.objective, "gap": self.told.gap,
            "stored_gap": self.told.stored_gap, "report": self.told.report,
            "parameters": parameters_json(&self.compacted.model),
            "held_out": self.told.held_out, "calibration": self.calibration_json(), "compacted": report_json(&self.compacted),
        })
    }

    /// What held-out rows said of probabilities, with the thresholds.
    fn calibration_json(&self) -> Value {
        let thresholds = self.compacted.model.calibration();
        match (&self.told.calibrated, thresholds) {
            (Some(told), Some(at)) => json!({
                "rows": told.rows,
                "micro_f1": told.micro_f1, "above_for_micro_f1": at.micro_f1,
                "macro_f1": told.macro_f1, "above_for_macro_f1": at.macro_f1,
                "answered": told.answered, "accuracy": told.accuracy, "abstain": at.abstain,
            }),
            _ => Value::Null,
        }
    }

    fn print(&self) -> Result<(), Failure> {
        let made = self.compacted.model.provenance();
        let mut lines = table(&["", ""]);
        lines.add_row(["rows", &count(made.rows)]);
        lines.add_row(["features", &count(u64::from(made.features))]);
        lines.add_row(["labels", &count(u64::from(made.labels))]);
        lines.add_row(["seconds", &format!("{:.2}", self.seconds)]);
        lines.add_row(["model", &bytes(self.compacted.bytes)]);
        print(lines)?;
        self.told.lines.iter().try_for_each(print)
    }
}

fn parameters_json(model: &Model) -> Value {
    match model.method() {
        Method::Nearest(nearest) => nearest::parameters_json(nearest.parameters()),
        Method::Linear(linear) => match linear.parameters() {
            LinearTraining::OneVsRest(parameters) => ovr::parameters_json(parameters),
            LinearTraining::MultiClass(parameters) => exact::proof::parameters_json(parameters),
            LinearTraining::Memoir(parameters) => memoir::parameters_json(parameters),
        },
        Method::Mach(mach) => mach::parameters_json(mach.parameters()),
        Method::Embedding(made) => embedding::parameters_json(made.training()),
        _ => Value::Null,
    }
}
