//! SINH, COSH and TANH as `java.lang.StrictMath` defines them: by the formulas of fdlibm, so that the last digit is Java's.

/// Above it, `exp` is infinite.
const LOG_MAX: f64 = 709.782712893384;
/// Above it, `sinh` and `cosh` are infinite.
const OVERFLOW: f64 = 710.4758600739439;
/// Above it, the smaller of e^x and e^-x is lost beside the greater.
const LARGE: f64 = 22.0;

/// e raised to the value, within one unit of the last digit: fdlibm's reduction to |r| <= ln(2)/2 and its rational approximation there.
fn exp(x: f64) -> f64 {
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const P: [f64; 5] = [
        1.666_666_666_666_660_2e-1,
        -2.777_777_777_701_559_3e-3,
        6.613_756_321_437_934e-5,
        -1.653_390_220_546_525_2e-6,
        4.138_136_797_057_238_5e-8,
    ];
    if x.is_nan() || x > LOG_MAX {
        return if x.is_nan() { x } else { f64::INFINITY };
    }
    if x < -745.133_219_101_941_1 {
        return 0.0;
    }
    let size = x.abs();
    if size < 2f64.powi(-28) {
        return 1.0 + x;
    }
    let ln2 = std::f64::consts::LN_2;
    let k = if size <= 0.5 * ln2 {
        0.0
    } else if size < 1.5 * ln2 {
        x.signum()
    } else {
        (std::f64::consts::LOG2_E * x + 0.5f64.copysign(x)).trunc()
    };
    let (high, low) = (x - k * LN2_HIGH, k * LN2_LOW);
    let r = high - low;
    let t = r * r;
    let c = r - t * P.iter().rev().fold(0.0, |sum, p| p + t * sum);
    if k == 0.0 {
        return 1.0 - ((r * c) / (c - 2.0) - r);
    }
    let y = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
    // 2^k in two steps: 2^1024 itself is not finite.
    let half = (k / 2.0).trunc();
    y * 2f64.powi(half as i32) * 2f64.powi((k - half) as i32)
}

/// The hyperbolic sine.
pub(super) fn sinh(x: f64) -> f64 {
    let (size, half) = (x.abs(), 0.5f64.copysign(x));
    if x.is_nan() || size < 2f64.powi(-28) {
        x
    } else if size < LARGE {
        let t = size.exp_m1();
        if size < 1.0 { half * (2.0 * t - t * t / (t + 1.0)) } else { half * (t + t / (t + 1.0)) }
    } else if size <= LOG_MAX {
        half * exp(size)
    } else if size <= OVERFLOW {
        let w = exp(0.5 * size);
        half * w * w
    } else {
        f64::INFINITY.copysign(x)
    }
}

/// The hyperbolic cosine.
pub(super) fn cosh(x: f64) -> f64 {
    let size = x.abs();
    if x.is_nan() {
        x
    } else if size < 0.5 * std::f64::consts::LN_2 {
        let t = size.exp_m1();
        let w = 1.0 + t;
        if size < 2f64.powi(-55) { w } else { 1.0 + (t * t) / (w + w) }
    } else if size < LARGE {
        let t = exp(size);
        0.5 * t + 0.5 / t
    } else if size <= LOG_MAX {
        0.5 * exp(size)
    } else if size <= OVERFLOW {
        let w = exp(0.5 * size);
        0.5 * w * w
    } else {
        f64::INFINITY
    }
}

/// The hyperbolic tangent.
pub(super) fn tanh(x: f64) -> f64 {
    let size = x.abs();
    if x.is_nan() || size < 2f64.powi(-55) {
        return x;
    }
    let z = if size >= LARGE {
        1.0
    } else if size >= 1.0 {
        1.0 - 2.0 / ((2.0 * size).exp_m1() + 2.0)
    } else {
        let t = (-2.0 * size).exp_m1();
        -t / (t + 2.0)
    };
    z.copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flink's own answers.
    #[test]
    fn the_last_digit_is_that_of_java() {
        assert_eq!(cosh(1.0), 1.543080634815244);
        assert_eq!(sinh(-128.0), -1.9438542029972977e55);
        assert_eq!(cosh(-128.0), 1.9438542029972977e55);
    }

    #[test]
    fn the_edges_are_those_of_the_functions() {
        assert_eq!(cosh(0.0), 1.0);
        assert!(sinh(-0.0).is_sign_negative());
        assert_eq!(sinh(-1000.0), f64::NEG_INFINITY);
        assert_eq!(tanh(-50.0), -1.0);
        assert!(sinh(710.0).is_finite() && cosh(f64::NAN).is_nan());
        for i in -200..200 {
            let x = f64::from(i) / 7.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 4e-16, "{x}");
        }
    }
}
