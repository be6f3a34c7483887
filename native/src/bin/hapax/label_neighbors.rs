//! `hapax inspect MODEL --neighbors LABEL`: the labels that a model places nearest to one.

use super::{
    failure::Failure,
    neighborhood::svg,
    output::{print, shown, shown_json},
    table::table,
};
use hapax::{
    core::model::{Method, Model},
    files::write_whole,
};
use serde_json::json;
use std::{iter::once, path::Path};

/// How many labels are printed.
const NEIGHBORS: usize = 10;

/// Prints the labels nearest to the one named, or numbered, `label`, and draws them to the file
/// `picture`.
pub fn print_neighbors(
    model: &Model,
    label: &str,
    as_json: bool,
    picture: Option<&Path>,
) -> Result<(), Failure> {
    let Method::Embedding(embedding) = model.method() else {
        let made = &model.provenance().algorithm;
        return Err(Failure::Input(format!(
            "--neighbors needs a model with prototypes (wsabie, wsabie-pp, ova-sgd, auc, nearest-mean), and this \
             one is of {made}"
        )));
    };
    let numbered = || label.parse().ok().filter(|&id: &u32| id < model.labels());
    let id = model.label_id(label).or_else(numbered).ok_or_else(|| {
        Failure::Input(format!(
            "the model has no label {label}, nor a label of that number"
        ))
    })?;
    let name = |id: u32| model.label_name(id).unwrap_or_else(|| id.to_string());
    let found = embedding.model().neighbors(id, NEIGHBORS);
    if let Some(path) = picture {
        let ids: Vec<u32> = once(id).chain(found.iter().map(|near| near.id)).collect();
        write_whole(path, svg(model, embedding.model(), &ids).as_bytes())?;
    }
    if as_json {
        let near = found.iter().map(|near| {
            json!({"label": name(near.id), "id": near.id, "cosine": near.cosine, "distance": near.distance})
        });
        let near: Vec<_> = near.collect();
        return print(shown_json(
            &json!({"label": name(id), "id": id, "neighbors": near}),
        ));
    }
    let own = name(id);
    let mut lines = table(&[&format!("nearest to {}", shown(&own)), "cosine", "distance"]);
    for near in &found {
        let (cosine, distance) = (
            format!("{:.3}", near.cosine),
            format!("{:.3}", near.distance),
        );
        lines.add_row([shown(&name(near.id)).into_owned(), cosine, distance]);
    }
    print(lines)
}
