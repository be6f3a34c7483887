//! One-vs-rest in parts. Solving is a stage, whose parts are labels of about equal work; mining
//! between rounds is one, whose parts are ranges of rows. Each stage needs all parts of the one
//! before: rows are mined by the weights of all labels, and a label is solved on the rows mined for
//! it, wherever that was done.

use super::{Stage, Trainer};
use crate::{
    executor::Executor,
    model::linear::build::LabelWeights,
    train::{
        TrainError,
        shards::{Parts, share},
        state::{StateError, all_below, read, same, write},
    },
};
use alloc::{vec, vec::Vec};

/// A label that was solved.
type Solution = (u32, LabelWeights);

impl Parts for Trainer<'_> {
    fn stages(&self) -> u32 {
        2 * self.rounds - 1
    }

    fn stage(&self) -> u32 {
        if self.round == self.rounds {
            return self.stages();
        }
        2 * self.round - u32::from(self.stage == Stage::Mine)
    }

    fn cost(&self, part: usize, parts: usize) -> u64 {
        match self.stage {
            Stage::Solve => {
                let own = self.labels_of(part, parts).map(|label| {
                    let label = label as usize;
                    let others = match self.all {
                        true => self.rows.full.len(),
                        false => self.pool.len() + self.wrong.of(label).len(),
                    };
                    (self.positives.of(label).len() + others) as u64
                });
                own.sum()
            }
            _ => share(self.rows.full.len(), part, parts).len() as u64,
        }
    }

    fn part(
        &mut self,
        part: usize,
        parts: usize,
        executor: &Executor,
    ) -> Result<Vec<u8>, TrainError> {
        if self.round == self.rounds {
            return Err(TrainError::Stopped);
        }
        let mut bytes = Vec::new();
        let mut sink = |piece: &[u8]| bytes.extend_from_slice(piece);
        match self.stage {
            Stage::Solve => write(&self.solve_share(part, parts, executor), &mut sink)?,
            _ => {
                let rows = share(self.rows.full.len(), part, parts);
                write(&self.mine_rows(rows, executor), &mut sink)?;
            }
        }
        Ok(bytes)
    }

    fn take(&mut self, parts: &[&[u8]]) -> Result<(), TrainError> {
        if self.round == self.rounds {
            return Err(TrainError::Stopped);
        }
        match self.stage {
            Stage::Solve => self.take_solutions(parts)?,
            _ => self.take_proposals(parts)?,
        }
        self.next_stage();
        Ok(())
    }
}

