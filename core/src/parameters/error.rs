//! A parameter outside its range.

use crate::float::Decimal;
use core::fmt;

/// A parameter outside its range.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParamError {
    /// The parameter, by the name of its field.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The rule that the value breaks.
    pub rule: ParamRule,
}

/// What the value of a parameter must be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParamRule {
    /// Neither NaN nor infinite.
    Finite,
    /// This or more.
    AtLeast(f64),
    /// More than this.
    Above(f64),
    /// This or less; why there is such a limit, in words.
    AtMost(f64, &'static str),
    /// One of these.
    OneOf(&'static [f64]),
}

impl ParamError {
    /// Refuses `value` unless it is finite and meets `rule`.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(name: &'static str, value: f64, rule: ParamRule) -> Result<(), Self> {
        let rule = if value.is_finite() {
            rule
        } else {
            ParamRule::Finite
        };
        let met = match rule {
            ParamRule::Finite => value.is_finite(),
            ParamRule::AtLeast(limit) => value >= limit,
            ParamRule::Above(limit) => value > limit,
            ParamRule::AtMost(limit, _) => value <= limit,
            ParamRule::OneOf(values) => values.contains(&value),
        };
        if met {
            Ok(())
        } else {
            Err(Self { name, value, rule })
        }
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = Decimal(self.value);
        write!(f, "{} is {value}, but must be ", self.name)?;
        match self.rule {
            ParamRule::Finite => f.write_str("a finite number"),
            ParamRule::AtLeast(limit) => write!(f, "at least {}", Decimal(limit)),
            ParamRule::Above(limit) => write!(f, "more than {}", Decimal(limit)),
            ParamRule::AtMost(limit, reason) => write!(f, "at most {}, {reason}", Decimal(limit)),
            ParamRule::OneOf(values) => {
                f.write_str("one of")?;
                for (at, &value) in values.iter().enumerate() {
                    let comma = if at == 0 { "" } else { "," };
                    write!(f, "{comma} {}", Decimal(value))?;
                }
                Ok(())
            }
        }
    }
}

impl core::error::Error for ParamError {}
