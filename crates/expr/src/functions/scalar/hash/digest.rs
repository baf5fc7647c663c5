//! MD5 and the SHA family, as hexadecimal digits in lower case.

use arrow::array::BinaryArray;
use arrow::datatypes::Int64Type;
use md5::{Digest, Md5};
use millstream_types::{Fault, TypeKind, Value};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};

use crate::functions::scalar::string::{Arg, of_kind, strict_arguments};
use crate::kernel::strings::{self, Strings, TextOut};
use crate::kernel::{Arguments, View, simple};
use crate::{BoundCall, Call, EvalError, Example, Function};

/// A digest of a text's UTF-8 or of bytes.
macro_rules! digest {
    ($name:literal, $doc:literal, $digits:literal, $digest:ty, $example:literal) => {
        Function::new(
            $name,
            concat!($name, "(text STRING) -> STRING\n", $name, "(bytes BYTES) -> STRING"),
            $doc,
            &[Example::new(concat!($name, "('abc')"), $example)],
            |c| fixed(c, $name, $digits, digest_of::<$digest>),
        )
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    digest!("MD5", "The MD5 digest in 32 hexadecimal digits.", 32, Md5, "900150983cd24fb0d6963f7d28e17f72"),
    digest!(
        "SHA1",
        "The SHA-1 digest in 40 hexadecimal digits.",
        40,
        Sha1,
        "a9993e364706816aba3e25717850c26c9cd0d89d"
    ),
    digest!(
        "SHA224",
        "The SHA-224 digest in 56 hexadecimal digits.",
        56,
        Sha224,
        "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
    ),
    digest!(
        "SHA256",
        "The SHA-256 digest in 64 hexadecimal digits.",
        64,
        Sha256,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    ),
    digest!(
        "SHA384",
        "The SHA-384 digest in 96 hexadecimal digits.",
        96,
        Sha384,
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
    ),
    digest!(
        "SHA512",
        "The SHA-512 digest in 128 hexadecimal digits.",
        128,
        Sha512,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    Function::new(
        "SHA2",
        "SHA2(text STRING, bits INT) -> STRING\nSHA2(bytes BYTES, bits INT) -> STRING",
        "The digest of the SHA-2 family with so many bits (224, 256, 384 or 512), in hexadecimal digits. Another number of bits fails.",
        &[Example::new("SHA2('abc', 224)", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7")],
        sha2,
    ),
];

type Append = fn(&[u8], &mut TextOut);

fn digest_of<D: Digest>(bytes: &[u8], out: &mut TextOut) {
    for b in D::digest(bytes) {
        for nibble in [b >> 4, b & 15] {
            out.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
        }
    }
}

/// The digest of a number of bits.
fn of_bits(bits: i64) -> Option<Append> {
    Some(match bits {
        224 => digest_of::<Sha224>,
        256 => digest_of::<Sha256>,
        384 => digest_of::<Sha384>,
        512 => digest_of::<Sha512>,
        _ => return None,
    })
}

fn wrong_bits(bits: i64) -> Fault {
    Fault::user("bad-argument", format!("SHA2: there is no digest of {bits} bits"))
        .hint("give 224, 256, 384 or 512 bits")
}

/// The kind of the argument: text or bytes.
fn of_either(call: &Call<'_>) -> Arg {
    let bytes = call.args.first().is_some_and(|a| a.data_type.kind.is_binary());
    if bytes { Arg::Bytes } else { Arg::Text }
}

/// The bytes of the first argument.
enum Subject<'a> {
    Text(Strings<'a>),
    Bytes(View<'a, BinaryArray>),
}

impl<'a> Subject<'a> {
    fn of(arguments: &Arguments<'a>, of: Arg) -> Result<Self, Fault> {
        Ok(match of {
            Arg::Bytes => Subject::Bytes(arguments.binaries(0)?),
            _ => Subject::Text(arguments.strings(0)?),
        })
    }

    fn get(&self, row: usize) -> Option<&'a [u8]> {
        match self {
            Subject::Text(text) => text.get(row).map(str::as_bytes),
            Subject::Bytes(bytes) => bytes.get(row),
        }
    }
}

fn fixed(call: &Call<'_>, name: &'static str, digits: u32, append: Append) -> Result<BoundCall, Fault> {
    let of = of_either(call);
    let args = strict_arguments(call, &format!("{name}(<STRING>)"), 1, &[of])?;
    let kernel = simple(name, move |arguments, _| {
        let bytes = Subject::of(arguments, of)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(b) = bytes.get(row) else { return Ok(false) };
            append(b, out);
            Ok(true)
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::Char(digits)), args, kernel))
}

fn sha2(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let of = of_either(call);
    let args = strict_arguments(call, "SHA2(<STRING>, <INTEGER>)", 2, &[of, Arg::Integer])?;
    let literal = call.arg(1)?.as_literal().and_then(Value::as_int);
    if let Some(bits) = literal.filter(|b| of_bits(*b).is_none()) {
        return Err(wrong_bits(bits).at(call.span));
    }
    let kernel = simple("SHA2", move |arguments, _| {
        let (bytes, bits) = (Subject::of(arguments, of)?, arguments.numbers::<Int64Type>(1)?);
        strings::build(arguments.rows(), |row, out| {
            let (Some(b), Some(bits)) = (bytes.get(row), bits.get(row)) else { return Ok(false) };
            let append = of_bits(bits).ok_or_else(|| EvalError::at_row(row, wrong_bits(bits)))?;
            append(b, out);
            Ok(true)
        })
    });
    let bound = BoundCall::new(of_kind(call, TypeKind::VarChar(128)), args, kernel);
    Ok(if literal.is_some() { bound } else { bound.fallible() })
}
