//! RAND and RAND_INTEGER.

use arrow::datatypes::{Float64Type, Int32Type};
use millstream_types::{Fault, TypeKind};

use crate::kernel::{numbers, per_row};
use crate::{BoundCall, Call, EvalError, Example, Function, Volatility};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "RAND",
        "RAND() -> DOUBLE\nRAND(seed INT) -> DOUBLE",
        "A random number from 0 (inclusive) to 1. With a seed it is the first number of Java's generator with that seed.",
        &[Example::new("RAND(42)", "0.7275636800328681")],
        |c| bind(c, false),
    ),
    Function::new(
        "RAND_INTEGER",
        "RAND_INTEGER(bound INT) -> INT\nRAND_INTEGER(seed INT, bound INT) -> INT",
        "A random integer from 0 (inclusive) to the bound.",
        &[Example::new("RAND_INTEGER(1)", "0")],
        |c| bind(c, true),
    ),
];

/// Java's linear congruential generator (`java.util.Random`).
struct JavaRandom(u64);

impl JavaRandom {
    const FACTOR: u64 = 0x5_DEEC_E66D;
    const MASK: u64 = (1 << 48) - 1;

    fn new(seed: i64) -> Self {
        JavaRandom((seed as u64 ^ Self::FACTOR) & Self::MASK)
    }

    fn bits(&mut self, bits: u32) -> u32 {
        self.0 = self.0.wrapping_mul(Self::FACTOR).wrapping_add(0xB) & Self::MASK;
        (self.0 >> (48 - bits)) as u32
    }

    fn double(&mut self) -> f64 {
        let high = u64::from(self.bits(26)) << 27;
        let low = u64::from(self.bits(27));
        (high + low) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    fn int(&mut self, bound: i32) -> i32 {
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(self.bits(31))) >> 31) as i32;
        }
        loop {
            let bits = self.bits(31) as i32;
            let value = bits % bound;
            if bits.wrapping_sub(value).wrapping_add(bound - 1) >= 0 {
                return value;
            }
        }
    }
}

fn bind(call: &Call<'_>, integer: bool) -> Result<BoundCall, Fault> {
    let (form, most) =
        if integer { ("RAND_INTEGER([<INTEGER>,] <INTEGER>)", 2) } else { ("RAND([<INTEGER>])", 1) };
    call.expect(usize::from(integer), most, form)?;
    call.no_bare_null()?;
    let args =
        (0..call.args.len()).map(|i| call.number(i, TypeKind::Int, form)).collect::<Result<Vec<_>, _>>()?;
    let nullable = call.any_nullable();
    if !integer {
        let kernel = per_row("RAND", |arguments, context| {
            let seed = if arguments.count() > 0 { Some(arguments.numbers::<Int32Type>(0)?) } else { None };
            numbers::build::<Float64Type>(arguments.rows(), |row| match &seed {
                None => Ok(Some((context.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64)),
                Some(s) => Ok(s.get(row).map(|s| JavaRandom::new(i64::from(s)).double())),
            })
        });
        let data_type = TypeKind::Double.nullable().with_nullable(nullable);
        return Ok(BoundCall::new(data_type, args, kernel).volatile(Volatility::PerRow));
    }
    let kernel = per_row("RAND_INTEGER", |arguments, context| {
        let last = arguments.count().saturating_sub(1);
        let bound = arguments.numbers::<Int32Type>(last)?;
        let seed = if last > 0 { Some(arguments.numbers::<Int32Type>(0)?) } else { None };
        numbers::build::<Int32Type>(arguments.rows(), |row| {
            let Some(bound) = bound.get(row) else { return Ok(None) };
            if bound <= 0 {
                let fault =
                    Fault::user("bad-argument", format!("RAND_INTEGER: the bound {bound} is not positive"))
                        .hint("give a bound of at least 1");
                return Err(EvalError::at_row(row, fault));
            }
            match &seed {
                None => Ok(Some((context.random.next_u64() % bound as u64) as i32)),
                Some(s) => Ok(s.get(row).map(|s| JavaRandom::new(i64::from(s)).int(bound))),
            }
        })
    });
    let data_type = TypeKind::Int.nullable().with_nullable(nullable);
    Ok(BoundCall::new(data_type, args, kernel).volatile(Volatility::PerRow).fallible())
}
