//! Numbers as text: integers, DECIMAL, FLOAT and DOUBLE, read and written as Flink does.

mod decimal;
mod digits;
mod error;
mod float;
mod float_text;
mod integer;
mod natural;

pub use decimal::{
    MAX_PRECISION, decimal_from_f64, decimal_to_f64, decimal_to_i64, fits, parse_decimal, power_of_ten,
    push_decimal, push_decimal_scientific, rescale,
};
pub use error::NumberError;
pub use float::{parse_f32, parse_f64};
pub(crate) use float_text::digits_to_round;
pub use float_text::{push_f32, push_f64};
pub use integer::{parse_i8, parse_i16, parse_i32, parse_i64, push_i64, push_i128, push_padded};

#[cfg(test)]
mod tests;
