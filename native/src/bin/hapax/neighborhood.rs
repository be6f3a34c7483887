//! A label's neighborhood as a picture: the label and those nearest to it, at the places of
//! [`EmbeddingModel::plane`].

use hapax::core::model::{EmbeddingModel, Model};
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 480.0;
/// Free space at the borders: names are written to the right of their points.
const BORDER: (f64, f64) = (40.0, 30.0);
/// The room of a line of text, and of a letter in it.
const LINE: f64 = 18.0;
const LETTER: f64 = 7.5;

/// The picture in SVG: `ids` are the labels, the one in question first.
pub fn svg(model: &Model, embedding: &EmbeddingModel, ids: &[u32]) -> String {
    let name = |&id: &u32| model.label_name(id).unwrap_or_else(|| id.to_string());
    let names: Vec<String> = ids.iter().map(name).collect();
    let points = on_the_page(&embedding.plane(ids), &names);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"14\">\n<title>Labels nearest to {}</title>\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n",
        escaped(&names[0])
    );
    // Writing to a string does not fail.
    let mut draw = |text: std::fmt::Arguments<'_>| out.write_fmt(text).unwrap_or(());
    let center = points[0].at;
    for point in &points[1..] {
        let (x, y) = point.at;
        draw(format_args!(
            "<path d=\"M{:.1} {:.1}L{x:.1} {y:.1}\" stroke=\"#bbb\"/>\n",
            center.0, center.1
        ));
    }
    for (place, (point, name)) in points.iter().zip(&names).enumerate() {
        let (color, weight) = if place == 0 {
            ("#c33", "bold")
        } else {
            ("#369", "normal")
        };
        let ((x, y), (left, base)) = (point.at, point.name);
        draw(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{color}\"/>\n<text x=\"{left:.1}\" \
             y=\"{base:.1}\" font-weight=\"{weight}\">{}</text>\n",
            escaped(name)
        ));
    }
    out.push_str("</svg>\n");
    out
}

/// Where a point and its name stand on the page.
struct Placed {
    at: (f64, f64),
    name: (f64, f64),
}

/// The points at one scale for both directions, and names moved down where they would lie on
/// others.
fn on_the_page(points: &[[f64; 2]], names: &[String]) -> Vec<Placed> {
    let range = |of: &dyn Fn(&[f64; 2]) -> f64| {
        let all = points.iter().map(of);
        let low = all.clone().fold(f64::INFINITY, f64::min);
        (low, all.fold(f64::NEG_INFINITY, f64::max) - low)
    };
    let longest = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0);
    let right = (longest as f64 * LETTER).min(WIDTH / 2.0);
    let room = (WIDTH - 2.0 * BORDER.0 - right, HEIGHT - 2.0 * BORDER.1);
    let ((left, wide), (top, high)) = (range(&|p| p[0]), range(&|p| p[1]));
    let scale = f64::min(room.0 / wide.max(1e-12), room.1 / high.max(1e-12));
    let mut placed: Vec<Placed> = points
        .iter()
        .map(|p| {
            let at = (
                BORDER.0 + (p[0] - left) * scale,
                BORDER.1 + (p[1] - top) * scale,
            );
            Placed {
                at,
                name: (at.0 + 9.0, at.1 + 5.0),
            }
        })
        .collect();
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by(|&a, &b| placed[a].at.1.total_cmp(&placed[b].at.1));
    for place in 1..order.len() {
        for &above in &order[..place] {
            let (own, other) = (&placed[order[place]].name, &placed[above].name);
            let width = |at: usize| names[at].chars().count() as f64 * LETTER;
            let beside = own.0 > other.0 + width(above) || other.0 > own.0 + width(order[place]);
            if !beside && (own.1 - other.1).abs() < LINE {
                placed[order[place]].name.1 = other.1 + LINE;
            }
        }
    }
    placed
}

fn escaped(name: &str) -> String {
    let shown: String = name.chars().filter(|c| !c.is_control()).collect();
    shown
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
