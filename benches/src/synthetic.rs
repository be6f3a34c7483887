//! Data sets of any shape, made by a seed: Zipf's law in features and labels, and labels that can
//! be learned.

use hapax::core::{
    data::{Dataset, LabelLists},
    random::Stream,
    sparse::{SparseRows, SparseVec},
};
use std::error::Error;

/// The shape of a data set.
///
/// Labels and features are drawn by Zipf's law. Each label has twelve features of its own, drawn
/// once; half of a row's features are of its labels, the others are noise. Values are as of tf-idf,
/// rows have length one.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Number of rows N.
    pub rows: usize,
    /// Number of features D.
    pub features: u32,
    /// Number of labels L.
    pub labels: u32,
    /// Stored features of each row.
    pub row_features: usize,
    /// Mean labels of a row, at least 1.
    pub row_labels: f64,
}

/// How many features a label has of its own.
const OWN: u64 = 12;
const SEED: u64 = 42;

impl Shape {
    /// The shape of Amazon-670K: 490,449 rows, 135,909 features, 670,091 labels, 76 features and
    /// 5.45 labels a row.
    pub const AMAZON_670K: Self = Self {
        rows: 490_449,
        features: 135_909,
        labels: 670_091,
        row_features: 76,
        row_labels: 5.45,
    };

    /// The shape of WIKI-100K: 2,195,530 rows, 1,271,710 features, 100,000 labels, one a row; 42
    /// features a row, as many as those of Wikipedia in LSHTC have.
    pub const WIKI_100K: Self = Self {
        rows: 2_195_530,
        features: 1_271_710,
        labels: 100_000,
        row_features: 42,
        row_labels: 1.0,
    };

    /// The shape of LSHTC-2011: 394,754 rows, 594,158 features, 27,875 classes, one a row; 60
    /// features a row.
    pub const LSHTC_2011: Self = Self {
        rows: 394_754,
        features: 594_158,
        labels: 27_875,
        row_features: 60,
        row_labels: 1.0,
    };

    /// One of `share` parts of the rows, features and labels.
    #[must_use]
    pub fn part(self, share: u32) -> Self {
        Self {
            rows: self.rows / share as usize,
            features: self.features / share,
            labels: self.labels / share,
            ..self
        }
    }

    /// The data set of this shape; other numbers of `part` give other rows of the same kind (such
    /// as test rows).
    ///
    /// # Errors
    /// If there are fewer features than a row has.
    pub fn make(&self, part: u64) -> Result<Dataset, Box<dyn Error>> {
        if (self.features as usize) < 2 * self.row_features {
            return Err("a row takes up to half of the features".into());
        }
        let (features, labels) = (Zipf::new(self.features), Zipf::new(self.labels));
        let (mut rows, mut lists) = (SparseRows::new(self.features), LabelLists::new(self.labels));
        let mut drawn: Vec<u32> = Vec::new();
        for row in 0..self.rows as u64 {
            let mut stream = Stream::new(SEED + 1 + part, row);
            let own = self.labels_of(&labels, &mut stream);
            drawn.clear();
            for at in 0..self.row_features / 2 {
                let label = own[at % own.len()];
                let mut of_label = Stream::new(SEED, u64::from(label) * OWN + stream.below(OWN));
                add(&mut drawn, features.draw(&mut of_label));
            }
            while drawn.len() < self.row_features {
                add(&mut drawn, features.draw(&mut stream));
            }
            rows.push(self.valued(&drawn, &mut stream)?.view())?;
            lists.push(own);
        }
        Ok(Dataset::new(rows, lists, None)?)
    }

    fn labels_of(&self, zipf: &Zipf, stream: &mut Stream) -> Vec<u32> {
        let part = stream.unit() < self.row_labels.fract();
        let many = (self.row_labels as usize + usize::from(part)).max(1);
        let mut own: Vec<u32> = (0..many).map(|_| zipf.draw(stream)).collect();
        own.sort_unstable();
        own.dedup();
        own
    }

    /// A row of length one whose values are larger where the feature is rarer.
    fn valued(&self, drawn: &[u32], stream: &mut Stream) -> Result<SparseVec, Box<dyn Error>> {
        let pairs: Vec<(u32, f64)> = drawn
            .iter()
            .map(|&rank| {
                let idf = (f64::from(self.features) / (f64::from(rank) + 1.0)).ln() + 1.0;
                // Spread over the ids, so that frequent features do not stand together.
                let id = (u64::from(rank) * 48_271 % u64::from(self.features)) as u32;
                (id, (0.5 + stream.unit()) * idf)
            })
            .collect();
        let length = pairs.iter().map(|pair| pair.1 * pair.1).sum::<f64>().sqrt();
        let scaled = pairs
            .iter()
            .map(|&(id, value)| (id, (value / length) as f32));
        Ok(SparseVec::from_pairs(scaled)?)
    }
}

fn add(drawn: &mut Vec<u32>, feature: u32) {
    if !drawn.contains(&feature) {
        drawn.push(feature);
    }
}

/// Ranks drawn with chances that fall as 1 / (rank + 10).
struct Zipf {
    cumulative: Vec<f64>,
}

impl Zipf {
    fn new(ranks: u32) -> Self {
        let mut total = 0.0;
        let cumulative = (0..ranks)
            .map(|rank| {
                total += 1.0 / (f64::from(rank) + 10.0);
                total
            })
            .collect();
        Self { cumulative }
    }

    fn draw(&self, stream: &mut Stream) -> u32 {
        let point = stream.unit() * self.cumulative.last().copied().unwrap_or(0.0);
        let rank = self.cumulative.partition_point(|&sum| sum <= point);
        rank.min(self.cumulative.len() - 1) as u32
    }
}
