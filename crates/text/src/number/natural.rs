//! Whole numbers of any size, with just what the digits of floating point need.

/// A natural number of any size, least significant word first, without leading zero words.
#[derive(Clone, Default, Debug)]
pub(super) struct Natural(Vec<u32>);

impl From<u64> for Natural {
    fn from(value: u64) -> Self {
        let mut big = Natural(vec![value as u32, (value >> 32) as u32]);
        big.trim();
        big
    }
}

impl Natural {
    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    pub(super) fn times(mut self, factor: u32) -> Self {
        let mut carry = 0u64;
        for word in &mut self.0 {
            let product = u64::from(*word) * u64::from(factor) + carry;
            *word = product as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
        self
    }

    pub(super) fn times_five(self, mut power: u32) -> Self {
        let mut big = self;
        while power >= 13 {
            big = big.times(1_220_703_125);
            power -= 13;
        }
        big.times(5u32.pow(power))
    }

    pub(super) fn shifted(self, by: u32) -> Self {
        let mut words = vec![0; (by / 32) as usize];
        words.extend(self.0);
        Natural(words).times(1 << (by % 32))
    }

    pub(super) fn plus(mut self, other: &Natural) -> Self {
        self.0.resize(self.0.len().max(other.0.len()) + 1, 0);
        let mut carry = 0u64;
        for (word, add) in self.0.iter_mut().zip(other.0.iter().copied().chain(std::iter::repeat(0))) {
            let sum = u64::from(*word) + u64::from(add) + carry;
            *word = sum as u32;
            carry = sum >> 32;
        }
        self.trim();
        self
    }

    /// Takes away what is not larger.
    pub(super) fn subtract(&mut self, other: &Natural) {
        let mut borrow = 0i64;
        for (word, take) in self.0.iter_mut().zip(other.0.iter().copied().chain(std::iter::repeat(0))) {
            let difference = i64::from(*word) - i64::from(take) + borrow;
            *word = difference as u32;
            borrow = difference >> 32;
        }
        self.trim();
    }

    pub(super) fn cmp(&self, other: &Natural) -> std::cmp::Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}
