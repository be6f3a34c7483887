//! Options of trainers, read by name from the object that JavaScript gives.

use crate::errors::Thrown;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// Refuses a name that is not among the known ones, which stand apart by spaces.
    #[wasm_bindgen(js_name = checkNames, catch)]
    fn check_names(options: &JsValue, known: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(js_name = numberOption, catch)]
    fn number_option(options: &JsValue, name: &str) -> Result<Option<f64>, JsValue>;
    #[wasm_bindgen(js_name = flagOption, catch)]
    fn flag_option(options: &JsValue, name: &str) -> Result<Option<bool>, JsValue>;
    /// The place of a name in a list whose names stand apart by spaces.
    #[wasm_bindgen(js_name = namedOption, catch)]
    fn named_option(options: &JsValue, name: &str, names: &str) -> Result<Option<u32>, JsValue>;
    /// Whole numbers from 0 to 255.
    #[wasm_bindgen(js_name = lengthsOption, catch)]
    fn lengths_option(options: &JsValue, name: &str) -> Result<Option<Vec<u8>>, JsValue>;
}

/// An object whose fields are options, or nothing, which has none. What is read is None where it is
/// not given; a value of another type throws `ParamError`.
pub struct Options(JsValue);

impl Options {
    /// `known` are the names of all options there are, apart by spaces. Throws `ParamError`.
    pub fn new(given: JsValue, known: &str) -> Result<Self, Thrown> {
        check_names(&given, known).map_err(Thrown::again)?;
        Ok(Self(given))
    }

    pub fn number(&self, name: &str) -> Result<Option<f64>, Thrown> {
        number_option(&self.0, name).map_err(Thrown::again)
    }

    /// Fractions are cut off, and NaN is 0, which most counts refuse.
    pub fn count(&self, name: &str) -> Result<Option<u32>, Thrown> {
        Ok(self.number(name)?.map(|given| given as u32))
    }

    pub fn seed(&self) -> Result<Option<u64>, Thrown> {
        Ok(self.number("seed")?.map(|given| given as u64))
    }

    pub fn flag(&self, name: &str) -> Result<Option<bool>, Thrown> {
        flag_option(&self.0, name).map_err(Thrown::again)
    }

    /// The value at the place of the name that was given.
    pub fn named<T: Copy>(
        &self,
        name: &str,
        names: &str,
        values: &[T],
    ) -> Result<Option<T>, Thrown> {
        let at = named_option(&self.0, name, names).map_err(Thrown::again)?;
        Ok(at.and_then(|at| values.get(at as usize).copied()))
    }

    pub fn lengths(&self, name: &str) -> Result<Option<Vec<u8>>, Thrown> {
        lengths_option(&self.0, name).map_err(Thrown::again)
    }
}
