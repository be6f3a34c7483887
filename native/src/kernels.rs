//! The kernels of `hapax-core`, compiled for the vector units that this machine turns out to have.
//!
//! Every override runs the very code of the core's default method inside a function compiled
//! for a wider instruction set, or instructions that give the same bits.

use hapax_core::kernels::{Kernels, Portable};

/// The fastest kernels this machine can run.
#[must_use]
pub fn best() -> &'static dyn Kernels {
    #[cfg(target_arch = "x86_64")]
    if let Some(found) = x86::all().pop() {
        return found;
    }
    &Portable
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use hapax_core::{
        kernels::{Kernels, Portable},
        search::neighbors::{BLOCK, BlockBounds},
    };

    /// The kernels compiled for a set of features; made only where the processor has them.
    macro_rules! kernels {
        ($name:ident, $text:literal, $features:literal) => {
            struct $name(());

            impl Kernels for $name {
                fn name(&self) -> &'static str {
                    $text
                }

                fn bound_block(
                    &self,
                    block: &BlockBounds<'_>,
                    bounds: &mut [f32; BLOCK],
                    highest: &mut [f32; BLOCK / 16],
                ) {
                    #[target_feature(enable = $features)]
                    fn compiled(
                        block: &BlockBounds<'_>,
                        bounds: &mut [f32; BLOCK],
                        highest: &mut [f32; BLOCK / 16],
                    ) {
                        Portable.bound_block(block, bounds, highest);
                    }
                    // SAFETY: `all` hands this type out only where the processor has the
                    // features.
                    unsafe { compiled(block, bounds, highest) }
                }
            }
        };
    }

    kernels!(Avx2, "avx2", "avx2,bmi1,bmi2,popcnt");
    kernels!(
        Avx512,
        "avx512",
        "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl"
    );

    /// Every kernel this machine can run, the fastest last.
    pub(super) fn all() -> Vec<&'static dyn Kernels> {
        let mut found: Vec<&'static dyn Kernels> = Vec::new();
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
        {
            found.push(&Avx2(()));
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
            {
                found.push(&Avx512(()));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use hapax_core::{
        kernels::{Kernels, Portable},
        random::Stream,
        search::neighbors::{NeighborIndex, NeighborScratch, Similarity},
        sparse::{SparseRows, SparseVec},
    };

    /// Every kernel this machine can run.
    fn all() -> Vec<&'static dyn Kernels> {
        let mut found: Vec<&'static dyn Kernels> = vec![super::best()];
        #[cfg(target_arch = "x86_64")]
        found.extend(super::x86::all());
        found
    }

    #[test]
    fn every_kernel_finds_the_same_neighbors() {
        let mut stream = Stream::new(3, 3);
        let mut rows = SparseRows::new(400);
        for _ in 0..1500 {
            let pairs = (0..30).map(|_| {
                let feature = (stream.unit() * stream.unit() * 400.0) as u32;
                (feature, (stream.unit() - 0.3) as f32)
            });
            let row = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).unwrap();
            rows.push(row.view()).unwrap();
        }
        let index = NeighborIndex::build(&rows).unwrap();
        for kernels in all() {
            let mut scratch = NeighborScratch::new(kernels);
            let mut plain = NeighborScratch::new(&Portable);
            for beta in [1.0, 1.3] {
                let by = Similarity::new(beta).unwrap();
                for query in rows.iter().take(50) {
                    let found = index.search(query, 10, by, &[], &mut scratch).unwrap();
                    let expected = index.search(query, 10, by, &[], &mut plain).unwrap();
                    assert_eq!(found, expected, "{}", kernels.name());
                }
            }
        }
    }
}
