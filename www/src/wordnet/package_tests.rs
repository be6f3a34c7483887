//! WordNet 3.1 itself, where the npm package is installed.
