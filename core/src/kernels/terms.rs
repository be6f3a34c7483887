//! Sums of rows of weights, each times its value: the logits of the heads of MACH, as they are
//! trained and as a model answers.
//!
//! Sums run over terms in order and over buckets in [`LANES`] lanes, so every compiled form has the
//! same bits.

use hapax_processor::fetch_second;

/// Lanes of sums over buckets.
pub(crate) const LANES: usize = 16;

/// A feature's row of weights and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// The row of weights.
    pub row: u32,
    /// The value.
    pub value: f32,
}

/// One vector of weights.
type Line = [f32; LANES];

/// `sums[i] += sum of value * weight`, term after term, over the whole width of `sums`. Prefetches
/// the lines of four rows while the four before are added: rows are far apart in memory, so the
/// processor cannot guess which comes next.
#[inline(always)]
pub(crate) fn add_terms(sums: &mut [f32], weights: &[f32], terms: &[Term]) {
    add_terms_beside(
        sums,
        weights,
        terms,
        #[inline(always)]
        |_| {},
    );
}

/// [`add_terms`], where `beside` is told of each term in time, for what else will be read of it.
#[inline(always)]
pub(crate) fn add_terms_beside(
    sums: &mut [f32],
    weights: &[f32],
    terms: &[Term],
    beside: impl Fn(&Term) + Copy,
) {
    let width = sums.len();
    let row = |term: &Term| {
        let start = term.row as usize * width;
        weights.get(start..start + width).unwrap_or(&[])
    };
    let (fours, rest) = terms.as_chunks::<4>();
    for (place, four) in fours.iter().enumerate() {
        let [a, b, c, d] = four;
        let rows = [row(a), row(b), row(c), row(d)];
        let soon = match fours.get(place + 1) {
            Some([a, b, c, d]) => [row(a), row(b), row(c), row(d)],
            None => [&[][..]; 4],
        };
        let values = [a.value, b.value, c.value, d.value];
        add_four(sums, values, rows, soon);
        four.iter().for_each(beside);
    }
    for term in rest {
        beside(term);
        let own = row(term);
        if own.len() == width {
            add_scaled(sums, own, term.value);
        }
    }
}

/// Adds four rows, or none if one is not as long as `sums`.
#[inline(always)]
fn add_four(sums: &mut [f32], values: [f32; 4], rows: [&[f32]; 4], soon: [&[f32]; 4]) {
    let [a, b, c, d] = rows;
    let (sums, tail) = sums.as_chunks_mut::<LANES>();
    let whole = sums.len();
    let lines = |row| <[f32]>::as_chunks::<LANES>(row).0.get(..whole);
    let (Some(wa), Some(wb), Some(wc), Some(wd)) = (lines(a), lines(b), lines(c), lines(d)) else {
        return;
    };
    if let (Some(sa), Some(sb), Some(sc), Some(sd)) = (
        lines(soon[0]),
        lines(soon[1]),
        lines(soon[2]),
        lines(soon[3]),
    ) && whole > 0
    {
        for at in 0..whole {
            fetch_second(&sa[at]);
            fetch_second(&sb[at]);
            fetch_second(&sc[at]);
            fetch_second(&sd[at]);
            sums[at] = add_lines(&sums[at], values, [&wa[at], &wb[at], &wc[at], &wd[at]]);
        }
    } else {
        for at in 0..whole {
            sums[at] = add_lines(&sums[at], values, [&wa[at], &wb[at], &wc[at], &wd[at]]);
        }
    }
    for (row, value) in rows.iter().zip(values) {
        let weights = row.get(whole * LANES..).unwrap_or(&[]);
        tail.iter_mut()
            .zip(weights)
            .for_each(|(sum, w)| *sum += value * w);
    }
}

/// One vector of sums after four terms.
#[inline(always)]
fn add_lines(sum: &Line, values: [f32; 4], [a, b, c, d]: [&Line; 4]) -> Line {
    let mut sum = *sum;
    for i in 0..LANES {
        let two = sum[i] + values[0] * a[i] + values[1] * b[i];
        sum[i] = two + values[2] * c[i] + values[3] * d[i];
    }
    sum
}

/// `a[i] = change(a[i], b[i])`.
///
/// The plain loop is what compilers know best: of one that copies vector after vector they took
/// sixteen at once, each number gathered by itself, and what pairs two iterators was at times left
/// a call of its own.
#[inline(always)]
pub(crate) fn each_lane(a: &mut [f32], b: &[f32], change: impl Fn(f32, f32) -> f32 + Copy) {
    let count = a.len().min(b.len());
    let (a, b) = (&mut a[..count], &b[..count]);
    for at in 0..count {
        a[at] = change(a[at], b[at]);
    }
}

/// `a[i] += scale * b[i]`.
#[inline(always)]
pub(crate) fn add_scaled(a: &mut [f32], b: &[f32], scale: f32) {
    each_lane(
        a,
        b,
        #[inline(always)]
        |a, b| a + scale * b,
    );
}
