//! Plots of costs, as SVG files.

use crate::failure::Failure;
use plotters::prelude::*;
use std::fs;
use std::io;
use std::path::Path;

/// A plot with two logarithmic axes: logarithmic growth is nearly flat.
pub(crate) struct Plot<'a> {
    pub(crate) title: String,
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
    pub(crate) lines: Vec<Line>,
}

/// A line of it.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

const SIZE: (u32, u32) = (1_000, 560);

/// The colours. They differ for colour-blind readers and on paper. Each is used for a full line and
/// for one with hollow points.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
];

impl Plot<'_> {
    /// Writes the plot to a file, on white for readers of dark pages.
    pub(crate) fn write(&self, file: &Path) -> Result<(), Failure> {
        let doing = || format!("drawing {}", file.display());
        let folder = file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(Failure::machine(doing()))?;
        self.draw(file).map_err(|error| Failure::Machine {
            doing: doing(),
            source: io::Error::other(error.to_string()),
        })
    }

    fn draw(&self, file: &Path) -> Result<(), Box<dyn std::error::Error + '_>> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let (left, right) = bounds(points().map(|(x, _)| *x));
        let (bottom, top) = bounds(points().map(|(_, y)| *y));
        let area = SVGBackend::new(file, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (plot, legend) = area.split_horizontally(660);
        let mut chart = ChartBuilder::on(&plot)
            .caption(&self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d((left..right).log_scale(), (bottom / 1.5..top * 1.5).log_scale())?;
        chart
            .configure_mesh()
            .x_labels(6)
            .x_desc(self.x)
            .y_desc(self.y)
            .x_label_formatter(&|x| shown(*x))
            .y_label_formatter(&|y| shown(*y))
            .label_style(("sans-serif", 13))
            .light_line_style(WHITE)
            .draw()?;
        for (n, line) in self.lines.iter().enumerate() {
            let colour = COLOURS[n % COLOURS.len()];
            let is_full = n < COLOURS.len();
            let mark = if is_full { colour.filled() } else { colour.stroke_width(2) };
            chart.draw_series(LineSeries::new(
                line.points.iter().copied(),
                colour.stroke_width(if is_full { 2 } else { 1 }),
            ))?;
            chart.draw_series(line.points.iter().map(|point| Circle::new(*point, 4, mark)))?;
            let y = 40 + 24 * n as i32;
            legend.draw(&PathElement::new([(4, y), (34, y)], colour.stroke_width(2)))?;
            legend.draw(&Circle::new((19, y), 4, mark))?;
            legend.draw(&Text::new(line.name.as_str(), (42, y - 7), ("sans-serif", 14)))?;
        }
        area.present()?;
        Ok(())
    }
}

/// The least and the greatest of some positive figures.
fn bounds(figures: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, greatest) = figures.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), figure| {
        (low.min(figure), high.max(figure))
    });
    // A scale of a single figure has no length.
    if least < greatest { (least, greatest) } else { (greatest / 2.0, greatest * 2.0) }
}

/// The figure with commas from a thousand on, and with at most two digits below one.
pub(crate) fn shown(figure: f64) -> String {
    if figure < 10.0 {
        return format!("{}", (figure * 100.0).round() / 100.0);
    }
    let digits = format!("{figure:.0}");
    let mut shown = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_shown_as_they_are_read() {
        let figures = [0.125, 1.0, 9.5, 10.0, 999.0, 1_000.0, 5_000_000.0].map(shown);
        assert_eq!(figures, ["0.13", "1", "9.5", "10", "999", "1,000", "5,000,000"]);
    }

    #[test]
    fn a_plot_has_its_axes_and_all_of_its_lines() {
        let line = |name: &str, y: f64| Line {
            name: name.to_owned(),
            points: vec![(10_000.0, y), (5_000_000.0, y * 1.5)],
        };
        let lines = (0..9).map(|n| line(&format!("line {n}"), 10.0 + f64::from(n))).collect();
        let plot = Plot { title: "Cost".to_owned(), x: "votes", y: "µs", lines };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("plots").join("cost.svg");
        plot.write(&file).unwrap();
        let drawn = fs::read_to_string(file).unwrap();
        for text in ["Cost", "votes", "µs", "10,000", "line 0", "line 8"] {
            assert!(drawn.contains(text), "{text}");
        }
    }
}
