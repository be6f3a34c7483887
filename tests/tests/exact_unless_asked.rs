//! Promise: exact unless asked otherwise. A fast search returns the same answer as the plain one.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

use crate::{exhaustive::Exhaustive, shared_data::part};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        kernels::{Kernels, Portable},
        model::{Nearest, NearestScratch},
        parameters::NearestParameters,
    },
    kernels,
    threads::Threads,
};

/// Every `step`-th test row: ids and bits of similarities, by these kernels.
fn equals_the_twin(set: &str, beta: f64, step: usize, kernels: &'static dyn Kernels) {
    let threads: &Executor = &Threads::new(0).unwrap();
    let data = |name| part(set, name, threads);
    let (Some(train), Some(test)): (Option<Dataset>, Option<Dataset>) =
        (data("train"), data("test"))
    else {
        return;
    };
    let parameters = NearestParameters {
        beta,
        exponent: 1.0,
        neighbors: 75,
        ..NearestParameters::default()
    };
    let (twin, index) = (
        Exhaustive::new(train.rows(), beta),
        Nearest::train(parameters, &train).unwrap(),
    );
    let test = test.rows();
    let scratch = || NearestScratch::new(kernels);
    let equal = threads.map(test.len() / step, scratch, |fast, query| {
        let row = test.row(query * step);
        let expected = twin.search(row, 75);
        index.neighbors(row, fast).unwrap() == expected
    });
    let different = equal.iter().position(|equal| !equal);
    assert_eq!(
        different, None,
        "{set}: query {different:?} of every {step}th test row"
    );
}

#[test]
fn eurlex57k() {
    equals_the_twin("eurlex57k", 1.0, 20, kernels::best());
}

#[test]
fn eurlex57k_by_portable_kernels() {
    equals_the_twin("eurlex57k", 0.5, 40, &Portable);
}

#[test]
fn cpv_it() {
    equals_the_twin("cpv-it", 1.3, 5, kernels::best());
    equals_the_twin("cpv-it", 1.0, 5, &Portable);
}

#[test]
fn banking77() {
    equals_the_twin("banking77", 1.0, 4, kernels::best());
    equals_the_twin("banking77", 0.0, 4, &Portable);
}

#[test]
fn oewn_hypernym() {
    equals_the_twin("oewn-hypernym", 2.0, 20, kernels::best());
}
