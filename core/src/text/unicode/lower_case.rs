//! Lower case.

use super::packed::Table;

/// Runs of characters, each moved by the same distance: `gap length*2+alternating distance`. Of
/// an alternating run only every other character is a capital.
static LOWER_CASE: Table = Table::new(include_bytes!("tables/lower_case.bin"), 16);

/// Calls `take` with the lower-case form of `character`. The final sigma counts as a sigma: what a
/// capital sigma becomes would otherwise depend on where it stands.
pub(crate) fn for_each_lower_case(character: char, mut take: impl FnMut(char)) {
    match character {
        '\0'..='\x7f' => take(character.to_ascii_lowercase()),
        'ς' => take('σ'),
        // The only letter whose lower case is two characters.
        'İ' => {
            take('i');
            take('\u{307}');
        }
        _ => take(lower_case(character)),
    }
}

fn lower_case(character: char) -> char {
    let wanted = u32::from(character);
    let (mut start, _, mut numbers) = LOWER_CASE.block(wanted);
    while !numbers.is_empty() {
        start += numbers.next();
        let shape = numbers.next();
        let (length, alternating) = (shape >> 1, shape & 1 == 1);
        let moved = numbers.next_from(wanted);
        if wanted < start {
            break;
        }
        if wanted < start + length {
            let small = alternating && (wanted - start) % 2 == 1;
            return char::from_u32(moved)
                .filter(|_| !small)
                .unwrap_or(character);
        }
        start += length;
    }
    character
}
