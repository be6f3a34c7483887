//! The kernels of `hapax-core`, compiled for the vector units that this machine turns out to have.
//!
//! Every override runs the very code of the core's default method inside a function compiled
//! for a wider instruction set, or instructions that give the same bits.

use hapax_core::kernels::{Kernels, Portable};

/// The fastest kernels this machine can run.
#[must_use]
pub fn best() -> &'static dyn Kernels {
    #[cfg(target_arch = "x86_64")]
    if let Some(found) = x86::best() {
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
                    highest: &mut [f32; BLOCK / 64],
                ) {
                    #[target_feature(enable = $features)]
                    fn compiled(
                        block: &BlockBounds<'_>,
                        bounds: &mut [f32; BLOCK],
                        highest: &mut [f32; BLOCK / 64],
                    ) {
                        Portable.bound_block(block, bounds, highest);
                    }
                    // SAFETY: `best` hands this type out only where the processor has the
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

    pub(super) fn best() -> Option<&'static dyn Kernels> {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if avx512 {
            Some(&Avx512(()))
        } else if avx2 {
            Some(&Avx2(()))
        } else {
            None
        }
    }
}
