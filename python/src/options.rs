//! The options of training, by the names that the command has for them.

use super::errors::wrong;
use hapax::core::parameters::MachParameters;
use hapax::core::parameters::NearestParameters;
use hapax::core::parameters::{Bias, Loss, Negatives, OneVsRest};
use hapax::core::text::{FeatureSpace, NGrams};
use hapax::core::train::{Parameters, Reduction, one_vs_rest::Given};
use hapax::{Fuse, LeftOut, TextFeatures};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Options that are taken one by one; what is left at the end is unknown.
pub struct Options<'py> {
    given: Bound<'py, PyDict>,
    known: Vec<&'static str>,
}

impl<'py> Options<'py> {
    /// The options of a call.
    pub fn new(given: &Bound<'py, PyDict>) -> PyResult<Self> {
        Ok(Self {
            given: given.copy()?,
            known: Vec::new(),
        })
    }

    /// The option of this name; `None` is as good as nothing.
    pub fn take<T>(&mut self, name: &'static str) -> PyResult<Option<T>>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        self.known.push(name);
        let Some(value) = self.given.get_item(name)? else {
            return Ok(None);
        };
        self.given.del_item(name)?;
        if value.is_none() {
            return Ok(None);
        }
        let made = value.extract::<T>().map_err(Into::<PyErr>::into);
        made.map(Some)
            .map_err(|error| wrong(format_args!("{name}: {}", error.value(value.py()))))
    }

    /// One of several words.
    pub fn choose<T: Copy>(
        &mut self,
        name: &'static str,
        words: &[(&str, T)],
        default: T,
    ) -> PyResult<T> {
        let Some(word) = self.take::<String>(name)? else {
            return Ok(default);
        };
        let found = words.iter().find(|(known, _)| *known == word);
        found.map(|&(_, value)| value).ok_or_else(|| {
            let known: Vec<&str> = words.iter().map(|&(known, _)| known).collect();
            let known = known.join(", ");
            wrong(format_args!(
                "{name} is {word:?}, but must be one of {known}"
            ))
        })
    }

    /// Refuses what nobody took.
    pub fn end(mut self, method: &str) -> PyResult<()> {
        let Some(unknown) = self.given.keys().iter().next() else {
            return Ok(());
        };
        self.known.sort_unstable();
        Err(PyTypeError::new_err(format!(
            "method {method:?} has no option {}; it has {}",
            unknown.repr()?,
            self.known.join(", ")
        )))
    }
}

/// Lengths of n-grams: `2`, `(1, 2)` or `"1-2"`; 0 for none.
#[derive(FromPyObject)]
enum Lengths {
    One(u8),
    Two(u8, u8),
    Word(String),
}

fn lengths(name: &'static str, given: Lengths) -> PyResult<Option<NGrams>> {
    let (min, max) = match given {
        Lengths::One(length) => (length, length),
        Lengths::Two(min, max) => (min, max),
        Lengths::Word(word) => {
            let (min, max) = word.split_once('-').unwrap_or((&word, &word));
            let number = |part: &str| {
                part.trim()
                    .parse::<u8>()
                    .map_err(|_| wrong(format_args!("{name}: {part:?} is no number from 0 to 16")))
            };
            (number(min)?, number(max)?)
        }
    };
    Ok((max > 0).then_some(NGrams { min, max }))
}

/// How texts become features.
pub fn text(options: &mut Options<'_>, texts: usize) -> PyResult<TextFeatures> {
    let mut features = TextFeatures::open(texts);
    let (chosen, given) = (&mut features.options, &mut features.given);
    if let Some(words) = options.take("words")? {
        (chosen.tokens.words, given.words) = (lengths("words", words)?, true);
    }
    if let Some(characters) = options.take("characters")? {
        chosen.tokens.characters = lengths("characters", characters)?;
        given.characters = true;
    }
    if let Some(sensitive) = options.take::<bool>("case_sensitive")? {
        chosen.tokens.lower_case = !sensitive;
    }
    let least: Option<u32> = options.take("min_documents")?;
    let share: Option<f64> = options.take("max_document_share")?;
    let most: Option<u32> = options.take("max_features")?;
    let bits: Option<u8> = options.take("hash_bits")?;
    given.counts = least.is_some() || most.is_some() || bits.is_some();
    if let Some(bits) = bits {
        if least.is_some() || most.is_some() || share.is_some() {
            let rule = "hash_bits keeps no vocabulary: give it without min_documents, \
                        max_document_share and max_features";
            return Err(wrong(rule));
        }
        chosen.features = FeatureSpace::Hashed { bits, seed: 0 };
    }
    if let FeatureSpace::Vocabulary {
        min_documents,
        max_document_share,
        max_features,
    } = &mut chosen.features
    {
        *min_documents = least.unwrap_or(*min_documents);
        *max_document_share = share.unwrap_or(*max_document_share);
        *max_features = most;
    }
    chosen.check().map_err(wrong)?;
    Ok(features)
}

/// To how few dimensions rows are brought, if they are.
pub fn reduction(options: &mut Options<'_>, seed: u64) -> PyResult<Option<Reduction>> {
    let dimensions: Option<u32> = options.take("reduce")?;
    let iterations: Option<u32> = options.take("reduce_iterations")?;
    let Some(dimensions) = dimensions else {
        return match iterations {
            Some(_) => Err(wrong(
                "reduce_iterations needs reduce, a number of dimensions",
            )),
            None => Ok(None),
        };
    };
    let base = Reduction::default();
    let reduction = Reduction {
        dimensions,
        power_iterations: iterations.unwrap_or(base.power_iterations),
        seed,
        ..base
    };
    reduction.check().map_err(wrong)?;
    Ok(Some(reduction))
}

