//! The kinds of models that a program reads and asks.

/// The kinds of models that a program reads and asks. What [`Model::from_bytes_of`],
/// [`Model::to_bytes_of`] and [`Model::predict_of`] leave out is not linked, which matters where
/// code is downloaded or flashed: nearest neighbors alone take about two thirds of the code of all.
///
/// [`Model::from_bytes_of`]: super::Model::from_bytes_of
/// [`Model::to_bytes_of`]: super::Model::to_bytes_of
/// [`Model::predict_of`]: super::Model::predict_of
pub trait Kinds: Choice {}

/// Every kind that this release knows.
#[derive(Clone, Copy, Debug)]
pub struct AllKinds;

/// Nearest neighbors, and no other.
///
/// ```
/// # use hapax_core::{data::*, executor::Sequential, kernels::Portable, model::*, text::*};
/// # use hapax_core::format::FormatError;
/// # use hapax_core::parameters::{NearestParameters, OneVsRest};
/// # use core::ops::ControlFlow::Continue;
/// # let documents = Documents::new([
/// #     ("sweet red fruit", ["apple"]),
/// #     ("sour yellow fruit", ["lemon"]),
/// #     ("fast red car", ["car"]),
/// # ])?;
/// # let features = FeatureSpace::Vocabulary {
/// #     min_documents: 1, max_document_share: 1.0, max_features: None,
/// # };
/// # let options = VectorizerOptions { features, ..Default::default() };
/// # let texts = &documents.texts;
/// # let (vectorizer, rows) = Vectorizer::fit_transform(texts, options, &Sequential)?;
/// # let data = Dataset::new(rows, documents.labels, Some(documents.label_names))?;
/// let parameters = NearestParameters { neighbors: 3, ..NearestParameters::default() };
/// let nearest = Model::train_nearest(parameters, &data, None)?;
/// let file = nearest.to_bytes()?;
/// let read = Model::from_bytes_of::<NearestOnly>(file.clone())?;
/// assert_eq!(read.to_bytes_of::<NearestOnly>()?, file);
///
/// let parameters = OneVsRest::default();
/// let go_on = |_| Continue(());
/// let linear = Model::train_ovr(&parameters, &data, None, &Sequential, &Portable, go_on)?;
/// let error = Model::from_bytes_of::<NearestOnly>(linear.to_bytes()?).unwrap_err();
/// assert_eq!(error, FormatError::KindLeftOut { kind: 2 });
/// assert_eq!(linear.to_bytes_of::<NearestOnly>().unwrap_err(), error);
/// let (row, mut scratch) = (data.rows().row(0), Scratch::default());
/// let error = linear.predict_of::<NearestOnly>(row, 1, &mut scratch).unwrap_err();
/// assert_eq!(error, PredictError::KindLeftOut);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NearestOnly;

impl Kinds for AllKinds {}
impl Kinds for NearestOnly {}

/// What a choice of kinds is for the code; not for others to implement.
pub trait Choice {
    /// Whether there are others than nearest neighbors.
    const OTHERS: bool;
}

impl Choice for AllKinds {
    const OTHERS: bool = true;
}

impl Choice for NearestOnly {
    const OTHERS: bool = false;
}
