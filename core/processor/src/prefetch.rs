//! Hints of what memory is read soon. Answers never depend on them.

/// Whether hints do anything on this target: where they do not, whoever looks ahead for them alone
/// need not look.
pub const FETCHES: bool = cfg!(target_arch = "x86_64");

/// Prefetches the line where `at` begins into the first cache.
#[inline(always)]
pub fn fetch<T>(at: &T) {
    #[cfg(target_arch = "x86_64")]
    hint::<{ core::arch::x86_64::_MM_HINT_T0 }, T>(at);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Prefetches the line where `at` begins into the second cache.
#[inline(always)]
pub fn fetch_second<T>(at: &T) {
    #[cfg(target_arch = "x86_64")]
    hint::<{ core::arch::x86_64::_MM_HINT_T1 }, T>(at);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn hint<const HINT: i32, T>(at: &T) {
    #[allow(unsafe_code, reason = "an instruction that reads nothing")]
    // SAFETY: every x86-64 has this instruction, and it reads nothing.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<HINT>((&raw const *at).cast());
    }
}
