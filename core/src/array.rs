//! Arrays that are either owned or borrowed, without copying, from the bytes of a model file.

use alloc::vec::Vec;
use bytemuck::AnyBitPattern;
use bytes::Bytes;
use core::{fmt, marker::PhantomData, ops::Deref};

/// A read-only array of plain numbers: owned, or a window into a model file's bytes.
///
/// A loaded model holds windows: loading copies nothing, and the bytes (a memory map, a
/// buffer, flash memory) live as long as the last array that looks into them.
#[derive(Clone)]
pub struct Array<T>(Storage<T>);

#[derive(Clone)]
enum Storage<T> {
    Owned(Vec<T>),
    Window(Bytes, PhantomData<T>),
}

impl<T: AnyBitPattern> Array<T> {
    /// A window over `bytes`, or an owned copy where the bytes are not aligned for `T`.
    /// `None` if the length is not a whole number of items, or memory for the copy is lacking.
    #[must_use]
    pub(crate) fn from_bytes(bytes: Bytes) -> Option<Self> {
        match bytemuck::try_cast_slice::<u8, T>(&bytes) {
            Ok(_) => Some(Self(Storage::Window(bytes, PhantomData))),
            Err(bytemuck::PodCastError::TargetAlignmentGreaterAndInputNotAligned) => {
                let size = size_of::<T>();
                if !bytes.len().is_multiple_of(size) {
                    return None;
                }
                let mut items = Vec::new();
                items.try_reserve_exact(bytes.len() / size).ok()?;
                items.extend(
                    bytes
                        .chunks_exact(size)
                        .map(bytemuck::pod_read_unaligned::<T>),
                );
                Some(Self(Storage::Owned(items)))
            }
            Err(_) => None,
        }
    }

    /// Bytes of memory this array owns: 0 for a window.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn owned_bytes(&self) -> usize {
        match &self.0 {
            Storage::Owned(items) => items.capacity() * size_of::<T>(),
            Storage::Window(..) => 0,
        }
    }
}

impl<T: AnyBitPattern> Deref for Array<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Storage::Owned(items) => items,
            // Construction checked the cast and the bytes never move, so this is never empty
            // by mistake.
            Storage::Window(bytes, _) => bytemuck::try_cast_slice(bytes).unwrap_or(&[]),
        }
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(items: Vec<T>) -> Self {
        Self(Storage::Owned(items))
    }
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Self(Storage::Owned(Vec::new()))
    }
}

impl<T: AnyBitPattern + PartialEq> PartialEq for Array<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: AnyBitPattern + fmt::Debug> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Array;
    use alloc::{vec, vec::Vec};
    use bytes::Bytes;

    #[test]
    fn windows_and_copies_hold_the_same_items() {
        let numbers = [1u32, 2, 70_000, u32::MAX];
        let mut raw: Vec<u8> = vec![0];
        raw.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        let shared = Bytes::from(raw.clone());
        for start in 0..1usize {
            let shifted = Bytes::from([&vec![0; start], &raw[1..]].concat()).slice(start..);
            assert_eq!(&*Array::<u32>::from_bytes(shifted).unwrap(), &numbers[..]);
        }
        assert_eq!(
            &*Array::<u32>::from_bytes(shared.slice(1..)).unwrap(),
            &numbers[..]
        );
        assert!(
            Array::<u32>::from_bytes(shared).is_none(),
            "17 bytes are no whole number of u32"
        );
    }
}
