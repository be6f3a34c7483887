//! The accuracy of MACH against buckets and repetitions: figure 1 of the paper.

use std::fmt::Write;

/// Precision against repetitions, for a number of buckets.
pub struct Line {
    /// Buckets B.
    pub buckets: u32,
    /// Repetitions R, and P@1 in percent.
    pub points: Vec<(u32, f64)>,
    /// Of the model with the most repetitions.
    pub bytes: usize,
}

/// A picture: lines of precision against repetitions, one for each number of buckets.
#[must_use]
pub fn svg(set: &str, epochs: u32, lines: &[Line]) -> String {
    let all = || lines.iter().flat_map(|line| &line.points);
    let most = all()
        .map(|(_, at_1)| at_1 / 10.0)
        .fold(0.0, f64::max)
        .ceil();
    let x = |repetitions: u32| 40.0 + 60.0 * f64::from(repetitions).log2();
    let y = |at_1: f64| 280.0 - 24.0 * at_1 / most;
    let text = |x: f64, y: f64, rest: &str, words: &str| {
        format!("<text x=\"{x:.0}\" y=\"{y:.0}\"{rest}>{words}</text>\n")
    };
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 520 330\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"520\" height=\"330\" fill=\"#fff\"/>\n",
    );
    let title = format!("{set}: P@1 in percent against repetitions R, {epochs} epochs");
    out += &text(40.0, 20.0, " font-size=\"13\"", &title);
    for tens in 0..=most as u32 {
        let at = y(f64::from(10 * tens));
        let _ = writeln!(out, "<path d=\"M140 {at:.0}H350\" stroke=\"#ddd\"/>");
        let right = " text-anchor=\"end\" fill=\"#555\"";
        out += &text(132.0, at + 4.0, right, &format!("{}", 10 * tens));
    }
    let repetitions = lines.iter().take(1).flat_map(|line| &line.points);
    for &(repetitions, _) in repetitions {
        let words = format!("R = {repetitions}");
        let middle = " text-anchor=\"middle\" fill=\"#555\"";
        out += &text(x(repetitions), 300.0, middle, &words);
    }
    for (at, line) in lines.iter().enumerate() {
        let color = ["#1b6ca8", "#c1440e", "#3a7d44", "#6a4c93", "#8a6d00"][at % 5];
        let path: Vec<String> = line
            .points
            .iter()
            .map(|&(repetitions, at_1)| format!("{:.0} {:.1}", x(repetitions), y(at_1)))
            .collect();
        let path = path.join("L");
        let _ = writeln!(
            out,
            "<path d=\"M{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>"
        );
        let last = line.points.last().map_or(0.0, |&(_, at_1)| at_1);
        let megabytes = line.bytes as f64 / 1e6;
        let words = format!("B = {}: {last:.1}, {megabytes:.1} MB", line.buckets);
        let place = 60.0 + 16.0 * (lines.len() - 1 - at) as f64;
        out += &text(365.0, place, &format!(" fill=\"{color}\""), &words);
    }
    let below = "right: P@1 and size at the largest R";
    out += &text(40.0, 320.0, " fill=\"#555\"", below);
    out + "</svg>\n"
}
