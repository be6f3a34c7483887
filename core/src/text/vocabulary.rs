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

/// Tokens, and in how many texts each occurs.
#[derive(Default)]
struct Counts {
    tokens: Interner,
    documents: Vec<u32>,
}

impl Counts {
    fn of<T: AsRef<str>>(texts: &[T], options: &TokenOptions, scratch: &mut TokenScratch) -> Self {
        let mut counts = Self::default();
        // The number of the last text that held the token, from 1.
        let mut last = Vec::new();
        for (text, number) in texts.iter().zip(1u32..) {
            for_each_token(text.as_ref(), options, scratch, |token| {
                // A job's texts hold fewer than 2^32 tokens, or memory ends first.
                let Some(id) = counts.tokens.intern(token) else {
                    return;
                };
                let id = id as usize;
                if id == last.len() {
                    last.push(0);
                    counts.documents.push(0);
                }
                if last[id] != number {
                    last[id] = number;
                    counts.documents[id] += 1;
                }
            });
        }
        counts
    }

    fn join(&mut self, part: &Self) -> Result<(), VectorizerError> {
        for (token, &documents) in part.tokens.iter().zip(&part.documents) {
            let id = self.tokens.intern(token).ok_or(VectorizerError::TooLarge)? as usize;
            if id == self.documents.len() {
                self.documents.push(0);
            }
            self.documents[id] += documents;
        }
        Ok(())
    }
}

/// Runs `count` over the texts in jobs and gives the results to `join` in order.
fn in_jobs<T, P>(
    texts: &[T],
    executor: &Executor,
    count: impl Fn(&mut TokenScratch, &[T]) -> P + Sync,
    mut join: impl FnMut(P) -> Result<(), VectorizerError>,
) -> Result<(), VectorizerError>
where
    T: Sync,
    P: Send,
{
    let wave = executor.threads().max(1) * JOBS_A_THREAD * TEXTS_A_JOB;
    for texts in texts.chunks(wave) {
        let jobs: Vec<&[T]> = texts.chunks(TEXTS_A_JOB).collect();
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

/// The tokens within the limits in alphabetical order, and in how many texts each occurs.
pub(super) fn vocabulary<T: AsRef<str> + Sync>(
    texts: &[T],
    options: &TokenOptions,
    limits: Limits,
    executor: &Executor,
) -> Result<(Names, Vec<u32>), VectorizerError> {
    let mut counts = Counts::default();
    in_jobs(
        texts,
        executor,
        |scratch, texts| Counts::of(texts, options, scratch),
        |part| counts.join(&part),
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
        // Stable: equals stay in alphabetical order.
        kept.sort_by_key(|&(_, documents)| core::cmp::Reverse(documents));
        kept.truncate(limit as usize);
        kept.sort_unstable();
    }
    if kept.is_empty() {
        return Err(VectorizerError::NothingKept {
            documents: texts.len() as u32,
            tokens: counts.tokens.len(),
        });
    }
    let names =
        Names::new(kept.iter().map(|&(token, _)| token)).map_err(|_| VectorizerError::TooLarge)?;
    Ok((
        names,
        kept.iter().map(|&(_, documents)| documents).collect(),
    ))
}

/// In how many texts each hashed feature occurs, for all of them.
pub(super) fn hashed_frequencies<T: AsRef<str> + Sync>(
    texts: &[T],
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
                for_each_token(text.as_ref(), options, scratch, |token| {
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
