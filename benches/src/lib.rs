//! Measurements of hapax, one program for each operation in `src/bin`.
