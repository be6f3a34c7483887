//! Which tokens the training texts hold, and in how many texts each.

use super::{
    TokenOptions, VectorizerError,
    tokens::{TokenScratch, for_each_token},
};
use crate::{executor::Executor, hash::FeatureHash, interner::Interner, names::Names};
use alloc::{vec, vec::Vec};

/// Texts counted in one job. The counts of a job are joined in order, so it never shows.
const TEXTS_A_JOB: usize = 512;

/// Jobs for each thread before their counts are joined: few, because counts take memory.
const JOBS_A_THREAD: usize = 4;

/// Which tokens some texts hold: each by a number, with the times that it occurs in the text.
#[derive(Default)]
pub(super) struct Occurrences {
    tokens: Vec<(u32, u32)>,
    /// Where the tokens of each text end.
    ends: Vec<usize>,
}

impl Occurrences {
    /// Of each text its different tokens in the order in which they first occur.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        let starts = core::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.tokens[start..end])
    }
}

/// Tokens, and in how many texts each occurs.
#[derive(Default)]
struct Counts {
    tokens: Interner,
    documents: Vec<u32>,
}

impl Counts {
    fn of(
        texts: &[&str],
        options: &TokenOptions,
        scratch: &mut TokenScratch,
    ) -> (Self, Occurrences) {
        let (mut counts, mut found) = (Self::default(), Occurrences::default());
        // Where the last text that held the token has it, from 1.
        let mut places = Vec::new();
        for text in texts {
            let start = found.tokens.len();
            for_each_token(text, options, scratch, |token| {
                // A job's texts hold fewer than 2^32 tokens, or memory ends first.
                let Some(number) = counts.tokens.intern(token) else {
                    return;
                };
                let id = number as usize;
                if id == places.len() {
                    places.push(0);
                    counts.documents.push(0);
                }
                if places[id] > start {
                    found.tokens[places[id] - 1].1 += 1;
                } else {
                    counts.documents[id] += 1;
                    found.tokens.push((number, 1));
                    places[id] = found.tokens.len();
                }
            });
            found.ends.push(found.tokens.len());
        }
        (counts, found)
    }

    /// Adds the counts of a part, whose tokens get the numbers that they have here.
    fn join(&mut self, part: &Self, found: &mut Occurrences) -> Result<(), VectorizerError> {
        let mut numbers = Vec::with_capacity(part.documents.len());
        for (token, &documents) in part.tokens.iter().zip(&part.documents) {
            let number = self.tokens.intern(token).ok_or(VectorizerError::TooLarge)?;
            let id = number as usize;
            if id == self.documents.len() {
                self.documents.push(0);
            }
            self.documents[id] += documents;
            numbers.push(number);
        }
        for (number, _) in &mut found.tokens {
            *number = numbers[*number as usize];
        }
        Ok(())
    }
}

/// Runs `count` over the texts in jobs and gives the results to `join` in order.
fn in_jobs<P: Send>(
    texts: &[&str],
    executor: &Executor,
    count: impl Fn(&mut TokenScratch, &[&str]) -> P + Sync,
    mut join: impl FnMut(P) -> Result<(), VectorizerError>,
) -> Result<(), VectorizerError> {
    let wave = executor.threads().max(1) * JOBS_A_THREAD * TEXTS_A_JOB;
    for texts in texts.chunks(wave) {
        let jobs: Vec<&[&str]> = texts.chunks(TEXTS_A_JOB).collect();
        let parts = executor.map(jobs.len(), TokenScratch::default, |scratch, job| {
            count(scratch, jobs[job])
        });
        parts.into_iter().try_for_each(&mut join)?;
    }
    Ok(())
}

/// Limits on the tokens of a vocabulary; see [`FeatureSpace`](super::FeatureSpace).
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) min_documents: u32,
    pub(super) max_document_share: f64,
    pub(super) max_features: Option<u32>,
}

/// The tokens of texts that are within some limits, and all that the texts hold.
pub(super) struct Vocabulary {
    /// The tokens in alphabetical order.
    pub(super) names: Names,
    /// In how many texts each of them occurs.
    pub(super) documents: Vec<u32>,
    /// For each number of [`Occurrences`] the place among `names`, if the token is there.
    pub(super) places: Vec<Option<u32>>,
    /// What each text holds, in jobs.
    pub(super) texts: Vec<Occurrences>,
}

/// The tokens of `texts` within the limits.
///
/// Time: one pass over the texts and a sort of the different tokens; memory: all different tokens
/// once, about 40 bytes each, and 8 bytes for each different token of each text.
pub(super) fn vocabulary(
    texts: &[&str],
    options: &TokenOptions,
    limits: Limits,
    executor: &Executor,
) -> Result<Vocabulary, VectorizerError> {
    let mut counts = Counts::default();
    let mut found = Vec::new();
    in_jobs(
        texts,
        executor,
        |scratch, texts| Counts::of(texts, options, scratch),
        |(part, mut of_part)| {
            counts.join(&part, &mut of_part)?;
            found.push(of_part);
            Ok(())
        },
    )?;
    let most = limits.max_document_share * texts.len() as f64;
    let mut kept: Vec<(&str, u32)> = counts
        .tokens
        .iter()
        .zip(counts.documents.iter().copied())
        .filter(|&(_, documents)| documents >= limits.min_documents && f64::from(documents) <= most)
        .collect();
    kept.sort_unstable();
    if let Some(limit) = limits.max_features {
        kept.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        kept.truncate(limit as usize);
        kept.sort_unstable();
    }
    if kept.is_empty() {
        return Err(VectorizerError::NothingKept {
            documents: texts.len() as u32,
            tokens: counts.tokens.len(),
        });
    }
    let names = Names::new(kept.iter().map(|&(token, _)| token));
    let mut places = vec![None; counts.tokens.len()];
    for (place, &(token, _)) in (0..).zip(&kept) {
        if let Some(number) = counts.tokens.find(token) {
            places[number as usize] = Some(place);
        }
    }
    Ok(Vocabulary {
        names: names.map_err(|_| VectorizerError::TooLarge)?,
        documents: kept.iter().map(|&(_, documents)| documents).collect(),
        places,
        texts: found,
    })
}

/// In how many texts each hashed feature occurs, for all of them.
pub(super) fn hashed_frequencies(
    texts: &[&str],
    options: &TokenOptions,
    hash: FeatureHash,
    executor: &Executor,
) -> Result<Vec<u32>, VectorizerError> {
    let size = hash.features() as usize;
    let mut frequencies = Vec::new();
    frequencies
        .try_reserve_exact(size)
        .map_err(|_| VectorizerError::TooLarge)?;
    frequencies.resize(size, 0u32);
    in_jobs(
        texts,
        executor,
        |scratch, texts| {
            let (mut all, mut own) = (vec![], vec![]);
            for text in texts {
                own.clear();
                for_each_token(text, options, scratch, |token| {
                    own.push(hash.feature(token.as_bytes()));
                });
                own.sort_unstable();
                own.dedup();
                all.extend_from_slice(&own);
            }
            all
        },
        |features| {
            for feature in features {
                frequencies[feature as usize] += 1;
            }
            Ok(())
        },
    )?;
    Ok(frequencies)
}
