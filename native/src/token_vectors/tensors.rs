//! Vectors as a matrix of a safetensors file, with a row for each token of a vocabulary beside it.

use super::{Found, MOST, VectorsError, Words, pieces::Pieces};
use crate::files::{FileError, read_text};
use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

/// Reads what there is for `words`: the sum of the vectors of a word's tokens.
pub(super) fn read(path: &Path, words: &Words) -> Result<Found, VectorsError> {
    let bytes = fs::read(path).map_err(|error| FileError::reading(path, error))?;
    let tensors = SafeTensors::deserialize(&bytes).map_err(|error| whole(error.to_string()))?;
    let tokens = vocabulary(path)?;
    let rows = tokens
        .values()
        .max()
        .map_or(0, |most| most.saturating_add(1));
    let matrix = matrix(&tensors, rows)?;
    let pieces = Pieces::new(tokens);
    let dimensions = matrix.shape()[1];
    if dimensions > MOST {
        return Err(whole(format!(
            "has vectors of {dimensions} numbers, but at most {MOST} are taken"
        )));
    }
    let mut vectors = BTreeMap::new();
    for (word, &feature) in &words.features {
        let Some(of) = pieces.of(word) else {
            continue;
        };
        let mut sums = vec![0f64; dimensions];
        for row in of {
            add(&matrix, row, &mut sums);
        }
        let sum: Vec<f32> = sums.iter().map(|&sum| sum as f32).collect();
        if !sum.iter().all(|number| number.is_finite()) {
            let problem = format!("the vector of {word:?} has a number that is not finite");
            return Err(whole(problem));
        }
        vectors.insert(feature, sum);
    }
    Ok(Found {
        dimensions,
        vectors,
    })
}

/// The first `most` words of the vocabulary, in the order of their rows.
pub(super) fn words(path: &Path, most: usize) -> Result<Vec<String>, VectorsError> {
    Ok(Pieces::new(vocabulary(path)?).words(most))
}

fn whole(problem: String) -> VectorsError {
    VectorsError::Whole(problem)
}

/// The matrix of floats with a row for each of so many tokens.
fn matrix<'t>(tensors: &SafeTensors<'t>, tokens: usize) -> Result<TensorView<'t>, VectorsError> {
    let floats = [Dtype::F32, Dtype::F16, Dtype::BF16];
    let serves = |view: &TensorView<'_>| {
        floats.contains(&view.dtype()) && matches!(view.shape(), [n, m] if *n >= tokens && *m > 0)
    };
    let mut all = tensors.tensors();
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    let shapes: Vec<String> = all
        .iter()
        .map(|(name, view)| format!("{name} {:?} {:?}", view.dtype(), view.shape()))
        .collect();
    let mut serving: Vec<TensorView<'t>> = all
        .into_iter()
        .map(|(_, view)| view)
        .filter(serves)
        .collect();
    match (serving.pop(), serving.len()) {
        (Some(matrix), 0) => Ok(matrix),
        (found, others) => {
            let how_many = if found.is_none() { 0 } else { others + 1 };
            Err(whole(format!(
                "has {how_many} matrices of f32, f16 or bf16 with a row for each of the {tokens} tokens beside it, \
                 but must have one; it holds {}",
                shapes.join(", ")
            )))
        }
    }
}

/// Adds a row of a matrix to `sums`.
fn add(matrix: &TensorView<'_>, row: usize, sums: &mut [f64]) {
    let (bytes, length) = (matrix.data(), sums.len());
    if matrix.dtype() == Dtype::F32 {
        let numbers = bytes.chunks_exact(4).skip(row * length);
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += f64::from(f32::from_le_bytes([
                number[0], number[1], number[2], number[3],
            ]));
        }
        return;
    }
    let is_bf16 = matrix.dtype() == Dtype::BF16;
    let numbers = bytes.chunks_exact(2).skip(row * length);
    for (sum, number) in sums.iter_mut().zip(numbers) {
        let number = [number[0], number[1]];
        *sum += match is_bf16 {
            true => bf16::from_le_bytes(number).to_f64(),
            false => f16::from_le_bytes(number).to_f64(),
        };
    }
}

/// The tokens beside the file, with their rows.
fn vocabulary(path: &Path) -> Result<HashMap<String, usize>, VectorsError> {
    let [tokenizer, list] = ["tokenizer.json", "vocab.txt"].map(|name| path.with_file_name(name));
    if tokenizer.exists() {
        let told = |problem: String| whole(format!("{}: {problem}", tokenizer.display()));
        let text = read_text(&tokenizer)?;
        let json: Value = serde_json::from_slice(&text).map_err(|error| told(error.to_string()))?;
        let tokens = tokens_of(&json["model"]["vocab"]);
        return tokens.ok_or_else(|| told("has no model.vocab of tokens".into()));
    }
    if list.exists() {
        let text = read_text(&list)?;
        let lines = text.split(|&byte| byte == b'\n').enumerate();
        let token = |line| {
            String::from_utf8_lossy(line)
                .trim_end_matches('\r')
                .to_string()
        };
        return Ok(lines
            .map(|(row, line)| (token(line), row))
            .filter(|(token, _)| !token.is_empty())
            .collect());
    }
    Err(whole(format!(
        "needs the tokens of its rows beside it: {} or {}, a token a line",
        tokenizer.display(),
        list.display()
    )))
}

