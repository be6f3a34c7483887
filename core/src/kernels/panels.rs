//! Prototypes in the layout that scoring wants: panels of 32 classes, dimension by dimension.
//!
//! In a panel the first coordinates of its 32 classes stand side by side, then their second
//! coordinates, and so on. Each class has a lane of its own, whose sum runs over the dimensions in
//! order: no sum is ever split, so the bits are the same for every width of vector unit.

/// Classes of a panel.
pub const LANES: usize = 32;

/// How many panels so many classes fill.
#[must_use]
pub fn panels_for(classes: usize) -> usize {
    classes.div_ceil(LANES)
}

/// The place of a class's first coordinate; each next one is [`LANES`] further.
#[inline(always)]
#[must_use]
pub fn place(class: usize, dimensions: usize) -> usize {
    class / LANES * LANES * dimensions + class % LANES
}

/// Dimensions whose products are added in one pass over the lanes. A pass for each single dimension
/// would be unrolled by compilers to 32 scalars.
pub(crate) const GROUP: usize = 8;

/// Adds the products of N dimensions, `lines` of 32 coordinates each, to the sums, in the order of
/// dimensions.
#[inline(always)]
pub(crate) fn add_lines<T: Copy, const N: usize, const W: usize>(
    lines: [&[T; W]; N],
    values: &[f32; N],
    number: impl Fn(T) -> f32,
    sums: &mut [f32; W],
) {
    for (lane, sum) in sums.iter_mut().enumerate() {
        let mut total = *sum;
        for (line, value) in lines.iter().zip(values) {
            total += number(line[lane]) * value;
        }
        *sum = total;
    }
}

/// The inner products of `point` (M numbers) with the 32 prototypes of `panel` (32 M numbers).
#[inline(always)]
pub fn dots(panel: &[f32], point: &[f32], sums: &mut [f32; LANES]) {
    *sums = [0.0; LANES];
    let lines = panel.as_chunks::<LANES>().0;
    let (line_groups, last_lines) = lines.as_chunks::<GROUP>();
    let (groups, last) = point.as_chunks::<GROUP>();
    for (lines, values) in line_groups.iter().zip(groups) {
        add_lines(lines.each_ref(), values, |weight| weight, sums);
    }
    for (line, &value) in last_lines.iter().zip(last) {
        add_lines([line], &[value], |weight| weight, sums);
    }
}

/// The inner product of `point` with one prototype, summed as [`dots`] does.
#[inline(always)]
#[must_use]
pub fn dot(panels: &[f32], class: usize, point: &[f32]) -> f32 {
    let mut sum = 0.0;
    let coordinates = panels.get(place(class, point.len())..).unwrap_or(&[]);
    for (coordinate, &at) in coordinates.iter().step_by(LANES).zip(point) {
        sum += coordinate * at;
    }
    sum
}

/// Adds the vectors of a row's features, times their values, to `point`: `z += W x`. The table
/// holds the vector of each feature, M numbers, one after the other.
#[inline(always)]
pub fn embed(table: &[f32], features: &[u32], values: &[f32], point: &mut [f32]) {
    let dimensions = point.len();
    for (&feature, &value) in features.iter().zip(values) {
        let start = feature as usize * dimensions;
        let vector = table.get(start..start + dimensions).unwrap_or(&[]);
        for (at, weight) in point.iter_mut().zip(vector) {
            *at += weight * value;
        }
    }
}

/// The sum of squares, in sixteen lanes that are then added in order.
#[inline(always)]
#[must_use]
pub fn square(vector: &[f32]) -> f32 {
    let (chunks, rest) = vector.as_chunks::<16>();
    let mut lanes = [0f32; 16];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value * value;
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane += value * value;
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::{LANES, dot, dots, embed, panels_for, place, square};
    use crate::random::Stream;
    use alloc::{vec, vec::Vec};

    #[test]
    fn panels_give_the_sums_of_single_classes() {
        let mut dice = Stream::new(1, 1);
        let (classes, dimensions) = (77, 21);
        let mut draw = || (dice.unit() - 0.5) as f32;
        let prototypes: Vec<Vec<f32>> = (0..classes)
            .map(|_| (0..dimensions).map(|_| draw()).collect())
            .collect();
        let mut panels = vec![0.0; panels_for(classes) * LANES * dimensions];
        for (class, prototype) in prototypes.iter().enumerate() {
            for (at, &value) in prototype.iter().enumerate() {
                panels[place(class, dimensions) + at * LANES] = value;
            }
        }
        let point: Vec<f32> = (0..dimensions).map(|_| draw()).collect();
        let mut sums = [0.0; LANES];
        for (at, panel) in panels.chunks(LANES * dimensions).enumerate() {
            dots(panel, &point, &mut sums);
            for (lane, &sum) in sums.iter().enumerate().take(classes - at * LANES) {
                let class = at * LANES + lane;
                let mut expected = 0f32;
                prototypes[class]
                    .iter()
                    .zip(&point)
                    .for_each(|(a, b)| expected += a * b);
                assert_eq!(sum.to_bits(), expected.to_bits());
                assert_eq!(dot(&panels, class, &point).to_bits(), expected.to_bits());
            }
        }
    }

    #[test]
    fn rows_are_embedded_and_squares_summed() {
        let table = [1.0, 2.0, 0.0, 1.0, 5.0, -1.0];
        let mut point = [0.0; 2];
        embed(&table, &[0, 2, 9], &[2.0, 1.0, 1.0], &mut point);
        assert_eq!(point, [7.0, 3.0], "a feature beyond the table adds nothing");
        let long: Vec<f32> = (1..=40u8).map(f32::from).collect();
        assert_eq!(square(&long), 22_140.0);
    }
}
