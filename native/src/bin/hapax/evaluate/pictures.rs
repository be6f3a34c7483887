//! The pictures of the report, in SVG. They hold no names, only numbers and fixed words; colors are
//! replaced by the page's style where it is dark.

use plotters::{
    coord::Shift,
    prelude::{
        ChartBuilder, Circle, DrawingArea, EmptyElement, IntoDrawingArea, LineSeries, RGBColor,
        Rectangle, SVGBackend, Text,
    },
    style::{
        Color, IntoFont, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

const SIZE: (u32, u32) = (720, 320);
const INK: RGBColor = RGBColor(0, 0, 0);
/// Style sheets replace these two by name: see `report.css`.
const FIRST: RGBColor = RGBColor(0x0B, 0x5F, 0xA5);
const SECOND: RGBColor = RGBColor(0xC2, 0x5E, 0x00);
const FONT: (&str, i32) = ("sans-serif", 14);

type Drawn = Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Groups of two bars, each of a share from 0 to 1 or nothing, named under the axis.
pub struct Bars<'a> {
    pub names: &'a [String],
    pub first: (&'a str, &'a [Option<f64>]),
    pub second: (&'a str, &'a [Option<f64>]),
}

/// Two lines over 1, 2, …, of shares from 0 to 1.
pub struct Lines<'a> {
    pub first: (&'a str, &'a [f64]),
    pub second: (&'a str, &'a [f64]),
}

fn drawn(draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, Box<dyn std::error::Error>> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        draw(&area)?;
        area.present()?;
    }
    Ok(svg)
}

fn text(horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    let style = TextStyle::from(FONT.into_font());
    style.color(&INK).pos(Pos::new(horizontal, vertical))
}

/// The two names with their colors, above the picture.
fn legend(area: &Area<'_>, names: [&str; 2]) -> Drawn {
    for (at, (name, color)) in names.into_iter().zip([FIRST, SECOND]).enumerate() {
        let left = 60 + 300 * at as i32;
        area.draw(&Rectangle::new(
            [(left, 8), (left + 14, 22)],
            color.filled(),
        ))?;
        let name = name.to_string();
        area.draw(&Text::new(
            name,
            (left + 22, 15),
            text(HPos::Left, VPos::Center),
        ))?;
    }
    Ok(())
}

impl Bars<'_> {
    pub fn svg(&self) -> Result<String, Box<dyn std::error::Error>> {
        drawn(|area| {
            legend(area, [self.first.0, self.second.0])?;
            let groups = self.names.len() as f64;
            let mut chart = ChartBuilder::on(area)
                .margin_top(36)
                .margin_right(12)
                .x_label_area_size(30)
                .y_label_area_size(48)
                .build_cartesian_2d(0.0..groups.max(1.0), 0.0..100.0)?;
            chart
                .configure_mesh()
                .disable_x_mesh()
                .x_labels(0)
                .y_labels(5)
                .bold_line_style(INK.mix(0.2))
                .light_line_style(INK.mix(0.0))
                .axis_style(INK)
                .label_style(text(HPos::Left, VPos::Top))
                .y_label_formatter(&|share| format!("{share:.0} %"))
                .draw()?;
            for (from, color, shares) in
                [(0.12, FIRST, self.first.1), (0.52, SECOND, self.second.1)]
            {
                let bars = shares.iter().enumerate();
                let bars = bars.filter_map(|(at, share)| Some((at as f64 + from, (*share)?)));
                chart.draw_series(bars.map(|(left, share)| {
                    Rectangle::new([(left, 0.0), (left + 0.36, 100.0 * share)], color.filled())
                }))?;
            }
            let names = self.names.iter().enumerate();
            chart.draw_series(names.map(|(at, name)| {
                EmptyElement::at((at as f64 + 0.5, 0.0))
                    + Text::new(name.clone(), (0, 8), text(HPos::Center, VPos::Top))
            }))?;
            Ok(())
        })
    }
}

impl Lines<'_> {
    pub fn svg(&self) -> Result<String, Box<dyn std::error::Error>> {
        drawn(|area| {
            legend(area, [self.first.0, self.second.0])?;
            let last = self.first.1.len() as f64;
            let mut chart = ChartBuilder::on(area)
                .margin_top(36)
                .margin_right(12)
                .x_label_area_size(30)
                .y_label_area_size(48)
                .build_cartesian_2d(0.5..last + 0.5, 0.0..100.0)?;
            chart
                .configure_mesh()
                .disable_x_mesh()
                .x_labels(0)
                .y_labels(5)
                .bold_line_style(INK.mix(0.2))
                .light_line_style(INK.mix(0.0))
                .axis_style(INK)
                .label_style(text(HPos::Left, VPos::Top))
                .y_label_formatter(&|share| format!("{share:.0} %"))
                .draw()?;
            for (color, shares) in [(SECOND, self.second.1), (FIRST, self.first.1)] {
                let points = shares.iter().enumerate();
                let points = points.map(|(at, share)| (at as f64 + 1.0, 100.0 * share));
                chart.draw_series(LineSeries::new(points.clone(), color.stroke_width(2)))?;
                chart.draw_series(points.map(|at| Circle::new(at, 4, color.filled())))?;
            }
            let ks = 0..self.first.1.len();
            chart.draw_series(ks.map(|at| {
                EmptyElement::at((at as f64 + 1.0, 0.0))
                    + Text::new(
                        format!("@{}", at + 1),
                        (0, 8),
                        text(HPos::Center, VPos::Top),
                    )
            }))?;
            Ok(())
        })
    }
}
