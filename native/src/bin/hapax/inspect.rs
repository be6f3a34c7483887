//! `hapax inspect`: what a model is made of, or what data look like.

use super::{
    data_options::DataOptions,
    failure::Failure,
    input::{MODEL_MARK, load_model, read_input, threads},
    label_neighbors::print_neighbors,
    output::print,
    table::{count, facts_table, percent, table},
};
use clap::Args;
use hapax::{
    core::{
        data::{Dataset, IndexBase, Source, Statistics, Summary},
        format,
        model::{Linear, Method, Model},
        parameters::{LinearTraining, OneVsRest},
        text::{FeatureSpace, Vectorizer, VectorizerOptions},
    },
    files::map_model,
};
use serde_json::{Value, json};
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// Show what a model is and what made it, or what data look like.
///
/// Of a model: its method and parameters, the data and release that made it, and its bytes by part.
/// Of data: how many rows, features and labels there are, how they are spread, and the highest
/// precision any ranking could reach.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax inspect model.hapax
  hapax inspect model.hapax --neighbors card_arrival --svg picture.svg
  hapax inspect train.txt.xz --json")]
pub struct Inspect {
    /// A model, or data
    file: PathBuf,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Print the labels nearest to this one in the space of the model, instead
    #[arg(long, value_name = "LABEL")]
    neighbors: Option<String>,
    /// Draw these labels to a file, too: an SVG picture in which near labels are near
    #[arg(long, value_name = "FILE", requires = "neighbors")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    data: DataOptions,
}

impl Inspect {
    pub fn run(self) -> Result<(), Failure> {
        if let Some(label) = &self.neighbors {
            let model = load_model(&self.file)?;
            return print_neighbors(&model, label, self.json, self.svg.as_deref());
        }
        if begins_like_a_model(&self.file) {
            self.model()
        } else {
            self.data()
        }
    }

    fn model(&self) -> Result<(), Failure> {
        let model = load_model(&self.file)?;
        let mapped = map_model(&self.file)?;
        let sizes = format::sizes(&mapped).map_err(|error| Failure::in_file(&self.file, error))?;
        let mut parts: Vec<(String, u64)> = sizes
            .iter()
            .map(|(id, size)| match id.name() {
                "unknown" => (format!("section {}", id.0), *size),
                name => (name.to_string(), *size),
            })
            .collect();
        let total = mapped.len() as u64;
        let named: u64 = parts.iter().map(|(_, size)| size).sum();
        parts.push(("header, metadata, padding".into(), total - named));
        let facts = model_facts(&model);
        if self.json {
            let made = model.provenance();
            let parts: serde_json::Map<String, Value> = parts
                .iter()
                .map(|(name, size)| (name.clone(), json!(size)))
                .collect();
            let facts: serde_json::Map<String, Value> = facts
                .iter()
                .map(|(name, fact)| ((*name).to_string(), json!(fact)))
                .collect();
            let reported: serde_json::Map<String, Value> = made
                .report
                .iter()
                .map(|(name, value)| (name.clone(), json!(value)))
                .collect();
            return print(
                json!({"model_bytes": total, "parts": parts, "facts": facts, "reported": reported, "n": made.rows,
                       "d": model.features(), "l": model.labels(), "algorithm": made.algorithm}),
            );
        }
        let mut about = facts_table();
        for (name, fact) in &facts {
            about.add_row([name, fact.as_str()]);
        }
        for (name, value) in &model.provenance().report {
            about.add_row(["reported", &format!("{name} {value}")]);
        }
        print(format_args!("{about}\n"))?;
        let mut by_part = table(&["part of the file", "bytes", "percent"]);
        for (name, size) in &parts {
            by_part.add_row([
                name.clone(),
                count(*size),
                percent(*size as f64 / total as f64),
            ]);
        }
        by_part.add_row(["in all", &count(total), ""]);
        print(by_part)
    }

