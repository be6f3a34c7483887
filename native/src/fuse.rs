//! What is added to the scores of one-vs-rest, as a user says it.

use crate::core::train::one_vs_rest::Given;

/// What else votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Fuse {
    /// Centroids; an embedding and nearest neighbors where they gain enough on held-out rows
    Auto,
    /// The mean of each label's rows, added to its weights: costs next to nothing
    Centroid,
    /// Nearest neighbors, beside the centroids: an index of the rows in the file
    Nearest,
    /// Nothing
    None,
}

/// A weight of what is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOut {
    /// Which of [`Fuse`] leaves it out, by its name.
    pub by: &'static str,
    /// What has the weight: `centroid`, `softmax` or `embedding`.
    pub what: &'static str,
    /// The weight.
    pub weight: f64,
}

impl Fuse {
    /// Decides in `given` what takes part.
    ///
    /// # Errors
    /// If `given` has a weight other than 0 of what this leaves out.
    ///
    /// ```
    /// use hapax::{Fuse, core::train::one_vs_rest::Given};
    /// let mut given = Given { embedding: Some(0.1), ..Given::default() };
    /// assert_eq!(Fuse::Centroid.apply(&mut given).unwrap_err().what, "embedding");
    /// given.embedding = None;
    /// Fuse::Centroid.apply(&mut given).unwrap();
    /// assert_eq!((given.embedding, given.neighbors), (Some(0.0), Some(false)));
    /// assert_eq!(given.centroid, None);
    /// ```
    pub fn apply(self, given: &mut Given) -> Result<(), LeftOut> {
        let machines_alone = self == Self::None;
        let without_index = machines_alone || self == Self::Centroid;
        let by = if machines_alone { "none" } else { "centroid" };
        for (what, weight, is_left_out) in [
            ("centroid", &mut given.centroid, machines_alone),
            ("softmax", &mut given.softmax, machines_alone),
            ("embedding", &mut given.embedding, without_index),
        ] {
            match *weight {
                Some(weight) if is_left_out && weight != 0.0 => {
                    return Err(LeftOut { by, what, weight });
                }
                _ if is_left_out => *weight = Some(0.0),
                _ => {}
            }
        }
        given.neighbors = match self {
            Self::Auto => None,
            Self::Nearest => Some(true),
            Self::Centroid | Self::None => Some(false),
        };
        Ok(())
    }
}
