//! Loads a model and answers a text, with the evidence of the first answer.
//!
//! ```sh
//! cargo run --release --example load_model -- books.hapax "rivers and springs"
//! ```

use hapax::core::model::{Model, Scratch};
use hapax::{files, kernels};
use std::{error::Error, path::Path};

/// A label and its score.
pub type Scored = (String, f32);

/// The three best labels of `text`, best first.
pub fn run(path: &Path, text: &str) -> Result<Vec<Scored>, Box<dyn Error>> {
    // Mapped into memory and checked: a damaged file is an error that names the place.
    let mut model = Model::from_bytes(files::map_model(path)?)?;
    // Lays weights out for speed, for some memory; pays from some hundred queries on.
    model.prepare()?;
    // Holds the memory of a query: keep it, one for each thread.
    let mut scratch = Scratch::new(kernels::best());
    let answers = model.predict_text(text, 3, &mut scratch)?;
    let named = |id: u32, name: Option<String>| name.unwrap_or_else(|| id.to_string());
    Ok(answers
        .into_iter()
        .map(|answer| (named(answer.id, answer.name), answer.score))
        .collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, text] = &arguments[..] else {
        return Err("usage: load_model MODEL TEXT".into());
    };
    for (label, score) in run(model.as_ref(), text)? {
        println!("{score:9.4}  {label}");
    }
    Ok(())
}
