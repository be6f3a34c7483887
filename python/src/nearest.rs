//! Nearest neighbors.

use super::{
    errors::wrong,
    job::{Job, Texts},
    options::Options,
};
use hapax::{
    core::{
        model::Model,
        parameters::NearestParameters,
        train::{Parameters, TrainError, nearest::Grid},
    },
    kernels,
};
use pyo3::PyResult;

/// The parameters of nearest neighbors, and whether they are tuned.
pub struct Nearest {
    neighbors: Option<u32>,
    parameters: NearestParameters,
    tune: bool,
    seed: u64,
}

impl Nearest {
    /// Takes them from the options.
    pub fn new(options: &mut Options<'_>, seed: u64) -> PyResult<Self> {
        let default = NearestParameters::default();
        let tune = options.take::<bool>("tune")?.unwrap_or(false);
        let neighbors = options.take("neighbors")?;
        let (alpha, beta): (Option<f64>, Option<f64>) =
            (options.take("alpha")?, options.take("beta")?);
        let exponent: Option<f64> = options.take("exponent")?;
        let named = neighbors.is_some() || alpha.is_some() || beta.is_some();
        if tune && (named || exponent.is_some()) {
            let rule = "tune chooses neighbors, alpha, beta and exponent: give it without them";
            return Err(wrong(rule));
        }
        let parameters = NearestParameters {
            neighbors: neighbors.unwrap_or(default.neighbors),
            alpha: alpha.unwrap_or(default.alpha),
            beta: beta.unwrap_or(default.beta),
            exponent: exponent.unwrap_or(default.exponent),
        };
        parameters.check().map_err(wrong)?;
        Ok(Self {
            neighbors,
            parameters,
            tune,
            seed,
        })
    }

    /// Trains the model of the command.
    pub fn train(&self, job: &Job<'_>, texts: Texts) -> Result<Model, TrainError> {
        let data = job.data;
        let parameters = if self.tune {
            let (grid, kernels) = (Grid::default(), kernels::best());
            let tell = |done, of| job.tell("tuning", done, of);
            let found =
                NearestParameters::tune(data, &grid, self.seed, job.executor, kernels, tell)?;
            found.best.parameters
        } else {
            self.within(data.len())
        };
        Model::train_nearest(parameters, data, texts)
    }

    /// The parameters for so many rows: by default no more neighbors than rows.
    fn within(&self, rows: usize) -> NearestParameters {
        match self.neighbors {
            Some(_) => self.parameters,
            None => self.parameters.within(rows),
        }
    }
}
