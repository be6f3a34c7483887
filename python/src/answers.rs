//! Many answers at once, as arrays.

use super::matrix::{RowScratch, Rows};
use hapax::core::executor::{Executor, Sequential};
use hapax::core::model::{Model, PredictError, Scratch};
use hapax::kernels;
use hapax::threads::Threads;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use std::iter::repeat_with;

/// What is asked.
pub enum Questions<'a> {
    /// Rows in place.
    Rows(Rows<'a>),
    /// Texts.
    Texts(Vec<PyBackedStr>),
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

/// Ids, scores and probabilities of the answers, best first, `k` for each question: -1, minus
/// infinity and 0 where there are fewer. Without probabilities there are none of these.
pub struct Answers {
    ids: Vec<i32>,
    scores: Vec<f32>,
    probabilities: Vec<f32>,
}

/// The same as arrays.
pub type Flat<'py> = (
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<f32>>,
    Option<Bound<'py, PyArray1<f32>>>,
);

impl Answers {
    /// No answers to so many questions.
    fn new(questions: usize, Wanted { k, probabilities }: Wanted) -> Self {
        Self {
            ids: vec![-1; questions * k],
            scores: vec![f32::NEG_INFINITY; questions * k],
            probabilities: vec![0.0; if probabilities { questions * k } else { 0 }],
        }
    }

    /// The places of the answers to `each` questions, and then to the next.
    fn places(&mut self, k: usize, each: usize) -> Vec<Places<'_>> {
        let ids = self.ids.chunks_mut(each * k);
        let scores = self.scores.chunks_mut(each * k);
        let sure = self.probabilities.chunks_mut(each * k);
        let sure = sure.chain(repeat_with(|| &mut [][..]));
        ids.zip(scores.zip(sure))
            .map(|(ids, (scores, probabilities))| Places {
                ids,
                scores,
                probabilities,
            })
            .collect()
    }

    /// The arrays.
    pub fn flat<'py>(self, py: Python<'py>, wanted: Wanted) -> Flat<'py> {
        let sure = wanted.probabilities.then_some(self.probabilities);
        (
            self.ids.into_pyarray(py),
            self.scores.into_pyarray(py),
            sure.map(|sure| sure.into_pyarray(py)),
        )
    }
}

/// Where answers go.
struct Places<'a> {
    ids: &'a mut [i32],
    scores: &'a mut [f32],
    probabilities: &'a mut [f32],
}

/// Up to so many questions are answered on the caller's thread: to start others takes longer.
const FEW: usize = 16;

/// A thread takes its questions in so many pieces, so that all end together.
const PIECES: usize = 16;

impl Questions<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    /// Answers questions from `start` on, as many as there are places. A text without a known word
    /// has no answers, and neither have labels that training never saw.
    fn answer(
        &self,
        model: &Model,
        start: usize,
        wanted: Wanted,
        places: Places<'_>,
    ) -> Result<(), Problem> {
        let calibration = model.calibration().filter(|_| wanted.probabilities);
        // The first answer's probability depends on the second's score.
        let k = wanted.k.max(if calibration.is_some() { 2 } else { 1 });
        let (mut scratch, mut read) = (Scratch::new(kernels::best()), RowScratch::default());
        let ids = places.ids.chunks_mut(wanted.k);
        let scores = places.scores.chunks_mut(wanted.k);
        for (place, (ids, scores)) in ids.zip(scores).enumerate() {
            let best = match self {
                Self::Rows(rows) => {
                    let row = rows.row(start + place, &mut read).map_err(Problem::Row)?;
                    model.predict(row, k, &mut scratch)
                }
                Self::Texts(texts) => match model.row(&texts[start + place], &mut scratch) {
                    Ok(row) => model.predict(row.view(), k, &mut scratch),
                    Err(PredictError::NoFeatures(_)) => continue,
                    Err(error) => Err(error),
                },
            };
            let best = best.map_err(Problem::Model)?;
            let given = best.iter().take_while(|scored| scored.score > f32::MIN);
            let mut count = 0;
            for (scored, (id, score)) in given.zip(ids.iter_mut().zip(scores)) {
                (*id, *score) = (scored.id as i32, scored.score);
                count += 1;
            }
            if let Some(known) = calibration {
                let sure = places.probabilities[place * wanted.k..].iter_mut();
                let sure = sure.take(count).zip(known.probabilities(best));
                sure.for_each(|(to, probability)| *to = probability);
            }
        }
        Ok(())
    }

    /// The answers to all, in order. They are written where they stay: there may be millions.
    pub fn answers(
        &self,
        model: &Model,
        wanted: Wanted,
        threads: Option<&Threads>,
    ) -> Result<Answers, Problem> {
        let mut answers = Answers::new(self.len(), wanted);
        let executor: &Executor = threads.map_or(&Sequential, |threads| threads);
        let pieces = PIECES * executor.threads();
        let each = self.len().div_ceil(pieces).max(1);
        let places = answers.places(wanted.k, each);
        let one = |piece, places| self.answer(model, piece * each, wanted, places);
        let all = executor.map_items(places, one);
        all.into_iter().collect::<Result<(), _>>()?;
        Ok(answers)
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
