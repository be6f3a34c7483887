//! Choosing which n-grams of texts become features, by the precision on training texts held out.
//!
//! Problem: character n-grams tell inflected, compound and misspelled words apart and are worth 3
//! to 38 points on short texts, but cost 1 to 2 points where words say it all, and make rows four
//! times as long. No count of the texts tells.
//!
//! One-vs-rest with plain parameters is trained on features of each kind and judged on held-out
//! texts as settings are: first on few texts, then the best kind with characters and the one
//! without on more, and the better of these with punctuation. Minimum counts come last: the largest
//! one that costs nothing. Words stay as they are: to try others cost precision
//! (`benches/record/choice.md`).
//!
//! Cost: about the training that follows, counted in work as in [`super`]; where time is limited, a
//! quarter of it and the trial under way.

use super::{clock::Clock, heads::SURE, search::chance};
use crate::parameters::one_vs_rest::OneVsRest;
use crate::{
    data::{Dataset, LabelLists, Split},
    executor::Executor,
    float,
    kernels::Kernels,
    model::linear::scorer::LinearScorer,
    text::{FeatureSpace, NGrams, Vectorizer, VectorizerError, VectorizerOptions, as_texts},
    train::{
        TrainError, check_data, going,
        precision::{Figures, Tally},
    },
};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// What the user decided of the features of texts: this is not tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenFeatures {
    /// Whether the character n-grams stay as they are.
    pub characters: bool,
    /// Whether punctuation counts as it does, or does not.
    pub punctuation: bool,
    /// Whether the minimum count, or whatever numbers features, stays as it is.
    pub counts: bool,
}

/// Features and how well they did.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureTrial {
    /// What was tried.
    pub options: VectorizerOptions,
    /// What features are compared by, as in `super::Trial`.
    pub worth: f64,
    /// P@1 on them.
    pub at_1: f64,
    /// Number of texts it was trained on.
    pub trained: usize,
    /// Number of texts judged.
    pub judged: usize,
}

/// The features that were chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureChoice {
    /// What the vectorizer is to be told.
    pub options: VectorizerOptions,
    /// Every trial in its order; empty if nothing was tried.
    pub tried: Vec<FeatureTrial>,
    /// Whether time ended the trials before all were made (`Workers::trial_seconds`).
    pub ended: bool,
}

const fn grams(min: u8, max: u8) -> Option<NGrams> {
    Some(NGrams { min, max })
}

/// Character n-grams.
const CHARACTERS: [Option<NGrams>; 3] = [grams(2, 5), grams(3, 5), grams(1, 4)];

/// Least numbers of texts that a feature must occur in, beside that of the options.
const COUNTS: [u32; 1] = [3];

/// Held-out texts, at most and as a share: each is tokenized in every trial.
const MOST_HELD_OUT: f64 = 2_000.0;
const HELD_OUT: f64 = 0.2;

/// Texts below which what is held out says nothing.
const TOO_FEW_TEXTS: usize = 100;

/// The first trials have one text of so many, ...
const ONE_TEXT_OF: usize = 8;

/// ... but at most so many, ...
const FIRST_TEXTS: usize = 8_000;

/// ... and at least.
const LEAST_TEXTS: usize = 2_500;

/// How many times as many texts the last trials have.
const LAST: usize = 3;

/// Work of a first trial with words, at most: visits of a value by a label, about a tenth of a
/// second's.
const TRIAL: f64 = 1e8;

/// Where time is limited, trials of features end when less than this share of it is left.
const LEFT: f64 = 0.75;

/// A search under way.
struct Search<'a, P> {
    texts: &'a [&'a str],
    labels: &'a LabelLists,
    split: Split,
    parameters: OneVsRest,
    executor: &'a Executor,
    kernels: &'static dyn Kernels,
    progress: P,
    tried: Vec<FeatureTrial>,
    /// Work of the last trial.
    work: f64,
    clock: Clock,
}

