//! The end of trials where time is limited.

use crate::executor::Executor;

/// Time that was left when trials began, and the work that was done since. Every answer is no where
/// the executor has no limit, so that a program without one holds no code for that.
pub(super) struct Clock {
    left: Option<f64>,
    work: f64,
    ended: bool,
}

impl Clock {
    pub(super) fn start(executor: &Executor) -> Self {
        Self {
            left: executor.seconds_left(),
            work: 0.0,
            ended: false,
        }
    }

    /// So much work was done, in any unit that stays the same.
    pub(super) fn add(&mut self, executor: &Executor, work: f64) {
        if executor.seconds_left().is_some() {
            self.work += work;
        }
    }

    /// Ends trials if there is no time for `rest`, in the same unit, at the speed so far: before
    /// anything was done, if there is no time at all. Returns whether they have ended.
    pub(super) fn ends(&mut self, executor: &Executor, rest: f64) -> bool {
        let (Some(first), Some(left)) = (self.left, executor.seconds_left()) else {
            return false;
        };
        let needed = match self.work > 0.0 {
            true => (first - left) / self.work * rest,
            false => 0.0,
        };
        self.ended |= left <= needed;
        self.ended
    }

    /// Ends trials if less than this share is left of the time that was left when they began, or
    /// none. Returns whether they have ended.
    pub(super) fn ends_below(&mut self, executor: &Executor, share: f64) -> bool {
        let (Some(first), Some(left)) = (self.left, executor.seconds_left()) else {
            return false;
        };
        self.ended |= left <= 0.0 || left < share * first;
        self.ended
    }

    /// Whether trials have ended.
    pub(super) fn ended(&self, executor: &Executor) -> bool {
        executor.seconds_left().is_some() && self.ended
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;
    use crate::{
        data::LabelLists,
        executor::{Executor, Sequential, tests::Hurried},
        kernels::Portable,
        parameters::one_vs_rest::OneVsRest,
        text::VectorizerOptions,
        train::{
            multiclass::problem::tests::random_data,
            one_vs_rest::{Choice, Given, GivenFeatures, choose_features},
        },
    };
    use alloc::{format, string::String, vec::Vec};
    use core::ops::ControlFlow;

    #[test]
    fn trials_end_where_the_rest_would_take_longer_than_is_left() {
        let machine = Hurried::new(10.0, 1.0);
        let mut clock = Clock::start(&machine);
        assert!(!clock.ends(&machine, 1e9), "nothing is known of the speed");
        // Three seconds for six: half a second each.
        clock.add(&machine, 6.0);
        assert!(!clock.ends(&machine, 13.0) && !clock.ended(&machine));
        assert!(clock.ends(&machine, 9.0) && clock.ended(&machine));
        assert!(clock.ends(&machine, 0.0), "once is for all");
        let machine = Hurried::new(10.0, 1.0);
        let mut clock = Clock::start(&machine);
        assert!(!clock.ends_below(&machine, 0.9));
        assert!(clock.ends_below(&machine, 0.9) && clock.ended(&machine));
        let mut unlimited = Clock::start(&Sequential);
        assert!(!unlimited.ends(&Sequential, f64::INFINITY) && !unlimited.ended(&Sequential));
    }

    #[test]
    fn settings_are_tried_as_long_as_there_is_time() {
        fn choose(machine: &Executor) -> Choice {
            let data = random_data(400, 12, 30, 1);
            let go_on = |_, _| ControlFlow::Continue(());
            let (own, given) = (OneVsRest::default(), Given::default());
            own.choose(&given, &data, machine, &Portable, false, go_on)
                .unwrap()
        }
        let all = choose(&Sequential);
        assert!(!all.ended);
        assert_eq!(choose(&Hurried::new(1e9, 1.0)), all);
        let none = choose(&Hurried::new(0.0, 1.0));
        assert!(none.ended && none.tried.iter().all(|trial| trial.folds == 1));
        assert_eq!(none.parameters.cost, OneVsRest::default().cost);
        let some = choose(&Hurried::new(6.0, 1.0));
        assert!(some.ended && some.tried[0] == all.tried[0]);
        assert!((none.tried.len() + 1..all.tried.len()).contains(&some.tried.len()));
        // Calibration begins with what a division answered, all the same.
        assert!(
            [&none, &some]
                .iter()
                .all(|choice| choice.calibrating != Default::default())
        );
    }

    #[test]
    fn features_are_tried_for_a_quarter_of_the_time() {
        let texts: Vec<String> = (0..400)
            .map(|row| format!("word{} and word{} and so on {}", row % 7, row % 11, row))
            .collect();
        let mut labels = LabelLists::new(7);
        (0..400).for_each(|row| labels.push([row % 7]));
        let tried = |machine: &Hurried| {
            let (base, given) = (VectorizerOptions::default(), GivenFeatures::default());
            let machine: (&Executor, &'static dyn crate::kernels::Kernels) = (machine, &Portable);
            let own = OneVsRest::default();
            let go_on = |_| ControlFlow::Continue(());
            let chosen = choose_features((&texts, &labels), &base, given, &own, machine, go_on);
            let chosen = chosen.unwrap();
            assert!(chosen.tried.iter().any(|of| of.options == chosen.options));
            (chosen.ended, chosen.tried.len())
        };
        let (ended, all) = tried(&Hurried::new(1e9, 1.0));
        assert!(!ended && all > 3);
        assert_eq!(tried(&Hurried::new(10.0, 1.0)), (true, 3));
        assert_eq!(tried(&Hurried::new(1.0, 1.0)), (true, 1));
        // Reading took all of it.
        assert_eq!(tried(&Hurried::new(0.0, 1.0)), (true, 1));
    }
}
