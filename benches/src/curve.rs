//! Curves as SVG: lines over two axes, each linear or logarithmic.

use std::fmt::Write;

/// A named line of points.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is called.
    pub name: String,
    /// Its points, in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
}

/// A chart of lines.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What stands above it.
    pub title: String,
    /// What the horizontal axis shows.
    pub across: &'static str,
    /// What the vertical axis shows.
    pub up: &'static str,
    /// Whether the horizontal axis is logarithmic: then only points above 0 are drawn.
    pub logarithmic: bool,
    /// The lines.
    pub lines: Vec<Line>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
/// Room on the left and below for numbers, on the right for names.
const LEFT: f64 = 60.0;
const BELOW: f64 = 50.0;
const RIGHT: f64 = 170.0;
const ABOVE: f64 = 36.0;
const TICKS: u32 = 5;
const COLORS: [&str; 8] = [
    "#1b6ca8", "#c8553d", "#4c956c", "#8e5aa8", "#b8860b", "#333333", "#d4699a", "#5f9ea0",
];

/// The values along an axis.
struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, logarithmic: bool) -> Self {
        let shown = |value: f64| if logarithmic { value.log10() } else { value };
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.map(shown).filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low < 1e-9 {
            high = low + 1.0;
        }
        Self {
            low,
            high,
            logarithmic,
        }
    }

    /// Where a value lies, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let value = if self.logarithmic {
            value.log10()
        } else {
            value
        };
        (value - self.low) / (self.high - self.low)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let (low, step) = (self.low, (self.high - self.low) / f64::from(TICKS));
        let logarithmic = self.logarithmic;
        (0..=TICKS).map(move |at| {
            let value = low + step * f64::from(at);
            if logarithmic {
                10f64.powf(value)
            } else {
                value
            }
        })
    }
}

/// A number in few digits.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if !(1e-3..1e5).contains(&size) => format!("{value:.1e}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

impl Chart {
    /// The chart as the text of an SVG file.
    #[must_use]
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let across = Axis::new(points().map(|point| point.0), self.logarithmic);
        let up = Axis::new(points().map(|point| point.1), false);
        let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * across.place(value);
        let y = |value: f64| HEIGHT - BELOW - (HEIGHT - BELOW - ABOVE) * up.place(value);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        let mut text = |x: f64, y: f64, anchor: &str, text: &str| {
            let text = escaped(text);
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
            );
        };
        text(LEFT, 20.0, "start", &self.title);
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        text(middle, HEIGHT - 12.0, "middle", self.across);
        text(8.0, ABOVE - 4.0, "start", self.up);
        for value in across.ticks() {
            text(x(value), HEIGHT - BELOW + 18.0, "middle", &short(value));
        }
        for value in up.ticks() {
            text(LEFT - 6.0, y(value) + 4.0, "end", &short(value));
        }
        for (at, line) in self.lines.iter().enumerate() {
            let y = ABOVE + 18.0 * at as f64 + 12.0;
            text(WIDTH - RIGHT + 26.0, y, "start", &line.name);
        }
        for value in up.ticks() {
            let (y, right) = (y(value), WIDTH - RIGHT);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#dddddd\" fill=\"none\"/>"
            );
        }
        for (at, line) in self.lines.iter().enumerate() {
            self.draw(&mut svg, at, line, &x, &y);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn draw(
        &self,
        svg: &mut String,
        at: usize,
        line: &Line,
        x: &dyn Fn(f64) -> f64,
        y: &dyn Fn(f64) -> f64,
    ) {
        let color = COLORS[at % COLORS.len()];
        let drawn = line
            .points
            .iter()
            .filter(|p| !self.logarithmic || p.0 > 0.0);
        let mut path = String::new();
        for point in drawn {
            let (x, y) = (x(point.0), y(point.1));
            let letter = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{x:.1} {y:.1}");
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>"
            );
        }
        let (left, mark) = (WIDTH - RIGHT + 6.0, ABOVE + 18.0 * at as f64 + 8.0);
        let _ = writeln!(
            svg,
            "<path d=\"{path}M{left} {mark}h16\" stroke=\"{color}\" stroke-width=\"2\" fill=\"none\"/>"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{Chart, Line};

    #[test]
    fn every_point_is_drawn_inside_the_chart() {
        let points = vec![(1.0, 5.0), (10.0, 7.0), (1000.0, 6.0), (0.0, 6.5)];
        let chart = Chart {
            title: "a < b".into(),
            across: "rows",
            up: "seconds",
            logarithmic: true,
            lines: vec![Line {
                name: "one".into(),
                points,
            }],
        };
        let svg = chart.svg();
        // A logarithmic axis has no zero.
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("a &lt; b") && svg.contains("cx=\"60.0\""));
        assert!(svg.contains("cx=\"550.0\"") && svg.contains("cy=\"36.0\""));
    }
}
