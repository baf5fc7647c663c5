//! Compressed files: which they are, how they are read and written.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use millstream_types::Fault;

use super::fault::io_fault;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Gzip,
    Zstd,
    Deflate,
}

const READ_AHEAD: usize = 256 << 10;

impl Compression {
    /// What a file's ending says, as in Flink, which decompresses by ending.
    pub fn of(path: &Path) -> Result<Self, Fault> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        Ok(match ending.as_str() {
            "gz" | "gzip" => Compression::Gzip,
            "zst" | "zstd" => Compression::Zstd,
            "deflate" => Compression::Deflate,
            "bz2" | "xz" => {
                return Err(Fault::not_yet(format!("reading .{ending} files"))
                    .in_place(path.display())
                    .hint("compress the file with gzip or zstd; 'source.compression' = 'none' reads it as it is"));
            }
            _ => Compression::None,
        })
    }

    /// The ending that written files get.
    pub fn ending(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
            Compression::Deflate => ".deflate",
        }
    }

    /// A reader of the content. Files of several members (concatenated archives) are read to their end.
    pub fn reader(self, file: File, path: &Path) -> Result<Box<dyn Read + Send>, Fault> {
        let ahead = |file| BufReader::with_capacity(READ_AHEAD, file);
        Ok(match self {
            Compression::None => Box::new(file),
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(ahead(file))),
            Compression::Deflate => Box::new(flate2::bufread::ZlibDecoder::new(ahead(file))),
            Compression::Zstd => Box::new(
                zstd::stream::read::Decoder::with_buffer(ahead(file))
                    .map_err(|e| io_fault("decompress", path, &e))?,
            ),
        })
    }

    /// A writer that compresses into a file.
    pub fn writer(self, file: File, path: &Path) -> Result<FileWriter, Fault> {
        Ok(match self {
            Compression::None => FileWriter::Plain(file),
            Compression::Deflate => FileWriter::Deflate(Box::new(flate2::write::ZlibEncoder::new(
                file,
                flate2::Compression::default(),
            ))),
            Compression::Gzip => FileWriter::Gzip(Box::new(flate2::write::GzEncoder::new(
                file,
                flate2::Compression::default(),
            ))),
            Compression::Zstd => FileWriter::Zstd(Box::new(
                zstd::stream::write::Encoder::new(file, 0).map_err(|e| io_fault("compress", path, &e))?,
            )),
        })
    }
}

/// Whether a failed read says that the content is damaged rather than that the disk failed.
pub(super) fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    ) || error.raw_os_error().is_none()
}

/// A file that is written, compressed or not.
pub(super) enum FileWriter {
    Plain(File),
    Gzip(Box<flate2::write::GzEncoder<File>>),
    Deflate(Box<flate2::write::ZlibEncoder<File>>),
    Zstd(Box<zstd::stream::write::Encoder<'static, File>>),
}

impl FileWriter {
    /// Appends bytes.
    pub fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            FileWriter::Plain(f) => f.write_all(bytes),
            FileWriter::Gzip(f) => f.write_all(bytes),
            FileWriter::Deflate(f) => f.write_all(bytes),
            FileWriter::Zstd(f) => f.write_all(bytes),
        }
    }

    /// Ends the compression; what is left to do is the file's sync.
    pub fn finish(self) -> io::Result<File> {
        match self {
            FileWriter::Plain(f) => Ok(f),
            FileWriter::Gzip(f) => f.finish(),
            FileWriter::Deflate(f) => f.finish(),
            FileWriter::Zstd(f) => f.finish(),
        }
    }
}
