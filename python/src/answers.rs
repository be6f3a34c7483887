//! Many answers at once, as arrays.

use super::matrix::Rows;
use hapax::core::executor::{Executor, Sequential};
use hapax::core::model::{Model, PredictError, Scratch};
use hapax::core::search::Scored;
use hapax::kernels;
use hapax::threads::Threads;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

/// What is asked.
pub enum Questions<'a> {
    /// Rows in place.
    Rows(Rows<'a>),
    /// Texts.
    Texts(Vec<PyBackedStr>),
}

/// What a row is answered: best first, and the probability of each, where they are wanted and the
/// model has them.
#[derive(Default)]
pub struct Answer {
    best: Vec<Scored>,
    probabilities: Vec<f32>,
}

/// How many answers a question gets at most, and whether with probabilities.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub k: usize,
    pub probabilities: bool,
}

/// Why a question has no answer.
pub enum Problem {
    /// The row is not one.
    Row(String),
    /// The model fails.
    Model(PredictError),
}

/// Up to so many questions are answered on the caller's thread: to start others takes longer.
const FEW: usize = 16;

impl Questions<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    /// The answers to one question. A text without a known word has none, and neither have labels
    /// that training never saw.
    fn answer(
        &self,
        model: &Model,
        at: usize,
        wanted: Wanted,
        scratch: &mut Scratch,
    ) -> Result<Answer, Problem> {
        let calibration = model.calibration().filter(|_| wanted.probabilities);
        // The first answer's probability depends on the second's score.
        let k = wanted.k.max(if calibration.is_some() { 2 } else { 1 });
        let best = match self {
            Self::Rows(rows) => {
                let row = rows.row(at).map_err(Problem::Row)?;
                model.predict(row, k, scratch)
            }
            Self::Texts(texts) => match model.row(&texts[at], scratch) {
                Ok(row) => model.predict(row.view(), k, scratch),
                Err(PredictError::NoFeatures(_)) => return Ok(Answer::default()),
                Err(error) => Err(error),
            },
        };
        let best = best.map_err(Problem::Model)?;
        let given = best[..wanted.k.min(best.len())].iter();
        let given = given.take_while(|scored| scored.score > f32::MIN);
        let probabilities = calibration.map(|known| known.probabilities(best).collect());
        Ok(Answer {
            best: given.copied().collect(),
            probabilities: probabilities.unwrap_or_default(),
        })
    }

    /// The answers to all, in order.
    pub fn answers(
        &self,
        model: &Model,
        wanted: Wanted,
        threads: Option<&Threads>,
    ) -> Result<Vec<Answer>, Problem> {
        let scratch = || Scratch::new(kernels::best());
        let one = |scratch: &mut Scratch, at| self.answer(model, at, wanted, scratch);
        let all = match threads {
            Some(threads) => threads.map(self.len(), scratch, one),
            None => Sequential.map(self.len(), scratch, one),
        };
        all.into_iter().collect()
    }

    /// The pool to answer with. It lives as long as the call, so that a process which forks finds
    /// no threads that are gone.
    pub fn pool(&self, threads: usize) -> PyResult<Option<Threads>> {
        if threads == 1 || self.len() <= FEW {
            return Ok(None);
        }
        Threads::new(threads)
            .map(Some)
            .map_err(super::errors::wrong)
    }
}

/// Ids, scores and probabilities of the answers, `k` for each question: -1, minus infinity and 0
/// where there are fewer.
pub type Flat<'py> = (
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<f32>>,
    Option<Bound<'py, PyArray1<f32>>>,
);

/// Answers as arrays of `k` columns, one row behind the other.
pub fn flat<'py>(
    py: Python<'py>,
    answers: &[Answer],
    Wanted { k, probabilities }: Wanted,
) -> Flat<'py> {
    let mut ids = vec![-1i32; answers.len() * k];
    let mut scores = vec![f32::NEG_INFINITY; answers.len() * k];
    let mut sure = vec![0f32; if probabilities { answers.len() * k } else { 0 }];
    for (row, answer) in answers.iter().enumerate() {
        let places = row * k..row * k + answer.best.len();
        let (ids, scores) = (&mut ids[places.clone()], &mut scores[places.clone()]);
        for (scored, (id, score)) in answer.best.iter().zip(ids.iter_mut().zip(scores)) {
            (*id, *score) = (scored.id as i32, scored.score);
        }
        if probabilities {
            sure[places].copy_from_slice(&answer.probabilities[..answer.best.len()]);
        }
    }
    (
        ids.into_pyarray(py),
        scores.into_pyarray(py),
        probabilities.then(|| sure.into_pyarray(py)),
    )
}