    fn data(&self) -> Result<(), Failure> {
        let threads = threads(0)?;
        let input = read_input(&self.file, &self.data, None, &threads)?;
        let mut source = input.format;
        if let Some(base) = input.origin.index_base {
            source = match base {
                IndexBase::Zero => format!("{source}, feature indices from 0"),
                IndexBase::One => format!("{source}, feature indices from 1"),
            };
        }
        let data = match input.source {
            Source::Rows(data) => data,
            Source::Texts(documents) => {
                let options = VectorizerOptions {
                    features: FeatureSpace::for_texts(documents.texts.len()),
                    ..VectorizerOptions::default()
                };
                let least = match options.features {
                    FeatureSpace::Vocabulary { min_documents, .. } => min_documents,
                    FeatureSpace::Hashed { .. } => 0,
                };
                let texts = if least == 1 { "text" } else { "texts" };
                source = format!(
                    "{source}; features are words and pairs of words in {least} {texts} or more"
                );
                let fitted = Vectorizer::fit_transform(&documents.texts, options, &threads);
                let (_, rows) = fitted.map_err(|error| Failure::in_file(&self.file, error))?;
                Dataset::new(rows, documents.labels, Some(documents.label_names))
                    .map_err(|error| Failure::in_file(&self.file, error))?
            }
        };
        let statistics = Statistics::of(&data)
            .map_err(|error| Failure::Other(format!("no memory for the statistics: {error}")))?;
        if self.json {
            print(statistics_json(&source, &statistics))
        } else {
            print_statistics(&source, &statistics)
        }
    }
}

fn begins_like_a_model(path: &Path) -> bool {
    let mut first = [0; MODEL_MARK.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && first == MODEL_MARK
}

/// What is worth knowing of a model, by name.
pub fn model_facts(model: &Model) -> Vec<(&'static str, String)> {
    let made = model.provenance();
    let mut facts = vec![("algorithm", made.algorithm.clone())];
    facts.extend(method_facts(model.method()));
    facts.extend([
        ("features", count(u64::from(model.features()))),
        ("labels", count(u64::from(model.labels()))),
        ("texts", texts(model)),
        ("made by", made.library.clone()),
        ("seed", made.seed.to_string()),
        ("training rows", count(made.rows)),
        ("training values", count(made.nonzeros)),
        ("data fingerprint", format!("{:016x}", made.fingerprint)),
    ]);
    facts
}

fn one_vs_rest_facts(parameters: &OneVsRest) -> Vec<(&'static str, String)> {
    vec![
        ("cost", parameters.cost.to_string()),
        ("positive weight", parameters.positive_weight.to_string()),
        ("exponent", parameters.exponent.to_string()),
        ("centroid in the weights", parameters.centroid.to_string()),
        ("softmax in the weights", parameters.softmax.to_string()),
    ]
}

/// What answers beside the weights of a linear model.
fn fused_facts(linear: &Linear) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(fused) = linear.embedding() {
        let dimensions = fused.embedding().model().parts().dimensions;
        facts.push(("weight of the embedding", fused.weight().to_string()));
        facts.push(("dimensions of the embedding", dimensions.to_string()));
    }
    if let Some(fused) = linear.nearest() {
        facts.push(("weight of neighbors", fused.weight().to_string()));
        facts.push(("neighbors' index", fused.nearest().index_name().to_string()));
        facts.push(("rows", count(fused.nearest().len() as u64)));
    }
    facts
}

fn method_facts(method: &Method) -> Vec<(&'static str, String)> {
    match method {
        Method::Nearest(nearest) => {
            let parameters = nearest.parameters();
            vec![
                ("neighbors", parameters.neighbors.to_string()),
                ("alpha", parameters.alpha.to_string()),
                ("beta", parameters.beta.to_string()),
                ("exponent", parameters.exponent.to_string()),
                ("index", nearest.index_name().to_string()),
                ("rows", count(nearest.len() as u64)),
            ]
        }
        Method::Linear(linear) => {
            let weights = linear.model();
            let mut facts = match linear.parameters() {
                LinearTraining::OneVsRest(parameters) => one_vs_rest_facts(parameters),
                LinearTraining::MultiClass(parameters) => vec![
                    ("cost", parameters.cost.to_string()),
                    ("bias", parameters.bias.to_string()),
                    ("exponent", parameters.exponent.to_string()),
                ],
                LinearTraining::Memoir(parameters) => vec![
                    ("lambda", parameters.lambda.to_string()),
                    ("violators", parameters.violators.to_string()),
                    ("exponent", weights.parts().transform.exponent.to_string()),
                ],
            };
            facts.push(("weights", count(weights.nonzeros() as u64)));
            facts.push(("bits of a weight", weights.parts().bits.to_string()));
            facts.extend(fused_facts(linear));
            facts
        }
        Method::Mach(mach) => {
            let (parameters, weights) = (mach.parameters(), mach.weights());
            vec![
                ("buckets", parameters.buckets.to_string()),
                ("repetitions", parameters.repetitions.to_string()),
                ("epochs", parameters.epochs.to_string()),
                ("learning rate", parameters.learning_rate.to_string()),
                ("exponent", parameters.exponent.to_string()),
                ("weights", count(weights.nonzeros() as u64)),
                ("bits of a weight", weights.bits().to_string()),
            ]
        }
        Method::Embedding(embedding) => {
            let parts = embedding.model().parts();
            let scores = if parts.euclidean {
                "negative squared distances"
            } else {
                "inner products"
            };
            vec![
                ("dimensions", count(u64::from(parts.dimensions))),
                (
                    "embedding",
                    if parts.embedding.is_some() {
                        "yes"
                    } else {
                        "none"
                    }
                    .to_string(),
                ),
                ("scores", scores.to_string()),
                (
                    "bits of a weight",
                    parts.prototypes.weights.bits().to_string(),
                ),
            ]
        }
        _ => Vec::new(),
    }
}

