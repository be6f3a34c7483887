//! Models of machines that were trained to a proven gap; the proof goes into the record of what made them.

use super::{Linear, Method, Model};
use crate::{
    data::Dataset,
    model::Provenance,
    parameters::{
        multiclass::{MultiClassLoss, MultiClassSvm},
        one_vs_rest::OneVsRest,
    },
    text::Vectorizer,
    train::exact::{machine::Machine, one_vs_rest::ProvenOneVsRest},
};

impl Model {
    /// The linear model of one-vs-rest with all negatives, run to a proven gap.
    #[must_use]
    pub fn from_proven_ovr(
        made: ProvenOneVsRest,
        parameters: &OneVsRest,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
    ) -> Self {
        let mut provenance = Provenance::new("ovr", data, parameters.seed);
        for (name, value) in [
            ("relative gap", made.certificate.relative_gap()),
            ("relative gap of the stored weights", made.stored_gap()),
        ] {
            provenance.report.push((name.into(), value));
        }
        let linear = Linear::from_proven(made.model, parameters, data);
        Self::new(Method::Linear(linear), data, vectorizer, provenance)
    }

    /// The linear model that a multi-class machine of `data` gives; its proof goes into the record of
    /// what made the model.
    #[must_use]
    pub fn from_machine(
        machine: &Machine,
        parameters: &MultiClassSvm,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
    ) -> Self {
        let linear = Linear::from_machine(machine, parameters, data);
        let algorithm = match parameters.loss {
            MultiClassLoss::CrammerSinger => "cs",
            MultiClassLoss::WestonWatkins => "ww",
            MultiClassLoss::LeeLinWahba => "llw",
        };
        let mut provenance = Provenance::new(algorithm, data, parameters.seed);
        let proof = machine.certificate;
        for (name, value) in [
            ("primal", proof.primal),
            ("dual", proof.dual),
            ("relative gap", proof.relative_gap()),
            ("relative gap of the stored weights", machine.stored_gap()),
            ("epochs", f64::from(proof.epochs)),
            ("non-zeros before pruning", proof.nonzeros as f64),
        ] {
            provenance.report.push((name.into(), value));
        }
        Self::new(Method::Linear(linear), data, vectorizer, provenance)
    }
}
