//! The `hapax` command as its user meets it: what it prints, what it writes, and how it ends.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test: the helpers fail it too"
)]

mod checkpoints;
mod choosing;
mod columns;
mod compacting;
mod data_options;
mod dense;
mod embedding;
mod evaluating;
mod evaluation_outputs;
mod exact;
mod examples;
mod first_steps;
mod fitting;
mod folder;
mod going_on;
mod inspecting;
mod kills;
mod label_texts;
mod learning;
mod mach;
mod memoir;
mod one_vs_rest;
mod pages;
mod predicting;
mod probabilities;
mod same_bytes;
#[cfg(feature = "serve")]
mod serving;
mod settings;
mod sharing;
mod streams;
mod table_shapes;
mod tables;
mod together;
mod training;
mod vectors;
#[cfg(feature = "web")]
mod web;
mod wrong_input;
mod wrong_models;
