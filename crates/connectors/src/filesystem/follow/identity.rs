//! Which file it is, whatever its name: by what the file system says, and by how the content begins.

use std::fs::{File, Metadata};

use millstream_flow::Split;

/// Bytes of content that tell one content of a file from another.
pub(super) const HEAD: u64 = 1024;

/// A file as the file system knows it. Its number is given to another file when it is removed, so the time of its birth belongs to it; where
/// that is not known (0), the device does. Devices are left out elsewhere since theirs are other numbers after a restart of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(in crate::filesystem) struct Identity {
    pub(super) device: u64,
    pub(super) inode: u64,
    /// Nanoseconds since the epoch.
    pub(super) born: u64,
}

impl Identity {
    /// The identity of a file; all are the same where the system has none.
    pub fn of(meta: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let since = meta.created().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
            let born = since.and_then(|d| u64::try_from(d.as_nanos()).ok()).unwrap_or(0);
            Identity { device: if born == 0 { meta.dev() } else { 0 }, inode: meta.ino(), born }
        }
        #[cfg(not(unix))]
        {
            let _ = meta;
            Identity::default()
        }
    }
}

/// How a content begins: the hash (FNV-1a) of its first bytes, at most [`HEAD`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub length: u64,
    pub hash: u64,
}

impl Head {
    pub const EMPTY: Head = Head { length: 0, hash: 0xcbf2_9ce4_8422_2325 };

    /// Goes on over what follows, as far as it belongs to the head.
    pub fn extend(&mut self, bytes: &[u8]) {
        let left = usize::try_from(HEAD - self.length.min(HEAD)).unwrap_or(0);
        for byte in bytes.iter().take(left) {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
            self.length += 1;
        }
    }

    /// The head of what a file holds now before a position; shorter where the file is.
    pub fn of(file: &File, position: u64) -> std::io::Result<Head> {
        let mut bytes = [0; HEAD as usize];
        let wanted = usize::try_from(position.min(HEAD)).unwrap_or(0);
        let mut head = Head::EMPTY;
        while let Some(space) = bytes.get_mut(..wanted - head.length as usize).filter(|s| !s.is_empty()) {
            let count = read_at(file, space, head.length)?;
            if count == 0 {
                break;
            }
            head.extend(space.get(..count).unwrap_or_default());
        }
        Ok(head)
    }
}

/// Reads at a position, once. Interruptions are tried again.
pub(super) fn read_at(file: &File, space: &mut [u8], position: u64) -> std::io::Result<usize> {
    loop {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, space, position);
        #[cfg(not(unix))]
        let read = {
            use std::io::{Read as _, Seek as _};
            let mut file = file;
            file.seek(std::io::SeekFrom::Start(position)).and_then(|_| file.read(space))
        };
        match read {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// What a split's payload says of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub identity: Identity,
    /// Where it was begun.
    pub from: u64,
    /// How it began when it was found; only where the file system knows no births.
    pub head: Head,
}

impl Mark {
    /// Of a split that [`Mark::write`] was used for.
    pub fn read(split: &Split) -> Option<Mark> {
        let number = |name: &str| {
            split
                .payload
                .split(',')
                .find_map(|p| p.strip_prefix(name)?.strip_prefix('=')?.parse::<u64>().ok())
        };
        Some(Mark {
            identity: Identity {
                device: number("device").unwrap_or(0),
                inode: number("inode")?,
                born: number("born")?,
            },
            from: number("from").unwrap_or(0),
            head: Head {
                length: number("length").unwrap_or(0),
                hash: number("head").unwrap_or(Head::EMPTY.hash),
            },
        })
    }

    /// Puts it into a payload.
    pub fn write(&self, payload: &mut String) {
        use std::fmt::Write as _;
        let Mark { identity: Identity { device, inode, born }, from, head } = self;
        let _ = write!(payload, ",inode={inode},born={born}");
        if *device > 0 {
            let _ = write!(payload, ",device={device},length={},head={}", head.length, head.hash);
        }
        if *from > 0 {
            let _ = write!(payload, ",from={from}");
        }
    }

    /// Whether a file of the same identity, that now begins so, is the one that is meant. Where births are known it is.
    pub fn is(&self, now: impl FnOnce(u64) -> Option<Head>) -> bool {
        self.identity.born > 0 || now(self.head.length) == Some(self.head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_kept_in_payloads() {
        let mut head = Head::EMPTY;
        head.extend(b"abc");
        let old = Identity { device: 7, inode: 3, born: 0 };
        for mark in [
            Mark { identity: old, from: 0, head },
            Mark { identity: Identity { device: 0, born: 9, ..old }, from: 12, head: Head::EMPTY },
        ] {
            let mut payload = "size=4,modified=5".to_string();
            mark.write(&mut payload);
            let split = Split { id: "x".into(), payload };
            assert_eq!(Mark::read(&split), Some(mark), "{split:?}");
        }
        assert_eq!(Mark::read(&Split { id: "x".into(), payload: "size=4,modified=5".into() }), None);
    }

    #[test]
    fn a_number_that_is_used_again_is_another_file() {
        let mut head = Head::EMPTY;
        head.extend(b"first");
        let mut other = Head::EMPTY;
        other.extend(b"other");
        let mark = Mark { identity: Identity { device: 7, inode: 3, born: 0 }, from: 0, head };
        assert!(mark.is(|_| Some(head)));
        assert!(!mark.is(|_| Some(other)));
        assert!(!mark.is(|_| None));
        let mark = Mark { identity: Identity { device: 0, inode: 3, born: 9 }, ..mark };
        assert!(mark.is(|_| Some(other)), "its content was replaced, it is the same file");
    }

    #[test]
    fn heads_grow_to_their_length_and_no_further() {
        let all: Vec<u8> = (0..3000u32).map(|i| i as u8).collect();
        let mut at_once = Head::EMPTY;
        at_once.extend(&all);
        let mut bit_by_bit = Head::EMPTY;
        for part in all.chunks(7) {
            bit_by_bit.extend(part);
        }
        assert_eq!((at_once, at_once.length), (bit_by_bit, HEAD));
    }
}