/// Chooses what `given` leaves open of `base` for texts with these labels; `progress` hears how
/// many trials are done, and may stop the search.
///
/// # Errors
/// Bad options, texts without any features, lack of memory; [`TrainError::Stopped`] if `progress`
/// said so.
pub fn choose_features<T: AsRef<str> + Sync>(
    (texts, labels): (&[T], &LabelLists),
    base: &VectorizerOptions,
    given: GivenFeatures,
    parameters: &OneVsRest,
    (executor, kernels): (&Executor, &'static dyn Kernels),
    progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<FeatureChoice, TrainError> {
    base.check()?;
    // Texts of labels take no part: rows alone decide.
    let texts = &as_texts(&texts[..labels.measured().min(texts.len())])[..];
    let share = f64::min(HELD_OUT, MOST_HELD_OUT / texts.len().max(1) as f64);
    let split = Split::new(texts.len(), share, parameters.seed);
    // Counts are tried with characters alone.
    let counts = !given.counts && base.tokens.characters.is_some();
    let open = !given.characters || !given.punctuation || counts;
    let nothing = FeatureChoice {
        options: base.clone(),
        tried: Vec::new(),
        ended: false,
    };
    let Ok(split) = split else {
        return Ok(nothing);
    };
    if !open || texts.len() < TOO_FEW_TEXTS {
        return Ok(nothing);
    }
    let mut search = Search {
        texts,
        labels,
        split,
        parameters: parameters.clone(),
        executor,
        kernels,
        progress,
        tried: Vec::new(),
        work: 0.0,
        clock: Clock::start(executor),
    };
    let options = match search.run(base, given) {
        Err(error) if search.clock.ended(executor) => search.best_of_the_last().ok_or(error)?,
        options => options?,
    };
    Ok(FeatureChoice {
        options,
        ended: search.clock.ended(executor),
        tried: search.tried,
    })
}

impl<P: FnMut(usize) -> ControlFlow<()>> Search<'_, P> {
    fn run(
        &mut self,
        base: &VectorizerOptions,
        given: GivenFeatures,
    ) -> Result<VectorizerOptions, TrainError> {
        let with = |search: &mut Self, characters, texts| {
            let mut options = base.clone();
            if !given.characters {
                options.tokens.characters = characters;
            }
            search.attempt(options, texts)
        };
        let mut texts = (self.texts.len() / ONE_TEXT_OF).clamp(LEAST_TEXTS, FIRST_TEXTS);
        let mut best = with(self, None, texts)?;
        if self.work > TRIAL && best.trained > LEAST_TEXTS {
            // Half the texts have about half the values and, where labels are many, half the
            // labels.
            let share = float::sqrt(TRIAL / self.work);
            texts = ((best.trained as f64 * share) as usize).max(LEAST_TEXTS);
            best = with(self, None, texts)?;
        }
        if !given.characters {
            let least = best.worth - chance(best.judged);
            let mut with_them: Option<FeatureTrial> = None;
            for characters in CHARACTERS {
                let found = with(self, characters, texts)?;
                // Where some character n-grams do harm, others do.
                let harm = found.worth < least;
                with_them = Some(with_them.map_or(found.clone(), |best| better(best, found)));
                if harm {
                    break;
                }
            }
            best = with_them.unwrap_or(best);
            // What characters gain on few texts they may lose on many, and the other way round.
            let characters = best.options.tokens.characters;
            if characters.is_some() {
                let with_them = with(self, characters, LAST * texts)?;
                let without = with(self, None, LAST * texts)?;
                best = better(without, with_them);
            }
        }
        if !given.punctuation {
            let mut options = best.options.clone();
            options.tokens.punctuation = true;
            let found = self.attempt(options, best.trained)?;
            if found.worth > best.worth + SURE * chance(found.judged) {
                best = found;
            }
        }
        if !given.counts && best.options.tokens.characters.is_some() {
            best = self.fewer(best)?;
        }
        Ok(best.options)
    }

    /// The largest minimum count that costs nothing.
    fn fewer(&mut self, best: FeatureTrial) -> Result<FeatureTrial, TrainError> {
        let FeatureSpace::Vocabulary { min_documents, .. } = best.options.features else {
            return Ok(best);
        };
        for count in COUNTS.into_iter().filter(|&count| count > min_documents) {
            let mut options = best.options.clone();
            if let FeatureSpace::Vocabulary { min_documents, .. } = &mut options.features {
                *min_documents = count;
            }
            let found = self.attempt(options, best.trained)?;
            if found.worth >= best.worth - chance(found.judged) {
                return Ok(found);
            }
        }
        Ok(best)
    }

    /// Trains on at most `texts` texts and judges the held-out ones.
    fn attempt(
        &mut self,
        options: VectorizerOptions,
        texts: usize,
    ) -> Result<FeatureTrial, TrainError> {
        if let Some(known) = self.tried.iter().find(|known| {
            known.options == options && known.trained == texts.min(self.split.train.len())
        }) {
            return Ok(known.clone());
        }
        let mut trial = FeatureTrial {
            options,
            worth: 0.0,
            at_1: 0.0,
            trained: 0,
            judged: 0,
        };
        if let Some(found) = self.judge(&mut trial, texts)? {
            trial.worth = found.worth();
            trial.at_1 = found.precision.at_1;
            trial.judged = found.rows;
        }
        self.tried.push(trial.clone());
        going((self.progress)(self.tried.len()))?;
        match self.clock.ends_below(self.executor, LEFT) {
            true => Err(TrainError::Stopped),
            false => Ok(trial),
        }
    }

    /// The best features among the trials on as many texts as the last one had.
    fn best_of_the_last(&self) -> Option<VectorizerOptions> {
        let texts = self.tried.last()?.trained;
        let like = self.tried.iter().filter(|of| of.trained == texts);
        Some(like.cloned().reduce(better)?.options)
    }

    /// `None` if these features are too few to learn from.
    fn judge(
        &mut self,
        trial: &mut FeatureTrial,
        texts: usize,
    ) -> Result<Option<Figures>, TrainError> {
        let known = &self.split.train;
        let count = texts.min(known.len());
        let at = |place: usize| known[(place as u64 * known.len() as u64 / count as u64) as usize];
        let sample: Vec<usize> = (0..count).map(at).collect();
        trial.trained = count;
        let of =
            |rows: &[usize]| -> Vec<&str> { rows.iter().map(|&row| self.texts[row]).collect() };
        let fitted = Vectorizer::fit_transform(&of(&sample), trial.options.clone(), self.executor);
        let (vectorizer, rows) = match fitted {
            Ok(fitted) => fitted,
            Err(VectorizerError::NothingKept { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let train = Dataset::new(rows, self.labels.select(&sample), None);
        let Ok(train) = train else {
            return Ok(None);
        };
        if check_data(&train).is_err() {
            return Ok(None);
        }
        let present = train
            .labels()
            .frequencies()
            .iter()
            .filter(|&&f| f > 0)
            .count();
        self.work = present as f64 * (train.rows().nonzeros() + 4 * train.len()) as f64;
        let model = self
            .parameters
            .train(&train, self.executor, self.kernels, |_| {
                ControlFlow::Continue(())
            })?;
        let held_out = &self.split.held_out;
        let rows = vectorizer.transform_all(&of(held_out), self.executor);
        let scorer = LinearScorer::new(&model).map_err(|_| TrainError::OutOfMemory {
            bytes: model.bytes() as u64,
        })?;
        let k = super::candidates::DEPTH.min(model.labels() as usize).max(1);
        let answers = scorer.predict_rows(&rows, k, self.kernels, self.executor);
        let mut tally = Tally::of(train.labels());
        for (best, &row) in answers.chunks(k).zip(held_out) {
            tally.count(best, self.labels.row(row));
        }
        Ok(Some(tally.figures()))
    }
}

/// The second if it is better by more than chance.
fn better(first: FeatureTrial, second: FeatureTrial) -> FeatureTrial {
    match second.worth > first.worth + chance(second.judged) {
        true => second,
        false => first,
    }
}
