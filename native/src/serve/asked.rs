//! What a request asks: texts or rows for a model, answered a slice at a time.

use super::{
    Limits, annif,
    answers::{self, Answer, answer},
    models::Loaded,
    problem::Problem,
};
use crate::thresholds::{Threshold, Thresholds};
use axum::http::StatusCode;
use hapax_core::{
    model::{Model, PredictError, Scratch},
    sparse::{SparseVec, SparseView},
};
use serde::Deserialize;
use serde_json::Value;
use std::{
    fmt::Display,
    ops::ControlFlow,
    time::{Duration, Instant},
};
use tokio::sync::OwnedSemaphorePermit;

/// After so long a worker looks for others that wait.
const SLICE: Duration = Duration::from_millis(2);
/// So many labels a text gets where `k` is not given.
const USUAL_K: usize = 5;
/// So many at most where a probability says how many.
const MANY: usize = 20;

/// The body of a request for predictions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(default)]
    texts: Option<Vec<String>>,
    #[serde(default)]
    rows: Option<Vec<Row>>,
    #[serde(default, alias = "at_most")]
    k: Option<usize>,
    /// A probability, "micro" or "macro".
    #[serde(default)]
    above: Option<Value>,
    /// A probability, or true for the stored one.
    #[serde(default)]
    abstain: Option<Value>,
    #[serde(default)]
    explain: bool,
}

/// A row of features, numbered from 0, in any order.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    indices: Vec<u32>,
    values: Vec<f32>,
}

pub enum Query {
    Text(String),
    Row(SparseVec),
}

/// How answers are written.
pub enum Form {
    /// `{"model": …, "answers": [{"labels": …}, …]}`
    Answers {
        explain: bool,
        thresholds: Thresholds,
    },
    /// `{"results": [{"uri": …, "score": …}, …]}`
    Annif { threshold: f64 },
}

/// A request that is understood, and how much of it is answered.
pub struct Asked {
    queries: Vec<Query>,
    k: usize,
    form: Form,
    done: usize,
    out: Vec<u8>,
    /// The body's share of memory, as long as what was made of it is there.
    #[expect(dead_code, reason = "held until it is dropped")]
    held: Option<OwnedSemaphorePermit>,
}

impl Asked {
    pub fn new(queries: Vec<Query>, k: usize, form: Form) -> Self {
        Self {
            queries,
            k,
            form,
            done: 0,
            out: Vec::new(),
            held: None,
        }
    }

    pub fn holding(self, held: Option<OwnedSemaphorePermit>) -> Self {
        Self { held, ..self }
    }

    /// How many texts or rows have their answer.
    pub fn rows(&self) -> usize {
        self.done
    }

    /// Answers for the time of a slice; breaks with the response when all is answered.
    pub fn go_on(
        &mut self,
        loaded: &Loaded,
        scratch: &mut Scratch,
    ) -> ControlFlow<Result<Vec<u8>, Problem>> {
        if self.done == 0 {
            self.begin(loaded);
        }
        let began = Instant::now();
        while let Some(query) = self.queries.get(self.done) {
            let found = self.form.write(
                &mut self.out,
                (&loaded.model, query),
                (self.k, self.done),
                scratch,
            );
            if let Err(error) = found {
                let problem = Problem::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "failed",
                    format!("the answer cannot be written: {error}"),
                );
                return ControlFlow::Break(Err(problem));
            }
            self.done += 1;
            if began.elapsed() > SLICE && self.done < self.queries.len() {
                return ControlFlow::Continue(());
            }
        }
        let mut out = std::mem::take(&mut self.out);
        out.extend_from_slice(b"]}");
        ControlFlow::Break(Ok(out))
    }

    fn begin(&mut self, loaded: &Loaded) {
        match self.form {
            Form::Answers { .. } => {
                self.out.extend_from_slice(b"{\"model\":");
                // Only a writer that fails can fail.
                let _ = serde_json::to_writer(&mut self.out, &loaded.name);
                self.out.extend_from_slice(b",\"answers\":[");
            }
            Form::Annif { .. } => self.out.extend_from_slice(b"{\"results\":["),
        }
    }
}

impl Form {
    /// Appends the answer to one query.
    fn write(
        &self,
        out: &mut Vec<u8>,
        (model, query): (&Model, &Query),
        (k, at): (usize, usize),
        scratch: &mut Scratch,
    ) -> serde_json::Result<()> {
        match *self {
            Self::Answers {
                explain,
                thresholds,
            } => {
                let limits = answers::Limits {
                    k,
                    explain,
                    thresholds,
                };
                let found = with_row(model, query, scratch, |row, scratch| {
                    answer(model, row, limits, scratch)
                });
                let found = found.unwrap_or_else(|problem| Answer::none(problem.to_string()));
                if at > 0 {
                    out.push(b',');
                }
                serde_json::to_writer(out, &found)
            }
            Self::Annif { threshold } => {
                let found = with_row(model, query, scratch, |row, scratch| {
                    annif::results(model, row, (k, threshold), scratch)
                });
                // A text without a known word has no subjects, which is no error to Annif.
                annif::write(out, &found.unwrap_or_default())
            }
        }
    }
}

