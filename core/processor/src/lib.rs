//! One seam between a loop and the instructions that it runs on.
//!
//! A [`Loop`] is written once, in portable code. [`Processor::run`] compiles it once for each set
//! of instructions and runs the form that this machine has. Loops are compiled, not rewritten: sums
//! keep their order and nothing is fused, so every form gives the same bits.
//!
//! ```
//! use hapax_processor::{Loop, Processor, fetch};
//!
//! struct Sum<'a>(&'a [f32]);
//!
//! impl Loop for Sum<'_> {
//!     type Output = f32;
//!
//!     #[inline(always)]
//!     fn run(self) -> f32 {
//!         let mut sum = 0.0;
//!         for (at, value) in self.0.iter().enumerate() {
//!             if let Some(soon) = self.0.get(at + 64) {
//!                 fetch(soon);
//!             }
//!             sum += value;
//!         }
//!         sum
//!     }
//! }
//!
//! assert_eq!(Processor::portable().run(Sum(&[1.0, 2.0])), 3.0);
//! // A closure is a loop, too.
//! assert_eq!(Processor::portable().run(#[inline(always)] || 1 + 2), 3);
//! ```
//!
//! Why not the crate `pulp`: its only prefetch is the unsafe intrinsic, it asks for FMA, and it
//! brings num-complex and others. Why not `multiversion`: it writes unsafe code into the crate that
//! uses it.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

mod prefetch;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod x86;

pub use prefetch::{FETCHES, fetch, fetch_second};

/// A loop, compiled for each set of instructions.
///
/// Whatever [`Loop::run`] calls must be inlined into it: a function that is not keeps the
/// instructions of its own target. So `run` and the functions of the loop are `#[inline(always)]`.
pub trait Loop {
    /// The result.
    type Output;

    /// Runs the loop.
    fn run(self) -> Self::Output;
}

// `FnOnce` would call through a shim of the compiler's, which is not always inlined.
impl<O, C: FnMut() -> O> Loop for C {
    type Output = O;

    #[inline(always)]
    fn run(mut self) -> O {
        self()
    }
}

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Instructions {
    /// Those that the crate's target always has.
    Portable,
    /// AVX2, BMI1, BMI2 and POPCNT.
    Avx2,
    /// AVX-512 F, BW, DQ and VL, and those of [`Instructions::Avx2`].
    Avx512,
}

/// A set of instructions that this machine has: only detection makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor(Instructions);

impl Processor {
    /// The instructions that the crate's target always has.
    #[must_use]
    #[inline]
    pub const fn portable() -> Self {
        Self(Instructions::Portable)
    }

    /// The widest instructions of this machine.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn detect() -> Self {
        Self::available().last().unwrap_or(Self::portable())
    }

    /// All sets of instructions that this machine has, the widest last.
    #[cfg(feature = "std")]
    pub fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let detected = x86::detected();
        #[cfg(not(target_arch = "x86_64"))]
        let detected = core::iter::empty();
        core::iter::once(Self::portable()).chain(detected.map(Self))
    }

    /// The set of instructions.
    #[must_use]
    pub fn instructions(self) -> Instructions {
        self.0
    }

    /// Its name, for reports: `portable`, `avx2`, …
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            Instructions::Avx2 => "avx2",
            Instructions::Avx512 => "avx512",
        }
    }

    /// Runs a loop compiled for these instructions.
    #[inline]
    pub fn run<L: Loop>(self, task: L) -> L::Output {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        #[allow(
            unsafe_code,
            reason = "calls of what was compiled for detected instructions"
        )]
        match self.0 {
            Instructions::Portable => task.run(),
            // SAFETY: only `x86::detected` gives these, and it found them.
            Instructions::Avx2 => unsafe { x86::run_avx2(task) },
            // SAFETY: as above.
            Instructions::Avx512 => unsafe { x86::run_avx512(task) },
        }
        #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
        task.run()
    }
}

#[cfg(test)]
mod tests {
    use super::{Loop, Processor};

    struct Add(u32, u32);

    impl Loop for Add {
        type Output = u32;

        fn run(self) -> u32 {
            self.0 + self.1
        }
    }

    #[test]
    fn every_set_of_instructions_runs_loops() {
        assert_eq!(Processor::portable().run(Add(1, 2)), 3);
        assert_eq!(Processor::portable().name(), "portable");
        #[cfg(feature = "std")]
        {
            assert_eq!(Processor::available().next(), Some(Processor::portable()));
            for processor in Processor::available() {
                assert_eq!(processor.run(Add(1, 2)), 3, "{}", processor.name());
                assert_eq!(processor.run(|| 3), 3);
            }
            assert_eq!(Processor::available().last(), Some(Processor::detect()));
        }
    }
}
