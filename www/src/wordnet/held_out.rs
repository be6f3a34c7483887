//! Which synsets are never trained on.

use super::SynsetId;
use xxhash_rust::xxh3::xxh3_64;

/// Whether the synset is held out: one in ten, those for which the 64-bit XXH3 hash with seed 0 of
/// the number as written, for example `n00001740`, is divisible by 10. The choice depends on
/// nothing else, so it stays when synsets come or go.
///
/// ```
/// use hapax_demo::wordnet::{PartOfSpeech, SynsetId, is_held_out};
/// let part = PartOfSpeech::Noun;
/// let held_out = (0..1000).filter(|&offset| is_held_out(SynsetId { part, offset }));
/// assert_eq!(held_out.count(), 101);
/// ```
#[must_use]
pub fn is_held_out(id: SynsetId) -> bool {
    xxh3_64(id.to_string().as_bytes()).is_multiple_of(10)
}