impl Trainer<'_> {
    /// The jobs of a part: every `parts`-th job, so that each part has heavy and light ones.
    fn jobs_of(&self, part: usize, parts: usize) -> impl Iterator<Item = usize> + use<> {
        (part..self.jobs.len()).step_by(parts.max(1))
    }

    fn labels_of(&self, part: usize, parts: usize) -> impl Iterator<Item = u32> + '_ {
        self.jobs_of(part, parts)
            .flat_map(|job| self.jobs.job(job).iter().copied())
    }

    fn solve_share(&self, part: usize, parts: usize, executor: &Executor) -> Vec<Solution> {
        let jobs: Vec<usize> = self.jobs_of(part, parts).collect();
        let solved = executor.map(
            jobs.len(),
            || self.scratch(),
            |scratch, at| self.solve_job(scratch, self.jobs.job(jobs[at])),
        );
        let labels = self.labels_of(part, parts);
        labels
            .zip(solved.into_iter().flatten())
            .map(|(label, solved)| (label, solved.weights))
            .collect()
    }

    fn take_solutions(&mut self, parts: &[&[u8]]) -> Result<(), StateError> {
        let mut found = vec![false; self.weights.len()];
        for bytes in parts {
            let solutions: Vec<Solution> = read(bytes)?;
            for (label, weights) in solutions {
                all_below("label", [&label], self.weights.len())?;
                let at = label as usize;
                if core::mem::replace(&mut found[at], true) {
                    return Err(StateError::Disordered { what: "labels" });
                }
                self.check_weights(&weights)?;
                self.weights[at] = weights;
            }
        }
        let count = found.iter().filter(|&&found| found).count();
        same("solved labels", count, found.len())
    }

    fn take_proposals(&mut self, parts: &[&[u8]]) -> Result<(), StateError> {
        let mut proposals: Vec<Vec<u32>> = Vec::new();
        for bytes in parts {
            proposals.extend(read::<Vec<Vec<u32>>>(bytes)?);
        }
        same("mined rows", proposals.len(), self.rows.full.len())?;
        all_below("label", proposals.iter().flatten(), self.weights.len())?;
        self.proposals = proposals;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Trainer;
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        kernels::Portable,
        model::linear::LinearModel,
        parameters::one_vs_rest::{Loss, Negatives, OneVsRest},
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::{Training, shards::Parts, state::Resumable},
    };
    use alloc::vec::Vec;
    use core::ops::ControlFlow;

    fn data() -> Dataset {
        let mut stream = Stream::new(4, 4);
        let (mut rows, mut lists) = (SparseRows::new(300), LabelLists::new(90));
        for _ in 0..500 {
            // Rare labels, and some without rows.
            let label = (stream.below(90) * stream.below(90) / 90) as u32;
            let pairs = (0..20).map(|at| {
                let feature = if at < 5 {
                    u64::from(label) * 3 + stream.below(5)
                } else {
                    stream.below(300)
                };
                ((feature % 300) as u32, 0.5 + stream.unit() as f32)
            });
            let pairs: Vec<(u32, f32)> = pairs.collect();
            rows.push(SparseVec::from_pairs(pairs).unwrap().view())
                .unwrap();
            lists.push([label, (label * 7 + 1) % 80]);
        }
        Dataset::new(rows, lists, None).unwrap()
    }

    fn ways() -> [OneVsRest; 3] {
        let base = OneVsRest {
            negatives: Negatives::Mined,
            pool: 40,
            mine: 5,
            short_terms: 8,
            prune: 0.01,
            centroid: 0.3,
            ..OneVsRest::default()
        };
        [
            base.clone(),
            OneVsRest {
                negatives: Negatives::All,
                ..base.clone()
            },
            OneVsRest {
                loss: Loss::Hinge,
                rounds: 4,
                softmax: 0.2,
                ..base
            },
        ]
    }

    fn whole(way: &OneVsRest, data: &Dataset) -> Vec<u8> {
        let trained = way.train(data, &Sequential, &Portable, |_| ControlFlow::Continue(()));
        bytes(&trained.unwrap())
    }

    fn bytes(model: &LinearModel) -> Vec<u8> {
        let parts = model.parts();
        let mut all = parts.records.to_vec();
        for scale in parts.scales.iter().chain(parts.biases.iter()) {
            all.extend(scale.to_le_bytes());
        }
        all
    }

    #[test]
    fn parts_done_apart_make_the_model_of_one_machine() {
        let data = data();
        for way in ways() {
            let expected = whole(&way, &data);
            for parts in [1, 2, 7, 600] {
                let new = || way.trainer(&data, &Sequential, &Portable).unwrap();
                // Each part is done by a machine of its own, in no order.
                let mut machines: Vec<Trainer<'_>> = (0..parts.min(7)).map(|_| new()).collect();
                let count = machines.len();
                for stage in 0..machines[0].stages() {
                    let mut made: Vec<Vec<u8>> = (0..parts).map(|_| Vec::new()).collect();
                    for part in (0..parts).rev() {
                        let machine = &mut machines[part % count];
                        assert_eq!(Parts::stage(machine), stage);
                        made[part] = machine.part(part, parts, &Sequential).unwrap();
                    }
                    let made: Vec<&[u8]> = made.iter().map(Vec::as_slice).collect();
                    assert!(new().take(&made[1..]).is_err() || parts > 500 || stage > 0);
                    for machine in &mut machines {
                        machine.take(&made).unwrap();
                    }
                }
                for mut machine in machines {
                    assert_eq!(Parts::stage(&machine), machine.stages());
                    while machine.step(&Sequential).is_some() {}
                    assert!(
                        bytes(&machine.finish(&Sequential).unwrap()) == expected,
                        "{parts}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_training_left_after_any_part_ends_as_one_that_was_not() {
        let data = data();
        for way in ways() {
            let expected = whole(&way, &data);
            let new = || way.trainer(&data, &Sequential, &Portable).unwrap();
            let mut left = new();
            loop {
                let state = left.to_bytes().unwrap();
                let mut again = new();
                again.resume(&state).unwrap();
                while again.step(&Sequential).is_some() {}
                assert!(bytes(&again.finish(&Sequential).unwrap()) == expected);
                assert!(new().resume(&state[..state.len() / 2]).is_err());
                if left.step(&Sequential).is_none() {
                    break;
                }
            }
        }
    }

    #[test]
    fn damaged_states_are_errors_or_other_numbers_but_never_a_panic() {
        let data = data();
        let way = &ways()[0];
        let new = || way.trainer(&data, &Sequential, &Portable).unwrap();
        for parts in [1, 2, 4] {
            let mut left = new();
            (0..parts).for_each(|_| {
                left.step(&Sequential);
            });
            let bytes = left.to_bytes().unwrap();
            let mut refused = 0;
            for at in (0..bytes.len()).step_by(bytes.len() / 150) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << (at % 8);
                let mut again = new();
                if again.resume(&damaged).is_err() {
                    refused += 1;
                } else if at % 5 == 0 {
                    while again.step(&Sequential).is_some() {}
                    let _ = again.finish(&Sequential);
                }
            }
            assert!(refused > 5, "{refused}");
        }
    }
}
