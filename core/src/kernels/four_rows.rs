//! Products of four stored rows with a query at once.

/// Four stored rows.
#[derive(Clone, Copy, Debug)]
pub struct FourRows<'a> {
    /// Their features.
    pub ids: FourIds<'a>,
    /// Their values.
    pub values: FourValues<'a>,
}

/// Features of four rows, rising in each.
#[derive(Clone, Copy, Debug)]
pub enum FourIds<'a> {
    /// Of at most 65,536 features.
    Narrow([&'a [u16]; 4]),
    /// Of any number.
    Wide([&'a [u32]; 4]),
}

/// Values of four rows.
#[derive(Clone, Copy, Debug)]
pub enum FourValues<'a> {
    /// Places in a dictionary of all different values.
    Coded([&'a [u16]; 4], &'a [f32]),
    /// The values.
    Plain([&'a [f32]; 4]),
}

impl FourRows<'_> {
    /// The dot product and the number of shared features of each row with a query given densely (0
    /// where it stores nothing).
    ///
    /// Adding a product with 0 changes no bit of a sum that started at +0, so this is the sum
    /// over shared features in rising order.
    #[inline(always)]
    pub(crate) fn dots(&self, query: &[f32]) -> [(f32, u32); 4] {
        match (self.ids, self.values) {
            (FourIds::Narrow(ids), FourValues::Coded(codes, dictionary)) => {
                dots(ids, codes, decoded(dictionary), query)
            }
            (FourIds::Narrow(ids), FourValues::Plain(values)) => dots(ids, values, |v| v, query),
            (FourIds::Wide(ids), FourValues::Coded(codes, dictionary)) => {
                dots(ids, codes, decoded(dictionary), query)
            }
            (FourIds::Wide(ids), FourValues::Plain(values)) => dots(ids, values, |v| v, query),
        }
    }
}

#[inline(always)]
fn decoded(dictionary: &[f32]) -> impl Fn(u16) -> f32 {
    |code| dictionary.get(usize::from(code)).copied().unwrap_or(0.0)
}

/// Four sums at once hide the latency of the additions, whose order is fixed.
#[inline(always)]
fn dots<I: Copy + Into<u32>, V: Copy>(
    ids: [&[I]; 4],
    values: [&[V]; 4],
    decode: impl Fn(V) -> f32,
    query: &[f32],
) -> [(f32, u32); 4] {
    let mut sums = [(0f32, 0u32); 4];
    let step = |sum: &mut (f32, u32), id: I, value: V| {
        let asked = query.get(id.into() as usize).copied().unwrap_or(0.0);
        sum.0 += asked * decode(value);
        sum.1 += u32::from(asked != 0.0);
    };
    let common = ids.iter().map(|ids| ids.len()).min().unwrap_or(0);
    let (first_ids, first_values) = (
        ids.map(|ids| &ids[..common]),
        values.map(|values| &values[..common]),
    );
    for at in 0..common {
        for lane in 0..4 {
            step(&mut sums[lane], first_ids[lane][at], first_values[lane][at]);
        }
    }
    for lane in 0..4 {
        let rest = (&ids[lane][common..], &values[lane][common..]);
        add_rest(&mut sums[lane], rest, &step);
    }
    sums
}

/// Adds what one row has more than the shortest of four.
#[inline(never)]
fn add_rest<I: Copy, V: Copy>(
    sum: &mut (f32, u32),
    (ids, values): (&[I], &[V]),
    step: &impl Fn(&mut (f32, u32), I, V),
) {
    for (&id, &value) in ids.iter().zip(values) {
        step(sum, id, value);
    }
}