fn texts(model: &Model) -> String {
    match model.vectorizer() {
        None => match model.rows_are() {
            Some(done) => format!("none: rows of features, {done}"),
            None => "none: rows of features".into(),
        },
        Some(vectorizer) => match vectorizer.options().features {
            FeatureSpace::Vocabulary { .. } => {
                format!("vocabulary of {}", count(u64::from(vectorizer.features())))
            }
            FeatureSpace::Hashed { bits, .. } => format!("hashed to 2^{bits} features"),
        },
    }
}

type Spreads<'a> = [(&'static str, &'a Option<Summary>); 4];

fn spreads(statistics: &Statistics) -> Spreads<'_> {
    [
        ("labels per row", &statistics.labels_per_row),
        ("rows per label", &statistics.rows_per_label),
        ("features per row", &statistics.features_per_row),
        ("rows per feature", &statistics.rows_per_feature),
    ]
}

fn statistics_json(source: &str, statistics: &Statistics) -> Value {
    let summary = |spread: &Option<Summary>| {
        spread.map(|s| {
            json!({"minimum": s.minimum, "lower_quartile": s.lower_quartile, "median": s.median,
                   "upper_quartile": s.upper_quartile, "maximum": s.maximum, "mean": s.mean})
        })
    };
    let mut line = json!({
        "format": source, "n": statistics.rows, "d": statistics.features, "l": statistics.labels,
        "nonzeros": statistics.nonzeros, "label_occurrences": statistics.label_occurrences,
        "rows_without_labels": statistics.rows_without_labels,
        "rows_without_features": statistics.rows_without_features,
        "labels_without_rows": statistics.labels_without_rows,
        "features_without_rows": statistics.features_without_rows,
        "single_label": statistics.single_label,
    });
    for (name, spread) in spreads(statistics) {
        line[name.replace(' ', "_")] = json!(summary(spread));
    }
    let attainable = statistics.attainable_precision.iter();
    line["attainable_precision"] = attainable
        .map(|(k, p)| (k.to_string(), json!(p)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    line
}

fn print_statistics(source: &str, statistics: &Statistics) -> Result<(), Failure> {
    print(format_args!("format: {source}\n"))?;
    let mut sizes = table(&["", ""]);
    let mut line = |name: &str, size: usize| {
        sizes.add_row([name, &count(size as u64)]);
    };
    line("rows", statistics.rows);
    line("  without labels", statistics.rows_without_labels);
    line("  without features", statistics.rows_without_features);
    line("features", statistics.features as usize);
    line("  in no row", statistics.features_without_rows);
    line("labels", statistics.labels as usize);
    line("  of no row", statistics.labels_without_rows);
    line("stored values", statistics.nonzeros);
    line("labels of all rows", statistics.label_occurrences);
    print(format_args!("{sizes}\n"))?;
    let header = ["", "min", "1/4", "median", "3/4", "max", "mean"];
    let mut spread_table = table(&header);
    for (name, spread) in spreads(statistics) {
        if let Some(s) = spread {
            spread_table.add_row([
                name.to_string(),
                count(u64::from(s.minimum)),
                s.lower_quartile.to_string(),
                s.median.to_string(),
                s.upper_quartile.to_string(),
                count(u64::from(s.maximum)),
                format!("{:.2}", s.mean),
            ]);
        }
    }
    print(format_args!("{spread_table}\n"))?;
    let [one, three, five] = statistics
        .attainable_precision
        .map(|(_, most)| percent(most));
    print(format_args!(
        "highest attainable P@1 {one}   P@3 {three}   P@5 {five}"
    ))?;
    if statistics.single_label {
        print("every row has exactly one label")?;
    }
    Ok(())
}
