//! Embedding models.

pub mod panels;
