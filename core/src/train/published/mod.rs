//! Forms of methods that are kept only to reproduce a paper.

pub(crate) mod bundles;

pub use self::bundles::shared::SharedTraining;
