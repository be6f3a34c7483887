//! Why a row gets its labels.

use super::{
    Method, Model, PredictError, Scratch, linear::Contribution, nearest::Evidence,
    standardization::seen,
};
use crate::{model::ModelError, sparse::SparseView};
use alloc::vec::Vec;

impl Model {
    /// Why a row gets its labels: the most similar rows, at most `neighbors`, each with at most
    /// `features` features that it shares with `row`. Other models hold no rows: the list is empty;
    /// see [`Model::contributions`].
    ///
    /// # Errors
    /// If memory is lacking.
    pub fn explain(
        &self,
        row: SparseView<'_>,
        neighbors: usize,
        features: usize,
        scratch: &mut Scratch,
    ) -> Result<Vec<Evidence>, PredictError> {
        let row = seen(&self.standardization, row, &mut scratch.standardized);
        match &self.method {
            Method::Nearest(nearest) => {
                let found = nearest.explain(row, neighbors, features, &mut scratch.nearest);
                let mut found = found.map_err(PredictError::Failed)?;
                for neighbor in &mut found {
                    neighbor.label_text = self.provenance.is_label_text(neighbor.row);
                }
                Ok(found)
            }
            Method::Linear(_) | Method::Mach(_) | Method::Embedding(_) => Ok(Vec::new()),
        }
    }

    /// Why a row gets this label: the `features` features that add most to its score or take most
    /// from it. Of nearest neighbors, see [`Model::explain`], of MACH, whose buckets are shared,
    /// and of embeddings the list is empty.
    ///
    /// ```
    /// # use hapax_core::{data::*, executor::Sequential, kernels::Portable, model::*, text::*};
    /// # use hapax_core::parameters::OneVsRest;
    /// # use core::ops::ControlFlow::Continue;
    /// # let documents = Documents::new([
    /// #     ("sweet red fruit", ["apple"]), ("sour yellow fruit", ["lemon"]),
    /// #     ("red car", ["car"]), ("fast red car", ["car"]),
    /// # ])?;
    /// # let features = FeatureSpace::Vocabulary {
    /// #     min_documents: 1, max_document_share: 1.0, max_features: None,
    /// # };
    /// # let options = VectorizerOptions { features, ..Default::default() };
    /// # let texts = &documents.texts;
    /// # let (vectorizer, rows) = Vectorizer::fit_transform(texts, options, &Sequential)?;
    /// # let data = Dataset::new(rows, documents.labels, Some(documents.label_names))?;
    /// let parameters = OneVsRest::default();
    /// let mut model = Model::train_ovr(
    ///     &parameters, &data, Some(vectorizer), &Sequential, &Portable, |_| Continue(()),
    /// )?;
    /// let mut scratch = Scratch::default();
    /// let row = model.row("a sour fruit", &mut scratch)?;
    /// let plain = model.predict(row.view(), 1, &mut scratch)?.to_vec();
    /// assert_eq!(model.label_name(plain[0].id).as_deref(), Some("lemon"));
    ///
    /// let why = model.contributions(row.view(), plain[0].id, 3, &mut scratch)?;
    /// let first = model.vectorizer().and_then(|v| v.feature_name(why[0].feature));
    /// assert_eq!(first.as_deref(), Some("sour"));
    ///
    /// // For many rows: faster, and the same to the bit.
    /// assert!(model.prepare()? > 0);
    /// assert_eq!(model.predict(row.view(), 1, &mut scratch)?, plain);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If memory is lacking.
    pub fn contributions(
        &self,
        row: SparseView<'_>,
        label: u32,
        features: usize,
        scratch: &mut Scratch,
    ) -> Result<Vec<Contribution>, PredictError> {
        let row = seen(&self.standardization, row, &mut scratch.standardized);
        match &self.method {
            Method::Nearest(_) | Method::Mach(_) | Method::Embedding(_) => Ok(Vec::new()),
            Method::Linear(linear) => {
                let (model, scratch) = (linear.model(), &mut scratch.linear);
                let found = model.contributions(row, label, features, scratch);
                found.map_err(|_| out_of_memory(size_of::<Contribution>() * row.indices().len()))
            }
        }
    }
}

pub(super) fn out_of_memory(bytes: usize) -> PredictError {
    let bytes = bytes as u64;
    PredictError::Failed(ModelError::OutOfMemory { bytes })
}
