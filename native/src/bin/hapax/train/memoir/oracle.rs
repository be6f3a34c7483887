//! `--oracle`: how the maximum inside the margin is found.

use clap::{Args, ValueEnum};
use hapax::core::parameters::Oracle;
use serde_json::{Value, json};

/// The oracle and its size.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Search for the classes pushed away")]
pub struct OracleOptions {
    /// How the classes that a row pushes away are found; all but the first may miss some, and none
    /// invents a score [default: exhaustive; of memoir-lsh sign-codes]
    #[arg(long, value_enum)]
    oracle: Option<OracleName>,
    /// The share of a row's squares that its frequent features may have to be left out of the
    /// search
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    left_out: f32,
    /// 64-bit words of a code of signs
    #[arg(long, default_value_t = 4)]
    code_words: u32,
    /// How many classes sign codes propose
    #[arg(long, default_value_t = 50)]
    candidates: u32,
    /// How many edges a new class gets on a graph
    #[arg(long, default_value_t = 12)]
    degree: u32,
    /// How many classes a search on a graph keeps, and proposes
    #[arg(long, default_value_t = 40)]
    beam: u32,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OracleName {
    /// All classes are scored
    Exhaustive,
    /// All classes are scored by a row's rarer features, the best of them by all
    RareFeatures,
    /// Codes of signs are compared (SimpleLSH)
    SignCodes,
    /// A navigable graph (SW-graph)
    Graph,
}

impl OracleOptions {
    /// What is asked for, or `default`.
    pub fn oracle(&self, default: Oracle) -> Oracle {
        let (candidates, degree, beam) = (self.candidates, self.degree, self.beam);
        match self.oracle {
            None => default,
            Some(OracleName::Exhaustive) => Oracle::Exhaustive,
            Some(OracleName::RareFeatures) => Oracle::RareFeatures(self.left_out),
            Some(OracleName::SignCodes) => Oracle::SignCodes {
                words: self.code_words,
                candidates,
            },
            Some(OracleName::Graph) => Oracle::Graph { degree, beam },
        }
    }

    /// Codes of signs as these options have them.
    pub fn sign_codes(&self) -> Oracle {
        Oracle::SignCodes {
            words: self.code_words,
            candidates: self.candidates,
        }
    }
}

/// The oracle for programs.
pub fn oracle_json(oracle: Oracle) -> Value {
    let name = oracle.name();
    match oracle {
        Oracle::Exhaustive => json!({"name": name}),
        Oracle::RareFeatures(left_out) => json!({"name": name, "left_out": left_out}),
        Oracle::SignCodes { words, candidates } => {
            json!({"name": name, "words": words, "candidates": candidates})
        }
        Oracle::Graph { degree, beam } => {
            json!({"name": name, "degree": degree, "beam": beam})
        }
    }
}
