//! What is added to the scores of one-vs-rest.

use super::super::super::failure::Failure;
use clap::ValueEnum;

/// What else votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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

impl Fuse {
    /// Refuses weights of centroids, softmax regression and an embedding that this leaves out.
    pub fn check(self, added: [Option<f64>; 3]) -> Result<(), Failure> {
        let (name, left_out) = match self {
            Self::Auto | Self::Nearest => return Ok(()),
            Self::Centroid => ("centroid", [false, false, true]),
            Self::None => ("none", [true; 3]),
        };
        let options = ["--centroid", "--softmax", "--embedding"];
        for ((option, weight), left_out) in options.into_iter().zip(added).zip(left_out) {
            match weight {
                Some(weight) if left_out && weight != 0.0 => {
                    return Err(Failure::Input(format!(
                        "--fuse {name} leaves out what {option} {weight} adds: give one of the two"
                    )));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
