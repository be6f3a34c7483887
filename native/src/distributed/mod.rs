//! One training on several machines, by way of a folder that all of them see.
//!
//! A [`Plan`] in the folder says what is trained and into how many parts each stage falls. Workers
//! ([`work`]) do parts and put them into the folder as files; [`gather`] takes all of them in,
//! after which the model can be made. No process talks to another, none is the master, and none is
//! needed: any scheduler that starts commands will do, one machine after the other as well as all
//! at once.
//!
//! A part is the same bytes whoever does it ([`hapax_core::train::Parts`]). So a worker that would
//! have to wait for parts of others does those that nobody is at ([`claim`]), and a part that is
//! lost is done again. Killing workers at any time costs the parts that they were at.

pub mod claim;
pub mod folder;
mod plan;
mod worker;

pub use plan::Plan;
pub use worker::{Doing, WorkError, gather, work};
