//! Proof of how good.
