//! Making a linear model smaller.
