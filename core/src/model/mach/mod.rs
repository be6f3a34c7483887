//! MACH.
pub mod decode;
pub mod estimate;
