//! Figures that differ from round to round.

/// The median of some figures, and the range of the middle half of them.
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    pub(crate) fn of(figures: impl Iterator<Item = f64>) -> Self {
        let mut figures: Vec<f64> = figures.collect();
        figures.sort_unstable_by(f64::total_cmp);
        let quarter = |n: usize| figures.get(figures.len() * n / 4).copied().unwrap_or_default();
        Self { low: quarter(1), median: quarter(2), high: quarter(3) }
    }

    /// The distance of the middle half from the median, as a part of the median.
    pub(crate) fn noise(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.median
    }
}
