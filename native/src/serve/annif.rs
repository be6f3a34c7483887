//! The protocol of Annif's backend `http`, so that hapax serves an Annif project without any code
//! in Python: `endpoint=http://127.0.0.1:8080/v1/projects/MODEL/suggest`.
//!
//! Annif sends a form with `text` and perhaps `project` and `limit`, and wants `results` with `uri`
//! and `score`; labels are taken for URIs. Scores there go from 0 to 1: they are the probabilities
//! of a calibrated model. Of another, votes v >= 0 of nearest neighbors become v / (1 + v), and any
//! other score s becomes 1 / (1 + exp(-s)).

use super::{
    Limits,
    answers::{best, label},
    asked::{Asked, Form, Query, fitting},
    models::Loaded,
    problem::Problem,
};
use axum::http::StatusCode;
use hapax_core::{
    model::{Method, Model, PredictError, Scratch},
    sparse::SparseView,
};
use serde::Serialize;

/// So many subjects Annif gets where it does not say how many it wants, as from Annif itself.
const USUAL_LIMIT: usize = 10;

/// A suggested subject.
#[derive(Serialize)]
pub struct Subject {
    uri: String,
    label: String,
    notation: Option<String>,
    score: f64,
}

/// Understands the form of `POST /v1/projects/{model}/suggest`.
pub fn parse(body: &[u8], loaded: &Loaded, limits: &Limits) -> Result<Asked, Problem> {
    let (mut text, mut limit, mut threshold) = (None, USUAL_LIMIT, 0.0);
    for (name, value) in form_urlencoded::parse(body) {
        match &*name {
            "text" => text = Some(value.into_owned()),
            "limit" => limit = number(&name, &value)?,
            "threshold" => threshold = number(&name, &value)?,
            // Annif sends the name of a project; others send what other servers want.
            _ => {}
        }
    }
    let Some(text) = text else {
        return Err(not_understood("the form has no field \"text\""));
    };
    if loaded.model.vectorizer().is_none() {
        let message =
            "the model was trained on rows of numbers, not on texts: serve one trained on texts";
        return Err(Problem::unfit(message));
    }
    let queries = vec![Query::Text(text)];
    let k = fitting(limit, &queries, false, loaded, limits)?;
    Ok(Asked::new(queries, k, Form::Annif { threshold }))
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, Problem> {
    value
        .parse()
        .map_err(|_| not_understood(&format!("{name} is {value:?}, which is no number")))
}

fn not_understood(what: &str) -> Problem {
    let message = format!("{what}: send text=…&limit=10 as application/x-www-form-urlencoded");
    Problem::new(StatusCode::BAD_REQUEST, "not_understood", message)
}

/// The subjects of a row, those below the threshold left out.
pub fn results(
    model: &Model,
    row: SparseView<'_>,
    (k, threshold): (usize, f64),
    scratch: &mut Scratch,
) -> Result<Vec<Subject>, PredictError> {
    let votes = matches!(model.method(), Method::Nearest(_));
    let ranked = best(model, row, k, scratch)?;
    let subjects = ranked.best.iter().enumerate().map(|(at, scored)| {
        let name = label(model, scored.id);
        let probability = ranked.probabilities.get(at).copied().map(f64::from);
        Subject {
            uri: name.clone(),
            label: name,
            notation: None,
            score: probability.unwrap_or_else(|| squashed(scored.score.into(), votes)),
        }
    });
    Ok(subjects
        .filter(|subject| subject.score >= threshold)
        .collect())
}

/// A score from 0 to 1, in the same order.
fn squashed(score: f64, votes: bool) -> f64 {
    match votes {
        true => score.max(0.0) / (1.0 + score.max(0.0)),
        false => 1.0 / (1.0 + (-score).exp()),
    }
}

/// Appends subjects to a list that is open.
pub fn write(out: &mut Vec<u8>, subjects: &[Subject]) -> serde_json::Result<()> {
    for (at, subject) in subjects.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        serde_json::to_writer(&mut *out, subject)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::squashed;

    #[test]
    fn scores_keep_their_order_between_0_and_1() {
        for votes in [true, false] {
            let scores = [-1e30, -3.0, -0.1, 0.0, 0.1, 2.0, 1e30].map(|s| squashed(s, votes));
            assert!(
                scores.iter().all(|score| (0.0..=1.0).contains(score)),
                "{scores:?}"
            );
            assert!(scores.is_sorted(), "{scores:?}");
        }
        assert_eq!(squashed(0.0, false), 0.5);
        assert_eq!(squashed(1.0, true), 0.5);
    }
}
