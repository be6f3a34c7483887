//! The JSON of answers: that of `hapax predict --output jsonl`.

use crate::thresholds::Thresholds;
use hapax_core::{
    model::{Contribution, Evidence, Method, Model, PredictError, Scratch, SharedFeature},
    search::Scored,
    sparse::SparseView,
};
use serde::Serialize;

/// How many neighbors, and features of each, an explanation shows.
const EVIDENCE: (usize, usize) = (5, 8);

/// What a text or a row gets.
#[derive(Default, Serialize)]
pub struct Answer {
    labels: Vec<Label>,
    /// The probability that none of the first five is right, of calibrated models.
    #[serde(skip_serializing_if = "Option::is_none")]
    none: Option<f64>,
    /// Whether the first answer was not sure enough to be given.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    abstained: bool,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Why>,
}

/// A suggested label.
#[derive(Serialize)]
pub struct Label {
    id: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    score: f32,
    /// Of calibrated models.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
}

/// How many labels a row gets, and which.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub k: usize,
    pub explain: bool,
    pub thresholds: Thresholds,
}

/// The best labels of a row, and what they are worth where the model is calibrated.
pub struct Ranked {
    pub best: Vec<Scored>,
    /// One for each label; empty where the model has none.
    pub probabilities: Vec<f32>,
    none: Option<f32>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Why {
    Neighbors(Vec<Neighbor>),
    Features(Vec<LabelFeatures>),
}

/// A row that voted.
#[derive(Serialize)]
struct Neighbor {
    row: u32,
    label_text: bool,
    similarity: f32,
    vote: f32,
    labels: Vec<String>,
    features: Vec<Shared>,
}

#[derive(Serialize)]
struct Shared {
    feature: String,
    share: f32,
}

/// What features add to the score of a label.
#[derive(Serialize)]
struct LabelFeatures {
    label: String,
    features: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    feature: String,
    score: f32,
}

impl Answer {
    pub fn none(problem: String) -> Self {
        Self {
            problem: Some(problem),
            ..Self::default()
        }
    }
}

/// The best labels of a row. What training never saw is no answer.
pub fn best(
    model: &Model,
    row: SparseView<'_>,
    k: usize,
    scratch: &mut Scratch,
) -> Result<Ranked, PredictError> {
    // The first answer's probability depends on the second's score.
    let found = model.predict(row, k.max(2), scratch)?;
    let calibration = model.calibration();
    let seen = found.iter().filter(|s| s.score > f32::MIN);
    let best: Vec<Scored> = seen.take(k).copied().collect();
    let probabilities = calibration.map(|c| c.probabilities(found).take(best.len()).collect());
    Ok(Ranked {
        best,
        probabilities: probabilities.unwrap_or_default(),
        none: calibration.map(|c| c.none(found)),
    })
}

/// The answer for a row, with what speaks for it if that is wanted.
pub fn answer(
    model: &Model,
    row: SparseView<'_>,
    limits: Limits,
    scratch: &mut Scratch,
) -> Result<Answer, PredictError> {
    let mut ranked = best(model, row, limits.k, scratch)?;
    let mut abstained = false;
    if model.calibration().is_some() {
        let given;
        (given, abstained) = limits.thresholds.given(&ranked.probabilities);
        ranked.best.truncate(given);
    }
    let evidence = match limits.explain {
        true => Some(why(model, row, &ranked.best, scratch)?),
        false => None,
    };
    let label = |(at, s): (usize, &Scored)| Label {
        id: s.id,
        name: model.label_name(s.id),
        score: s.score,
        probability: ranked.probabilities.get(at).copied().map(rounded),
    };
    Ok(Answer {
        labels: ranked.best.iter().enumerate().map(label).collect(),
        none: ranked.none.map(rounded),
        abstained,
        problem: None,
        evidence,
    })
}

/// A probability to four places.
fn rounded(probability: f32) -> f64 {
    (f64::from(probability) * 1e4).round() / 1e4
}

fn why(
    model: &Model,
    row: SparseView<'_>,
    best: &[Scored],
    scratch: &mut Scratch,
) -> Result<Why, PredictError> {
    let (neighbors, features) = EVIDENCE;
    if !matches!(model.method(), Method::Linear(_)) {
        let found = model.explain(row, neighbors, features, scratch)?;
        let found = found.iter().map(|evidence| neighbor(model, evidence));
        return Ok(Why::Neighbors(found.collect()));
    }
    let part = |part: &Contribution| Part {
        feature: feature(model, part.feature),
        score: part.score,
    };
    let labels = best.iter().map(|scored| {
        let parts = model.contributions(row, scored.id, features, scratch)?;
        Ok(LabelFeatures {
            label: label(model, scored.id),
            features: parts.iter().map(part).collect(),
        })
    });
    Ok(Why::Features(labels.collect::<Result<_, PredictError>>()?))
}

fn neighbor(model: &Model, evidence: &Evidence) -> Neighbor {
    let shared = |shared: &SharedFeature| Shared {
        feature: feature(model, shared.feature),
        share: shared.share,
    };
    Neighbor {
        row: evidence.row,
        label_text: evidence.label_text,
        similarity: evidence.similarity,
        vote: evidence.vote,
        labels: evidence.labels.iter().map(|&id| label(model, id)).collect(),
        features: evidence.features.iter().map(shared).collect(),
    }
}

/// The name of a label, or its number where labels have no names.
pub fn label(model: &Model, id: u32) -> String {
    model.label_name(id).unwrap_or_else(|| id.to_string())
}

fn feature(model: &Model, id: u32) -> String {
    let vectorizer = model.vectorizer();
    let name = vectorizer.and_then(|vectorizer| vectorizer.feature_name(id));
    name.unwrap_or_else(|| id.to_string())
}
