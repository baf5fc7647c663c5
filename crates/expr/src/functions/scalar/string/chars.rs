//! Positions of characters in UTF-8: quick where the characters on the way are ASCII.

/// The byte at which the character with a number (from 0) begins; the text's end when it has no more characters.
pub(super) fn byte_of(text: &str, n: usize) -> usize {
    match text.as_bytes().get(..n) {
        // It has at most as many characters as bytes.
        None => text.len(),
        Some(head) if head.is_ascii() => n,
        Some(_) => text.char_indices().nth(n).map_or(text.len(), |(i, _)| i),
    }
}

/// The byte at which the last `n` characters begin; `None` when there are fewer.
pub(super) fn byte_from_end(text: &str, n: usize) -> Option<usize> {
    let at = text.len().checked_sub(n)?;
    if n == 0 || text.as_bytes().get(at..).is_some_and(<[u8]>::is_ascii) {
        return Some(at);
    }
    text.char_indices().rev().nth(n - 1).map(|(i, _)| i)
}

/// The number of characters.
#[inline]
pub(super) fn count(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_characters() {
        for text in ["", "abc", "日本語", "a日b", "日ab", "ab😀"] {
            let chars: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
            for n in 0..6 {
                assert_eq!(byte_of(text, n), chars.get(n).copied().unwrap_or(text.len()), "{text} {n}");
                let wanted = chars.len().checked_sub(n + 1).map(|i| chars[i]);
                assert_eq!(byte_from_end(text, n), wanted, "{text} {n}");
            }
            assert_eq!(count(text), chars.len() - 1);
        }
    }
}