/// The tokens of a tokenizer: by name with their rows, or in a list with their scores.
fn tokens_of(vocabulary: &Value) -> Option<HashMap<String, usize>> {
    let row = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let tokens: HashMap<String, usize> = match vocabulary {
        Value::Object(tokens) => {
            let of = |(token, at): (&String, &Value)| Some((token.clone(), row(at)?));
            tokens.iter().map(of).collect::<Option<_>>()?
        }
        Value::Array(tokens) => {
            let of = |(at, token): (usize, &Value)| Some((token[0].as_str()?.to_string(), at));
            tokens.iter().enumerate().map(of).collect::<Option<_>>()?
        }
        _ => return None,
    };
    (!tokens.is_empty()).then_some(tokens)
}

#[cfg(test)]
mod tests {
    use super::{super::Words, read, words};
    use half::{bf16, f16};
    use safetensors::{Dtype, serialize_to_file, tensor::TensorView};
    use std::{fs, path::Path};

    /// A file of these matrices.
    fn write(path: &Path, matrices: &[(&str, Dtype, Vec<usize>, Vec<u8>)]) {
        let views = matrices.iter().map(|(name, kind, shape, bytes)| {
            (*name, TensorView::new(*kind, shape.clone(), bytes).unwrap())
        });
        serialize_to_file(views, None, path).unwrap();
    }

    fn plain(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    /// What the file has for two words.
    fn found(path: &Path) -> Result<Vec<(u32, Vec<f32>)>, String> {
        let names = ["house", "mice"].into_iter().map(String::from);
        let words = Words {
            features: names.zip([4, 7]).collect(),
        };
        match read(path, &words) {
            Ok(found) => Ok(found.vectors.into_iter().collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    const NUMBERS: [f32; 8] = [0.0, 1.0, 3.0, 4.0, -1.0, 2.0, 1.0, -2.0];

    #[test]
    fn rows_are_those_of_tokens_in_every_kind_of_float() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        let tokens = r###"{"model": {"vocab": {"[UNK]": 0, "house": 1, "mi": 2, "##ce": 3}}}"###;
        fs::write(folder.path().join("tokenizer.json"), tokens).unwrap();
        let halves = NUMBERS.iter().flat_map(|&v| f16::from_f32(v).to_le_bytes());
        let brains = NUMBERS
            .iter()
            .flat_map(|&v| bf16::from_f32(v).to_le_bytes());
        for (kind, bytes) in [
            (Dtype::F32, plain(&NUMBERS)),
            (Dtype::F16, halves.collect()),
            (Dtype::BF16, brains.collect()),
        ] {
            let other = ("positions", Dtype::F32, vec![1, 2], plain(&[1.0, 1.0]));
            write(&path, &[("embeddings", kind, vec![4, 2], bytes), other]);
            // The second is the sum of both pieces.
            assert_eq!(
                found(&path),
                Ok(vec![(4, vec![3.0, 4.0]), (7, vec![0.0, 0.0])])
            );
        }
        assert_eq!(words(&path, 9).unwrap(), ["[UNK]", "house", "mi"]);
        let scored = r#"{"model": {"vocab": [["a", 0], ["mice", -1.5]]}}"#;
        fs::write(folder.path().join("tokenizer.json"), scored).unwrap();
        assert_eq!(found(&path), Ok(vec![(7, vec![3.0, 4.0])]));
        fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
        fs::write(folder.path().join("vocab.txt"), "a\r\nmice\r\n").unwrap();
        assert_eq!(found(&path), Ok(vec![(7, vec![3.0, 4.0])]));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        let told = |part: &str| {
            let error = found(&path).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        told("there is no such file");
        fs::write(&path, u64::MAX.to_le_bytes()).unwrap();
        told("eader");
        write(
            &path,
            &[("a", Dtype::F32, vec![2, 2], plain(&NUMBERS[..4]))],
        );
        told("needs the tokens of its rows beside it");
        let tokenizer = folder.path().join("tokenizer.json");
        fs::write(&tokenizer, "{").unwrap();
        told("tokenizer.json: EOF");
        fs::write(&tokenizer, r#"{"model": {"vocab": {"house": -1}}}"#).unwrap();
        told("tokenizer.json: has no model.vocab of tokens");
        fs::write(&tokenizer, r#"{"model": {"vocab": {"house": 2}}}"#).unwrap();
        told(
            "has 0 matrices of f32, f16 or bf16 with a row for each of the 3 tokens beside it, but must have one; \
              it holds a F32 [2, 2]",
        );
        fs::write(
            &tokenizer,
            r#"{"model": {"vocab": {"house": 18446744073709551615}}}"#,
        )
        .unwrap();
        told("has 0 matrices");
        fs::write(&tokenizer, r#"{"model": {"vocab": {"house": 1}}}"#).unwrap();
        let wrong = [1.0, 1.0, f32::NAN, 1.0];
        write(&path, &[("a", Dtype::F32, vec![2, 2], plain(&wrong))]);
        told("the vector of \"house\" has a number that is not finite");
    }
}
