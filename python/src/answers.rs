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
        k: usize,
        scratch: &mut Scratch,
    ) -> Result<Vec<Scored>, Problem> {
        let best = match self {
            Self::Rows(rows) => {
                let row = rows.row(at).map_err(Problem::Row)?;
                model.predict(row, k, scratch)
            }
            Self::Texts(texts) => match model.row(&texts[at], scratch) {
                Ok(row) => model.predict(row.view(), k, scratch),
                Err(PredictError::NoFeatures(_)) => return Ok(Vec::new()),
                Err(error) => Err(error),
            },
        };
        let best = best.map_err(Problem::Model)?.iter();
        Ok(best
            .filter(|scored| scored.score > f32::MIN)
            .copied()
            .collect())
    }

    /// The answers to all, in order.
    pub fn answers(
        &self,
        model: &Model,
        k: usize,
        threads: Option<&Threads>,
    ) -> Result<Vec<Vec<Scored>>, Problem> {
        let scratch = || Scratch::new(kernels::best());
        let one = |scratch: &mut Scratch, at| self.answer(model, at, k, scratch);
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

/// Ids and scores of the answers, `k` for each question: -1 and minus infinity where there are
/// fewer.
pub type Flat<'py> = (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f32>>);

/// Answers as two arrays of `k` columns, one row behind the other.
pub fn flat<'py>(py: Python<'py>, answers: &[Vec<Scored>], k: usize) -> Flat<'py> {
    let mut ids = vec![-1i32; answers.len() * k];
    let mut scores = vec![f32::NEG_INFINITY; answers.len() * k];
    let places = ids.chunks_mut(k).zip(scores.chunks_mut(k));
    for (best, (ids, scores)) in answers.iter().zip(places) {
        for (scored, (id, score)) in best.iter().zip(ids.iter_mut().zip(scores)) {
            (*id, *score) = (scored.id as i32, scored.score);
        }
    }
    (ids.into_pyarray(py), scores.into_pyarray(py))
}