fn with_row<T>(
    model: &Model,
    query: &Query,
    scratch: &mut Scratch,
    then: impl FnOnce(SparseView<'_>, &mut Scratch) -> Result<T, PredictError>,
) -> Result<T, PredictError> {
    match query {
        Query::Row(row) => then(row.view(), scratch),
        Query::Text(text) => {
            let row = model.row(text, scratch)?;
            then(row.view(), scratch)
        }
    }
}

/// Understands the JSON of `POST /v1/models/{model}/predict`.
pub fn parse(body: &[u8], loaded: &Loaded, limits: &Limits) -> Result<Asked, Problem> {
    let wrong = |what: &dyn Display| {
        let message = format!(
            "the body is not the JSON of a request: {what}; send {{\"texts\": [\"…\"], \"k\": 5}}, or see /openapi.json"
        );
        Problem::new(StatusCode::BAD_REQUEST, "not_understood", message)
    };
    // A list would be taken for the fields in their order.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(wrong(&"it is a list, not an object"));
    }
    let wanted: Wanted = serde_json::from_slice(body).map_err(|error| wrong(&error))?;
    let queries: Vec<Query> = match (wanted.texts, wanted.rows) {
        (Some(texts), None) if loaded.model.vectorizer().is_some() => {
            texts.into_iter().map(Query::Text).collect()
        }
        (Some(_), None) => {
            return Err(Problem::unfit(
                "the model was trained on rows of numbers, not on texts: send \"rows\" of \
                 {\"indices\": [0, 7], \"values\": [1.0, 0.5]}",
            ));
        }
        (None, Some(rows)) => rows
            .into_iter()
            .enumerate()
            .map(query)
            .collect::<Result<_, _>>()?,
        (None, None) => {
            let message =
                "the request has neither \"texts\" nor \"rows\": send a list of one of them";
            return Err(Problem::unfit(message));
        }
        (Some(_), Some(_)) => {
            let message = "the request has both \"texts\" and \"rows\": send one list a request";
            return Err(Problem::unfit(message));
        }
    };
    let thresholds = thresholds(wanted.above, wanted.abstain, &loaded.model)?;
    let explain = wanted.explain;
    let usual = if thresholds.above.is_some() {
        MANY
    } else {
        USUAL_K
    };
    let k = fitting(wanted.k.unwrap_or(usual), &queries, explain, loaded, limits)?;
    let form = Form::Answers {
        explain,
        thresholds,
    };
    Ok(Asked::new(queries, k, form))
}

/// The probabilities from which answers are given.
fn thresholds(
    above: Option<Value>,
    abstain: Option<Value>,
    model: &Model,
) -> Result<Thresholds, Problem> {
    let wrong = |field: &str, value: &Value, wanted: &str| {
        Problem::unfit(format!("\"{field}\" is {value}: send {wanted}"))
    };
    let number = |value: &Value| {
        let number = value.as_f64().filter(|p| (0.0..=1.0).contains(p))?;
        Some(Threshold::Given(number as f32))
    };
    let above = match above {
        None => None,
        Some(value) => {
            let named = value.as_str().and_then(|name| match name {
                "micro" => Some(Threshold::Micro),
                "macro" => Some(Threshold::Macro),
                _ => None,
            });
            let wanted = "a probability from 0 to 1, \"micro\" or \"macro\"";
            let given = named.or_else(|| number(&value));
            Some(given.ok_or_else(|| wrong("above", &value, wanted))?)
        }
    };
    let abstain = match abstain {
        None | Some(Value::Bool(false)) => None,
        Some(Value::Bool(true)) => Some(Threshold::Abstain),
        Some(value) => {
            let wanted = "a probability from 0 to 1, or true for the stored one";
            Some(number(&value).ok_or_else(|| wrong("abstain", &value, wanted))?)
        }
    };
    if above.is_none() && abstain.is_none() {
        return Ok(Thresholds::default());
    }
    let Some(calibration) = model.calibration() else {
        return Err(Problem::unfit(
            "the model has scores, but no probabilities, which \"above\" and \"abstain\" need: train it again, \
             on 200 rows or more and without --no-calibration",
        ));
    };
    Ok(Thresholds {
        above: above.map(|p| p.of(calibration)),
        abstain: abstain.map(|p| p.of(calibration)),
    })
}

fn query((at, row): (usize, Row)) -> Result<Query, Problem> {
    let (indices, values) = (row.indices.len(), row.values.len());
    if indices != values {
        let message = format!(
            "rows[{at}] has {indices} indices but {values} values: send one value for each index"
        );
        return Err(Problem::unfit(message));
    }
    let row = SparseVec::from_pairs(row.indices.into_iter().zip(row.values));
    row.map(Query::Row).map_err(|error| {
        let message = format!("rows[{at}]: {error}; send finite numbers within the range of f32");
        Problem::unfit(message)
    })
}

/// How many labels each query gets, or what is wrong with asking for so many.
pub fn fitting(
    k: usize,
    queries: &[Query],
    explain: bool,
    loaded: &Loaded,
    limits: &Limits,
) -> Result<usize, Problem> {
    if k == 0 {
        return Err(Problem::unfit(format!(
            "{}; leave it out for {USUAL_K}",
            PredictError::ZeroAnswers
        )));
    }
    let k = k.min(loaded.model.labels().max(1) as usize);
    let most = if explain {
        limits.explained
    } else {
        limits.suggestions
    };
    let rows = queries.len();
    if rows.saturating_mul(k) > most {
        let message = format!(
            "{rows} texts or rows with {k} labels each are more than the {most} suggestions of a request: \
             ask for fewer, or in several requests"
        );
        return Err(Problem::unfit(message));
    }
    Ok(k)
}
