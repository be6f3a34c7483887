//! Algorithms that machines can share: planning, doing parts, merging.

use super::{
    super::{
        distributed::Task, failure::Failure, input::threads, output::note, resources::Stopwatch,
    },
    Common, Training,
    finish::{Made, Told},
};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::Model,
        text::Vectorizer,
        train::{Calibrating, Identity, Parts, TrainError},
    },
    distributed::{Doing, Plan, WorkError, gather, work},
    sealed::SealedError,
};
use serde::{Serialize, de::DeserializeOwned};

/// An algorithm whose training falls into parts.
pub trait Sharded {
    /// What is chosen when a plan is made, and the same for all.
    type Parameters: Serialize + DeserializeOwned;
    /// The training.
    type Parts<'a>: Parts;

    const NAME: &str;

    fn common(&self) -> &Common;

    /// Reads the training data: to make a plan, or to do what one says.
    fn read(&self, _planning: bool, threads: &Executor) -> Result<Training, Failure> {
        self.common().read(threads)
    }

    /// The parameters, those included that the data choose.
    fn choose(&self, training: &Training, threads: &Executor) -> Result<Self::Parameters, Failure>;

    fn parts<'a>(
        parameters: &Self::Parameters,
        data: &'a Dataset,
        threads: &Executor,
    ) -> Result<Self::Parts<'a>, TrainError>;

    /// Where calibration begins.
    fn begun(_parameters: &Self::Parameters) -> Calibrating {
        Calibrating::default()
    }

    /// The model, when all parts were taken in.
    fn model(
        parameters: &Self::Parameters,
        parts: Self::Parts<'_>,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        threads: &Executor,
    ) -> Result<Model, TrainError>;

    /// Does what the task is.
    fn share(&self, task: &Task) -> Result<(), Failure> {
        let common = self.common();
        common.check()?;
        common.checkpoints.refuse("of parts: each part is one")?;
        let threads = threads(common.threads)?;
        let planning = matches!(task, Task::Plan { .. });
        let training = self.read(planning, &threads)?;
        let watch = Stopwatch::start();
        match task {
            Task::Plan {
                folder,
                parts,
                arguments,
            } => {
                let parameters = self.choose(&training, &threads)?;
                let begun = Self::parts(&parameters, &training.data, &threads)?;
                let count = *parts as usize;
                let features = training.features.as_ref();
                let chosen = features.map(|of| common.text.named(&of.options));
                let plan = Plan {
                    identity: Identity::new(Self::NAME, &parameters, &training.data),
                    arguments: arguments.clone(),
                    chosen: chosen.unwrap_or_default(),
                    parameters: postcard::to_allocvec(&parameters)
                        .map_err(|error| Failure::Other(error.to_string()))?,
                    parts: *parts,
                    costs: (0..count).map(|part| begun.cost(part, count)).collect(),
                };
                plan.write(folder)?;
                super::super::distributed::print_plan(folder, &plan, begun.stages(), common.json)
            }
            Task::Work { folder, plan, part } => {
                let parameters = self.planned(plan, &training)?;
                let mut begun = Self::parts(&parameters, &training.data, &threads)?;
                let tell = |doing| tell(doing, plan.parts);
                Ok(work(&mut begun, folder, plan, *part, &threads, tell)?)
            }
            Task::Merge { folder, plan } => {
                let parameters = self.planned(plan, &training)?;
                let mut begun = Self::parts(&parameters, &training.data, &threads)?;
                gather(&mut begun, folder, plan)?;
                let (data, vectorizer) = (&training.data, training.vectorizer);
                let mut model = Self::model(&parameters, begun, data, vectorizer, &threads)?;
                let mut told = Told::default();
                let begun = (Self::begun(&parameters), data);
                common.calibrate_from(&mut model, begun, &mut told, &threads)?;
                let made = Made {
                    model,
                    origin: training.origin,
                    told,
                };
                common.finish(made, &watch, &threads)
            }
        }
    }

    /// The parameters of a plan, if it is one of this training.
    fn planned(&self, plan: &Plan, training: &Training) -> Result<Self::Parameters, Failure> {
        let wrong = |what| {
            let rule = format!("the plan was made with {what}: make a new plan, in another folder");
            Err(Failure::Input(rule))
        };
        let Ok(parameters) = postcard::from_bytes(&plan.parameters) else {
            return wrong("another release");
        };
        let identity = Identity::new(Self::NAME, &parameters, &training.data);
        if identity.data != plan.identity.data {
            return wrong("other training data");
        }
        if identity != plan.identity {
            return wrong("other options or another release");
        }
        Ok(parameters)
    }
}

fn tell(doing: Doing, parts: u32) {
    match doing {
        Doing::Part(stage, part) => {
            note(format_args!("stage {stage}: doing part {part} of {parts}"));
        }
        Doing::Again(stage, part) => note(format_args!(
            "stage {stage}: part {part} of {parts} is damaged; doing it again"
        )),
        Doing::Kept(..) => {}
        Doing::Waiting(stage, missing) => note(format_args!(
            "stage {stage}: waiting for {missing} parts that others are at"
        )),
    }
}

impl From<SealedError> for Failure {
    fn from(error: SealedError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<WorkError> for Failure {
    fn from(error: WorkError) -> Self {
        match error {
            // A part is no state to go on from, but what is wrong with it is told alike.
            WorkError::Part(TrainError::State(error)) => Self::Input(error.to_string()),
            WorkError::Part(error) => error.into(),
            _ => Self::Input(error.to_string()),
        }
    }
}