/// The parameters of one-vs-rest that are given, and what is left open.
pub fn one_vs_rest(options: &mut Options<'_>, seed: u64) -> PyResult<(OneVsRest, Given)> {
    let base = OneVsRest::default();
    let losses = [
        ("hinge", Loss::Hinge),
        ("squared-hinge", Loss::SquaredHinge),
    ];
    let negatives = [
        ("auto", Negatives::Auto),
        ("all", Negatives::All),
        ("mined", Negatives::Mined),
    ];
    let fixed = OneVsRest {
        loss: options.choose("loss", &losses, base.loss)?,
        negatives: options.choose("negatives", &negatives, base.negatives)?,
        rounds: options.take("rounds")?.unwrap_or(base.rounds),
        max_epochs: options.take("max_epochs")?.unwrap_or(base.max_epochs),
        bits: options.take("bits")?.unwrap_or(base.bits),
        seed,
        ..base
    };
    let fuses = [
        ("auto", Fuse::Auto),
        ("centroid", Fuse::Centroid),
        ("nearest", Fuse::Nearest),
        ("none", Fuse::None),
    ];
    let fuse = options.choose("fuse", &fuses, Fuse::Auto)?;
    let bias: Option<f64> = options.take("bias")?;
    let learn = options.take::<bool>("learn_bias")?.unwrap_or(false);
    let mut given = Given {
        cost: options.take("cost")?,
        positive_weight: options.take("positive_weight")?,
        exponent: options.take("exponent")?,
        bias: match (learn, bias) {
            (true, value) => Some(Bias::Learned(value.unwrap_or(1.0))),
            (false, value) => value.map(Bias::Fixed),
        },
        prune: options.take("prune")?,
        centroid: options.take("centroid")?,
        prior: options.take("prior")?,
        softmax: options.take("softmax")?,
        embedding: options.take("embedding")?,
        pool: options.take("pool")?,
        mine: options.take("mine")?,
        epsilon: options.take("epsilon")?,
        neighbors: None,
    };
    fuse.apply(&mut given).map_err(|left_out| {
        let LeftOut { by, what, weight } = left_out;
        wrong(format_args!(
            "fuse={by:?} leaves out what {what}={weight} adds: give one of the two"
        ))
    })?;
    given.over(&fixed).check().map_err(wrong)?;
    Ok((fixed, given))
}

/// The parameters of nearest neighbors, and whether they are tuned.
pub struct Neighbors {
    neighbors: Option<u32>,
    parameters: NearestParameters,
    pub tune: bool,
}

impl Neighbors {
    /// Takes them from the options.
    pub fn new(options: &mut Options<'_>) -> PyResult<Self> {
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
        })
    }

    /// The parameters for so many rows: by default no more neighbors than rows.
    pub fn within(&self, rows: usize) -> NearestParameters {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        let default = self.parameters.neighbors.min(rows);
        NearestParameters {
            neighbors: self.neighbors.unwrap_or(default),
            ..self.parameters
        }
    }
}

/// The parameters of MACH that are given; the data choose the others.
#[derive(Default)]
pub struct Mach {
    buckets: Option<u32>,
    repetitions: Option<u32>,
    learning_rate: Option<f64>,
    epochs: Option<u32>,
    averaged_epochs: Option<u32>,
    dropout: Option<f64>,
    exponent: Option<f64>,
    bits: Option<u32>,
    keep: Option<f64>,
    rerank: Option<u32>,
    seed: u64,
}

impl Mach {
    /// Takes them from the options.
    pub fn new(options: &mut Options<'_>, seed: u64) -> PyResult<Self> {
        let given = Self {
            buckets: options.take("buckets")?,
            repetitions: options.take("repetitions")?,
            learning_rate: options.take("learning_rate")?,
            epochs: options.take("epochs")?,
            averaged_epochs: options.take("averaged_epochs")?,
            dropout: options.take("dropout")?,
            exponent: options.take("exponent")?,
            bits: options.take("bits")?,
            keep: options.take("keep")?,
            rerank: options.take("rerank")?,
            seed,
        };
        given
            .over(MachParameters::default())
            .check()
            .map_err(wrong)?;
        Ok(given)
    }

    /// The given values in place of those of `base`.
    pub fn over(&self, base: MachParameters) -> MachParameters {
        MachParameters {
            buckets: self.buckets.unwrap_or(base.buckets),
            repetitions: self.repetitions.unwrap_or(base.repetitions),
            learning_rate: self.learning_rate.unwrap_or(base.learning_rate),
            epochs: self.epochs.unwrap_or(base.epochs),
            averaged_epochs: self.averaged_epochs.unwrap_or(base.averaged_epochs),
            dropout: self.dropout.unwrap_or(base.dropout),
            exponent: self.exponent.unwrap_or(base.exponent),
            bits: self.bits.unwrap_or(base.bits),
            keep: self.keep.unwrap_or(base.keep),
            rerank: self.rerank.unwrap_or(base.rerank),
            seed: self.seed,
            ..base
        }
    }
}
