//! The methods that a call can name.

use super::{
    errors::wrong,
    job::{Failure, Job, Texts},
    mach::Mach,
    memoir::GivenMemoir,
    multiclass::MultiClass,
    nearest::Nearest,
    one_vs_rest::GivenOneVsRest,
    options::Options,
    prototypes::Prototypes,
};
use hapax::core::{
    model::Model,
    parameters::{MultiClassLoss, OneVsRest},
    train::Calibrating,
};
use pyo3::PyResult;

const METHODS: &str = "auto, ovr, nearest, mach, cs, ww, llw, memoir-l2, memoir-l1, \
                       memoir-lsh, wsabie, wsabie-pp, ova-sgd, auc, nearest-mean";

/// A method and its parameters.
pub enum Method {
    OneVsRest(Box<GivenOneVsRest>),
    Nearest(Nearest),
    Mach(Box<Mach>),
    MultiClass(MultiClass),
    Memoir(Box<GivenMemoir>),
    Prototypes(Prototypes),
}

impl Method {
    /// The method of this name with the parameters of the options, for a file of at most
    /// `max_bytes` if given; `starts` from a model or not.
    pub fn new(
        method: &str,
        options: &mut Options<'_>,
        seed: u64,
        (max_bytes, starts): (Option<u64>, bool),
    ) -> PyResult<Self> {
        let loss = match method {
            "ovr" => {
                let given = GivenOneVsRest::new(options, seed, (max_bytes, starts))?;
                return Ok(Self::OneVsRest(Box::new(given)));
            }
            "nearest" => return Ok(Self::Nearest(Nearest::new(options, seed)?)),
            "mach" => return Ok(Self::Mach(Box::new(Mach::new(options, seed)?))),
            "memoir-l2" | "memoir-l1" | "memoir-lsh" => {
                let given = GivenMemoir::new(method, options, seed)?;
                return Ok(Self::Memoir(Box::new(given)));
            }
            "cs" => MultiClassLoss::CrammerSinger,
            "ww" => MultiClassLoss::WestonWatkins,
            "llw" => MultiClassLoss::LeeLinWahba,
            other => {
                let Some(prototypes) = Prototypes::new(other, options, seed)? else {
                    return Err(wrong(format_args!(
                        "method is {other:?}, but must be one of {METHODS}"
                    )));
                };
                return Ok(Self::Prototypes(prototypes));
            }
        };
        Ok(Self::MultiClass(MultiClass::new(
            loss, options, seed, starts,
        )?))
    }

    /// What n-grams are tried with, if they are.
    pub fn tried_with(&self) -> Option<OneVsRest> {
        match self {
            Self::OneVsRest(given) => Some(given.plain()),
            _ => None,
        }
    }

    /// Trains the model of the command; one-vs-rest leaves where calibration begins in `begun`.
    pub fn train(
        self,
        job: &Job<'_>,
        texts: Texts,
        begun: &mut Calibrating,
    ) -> Result<Model, Failure> {
        match self {
            Self::OneVsRest(given) => given.train(job, texts, begun),
            Self::Nearest(given) => Ok(given.train(job, texts)?),
            Self::Mach(given) => given.train(job, texts),
            Self::MultiClass(given) => given.train(job, texts),
            Self::Memoir(given) => given.train(job, texts),
            Self::Prototypes(given) => given.train(job, texts),
        }
    }
}
