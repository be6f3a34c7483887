//! Arrays of every type and order are read, and every rule has its refusal.

use super::{NpyError, labels, rows};
use hapax_core::random::Stream;

fn file(text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn array(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    file(
        &format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}    \n"),
        data,
    )
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn every_type_and_byte_order_gives_the_same_rows() {
    let values = [1.0f64, 0.0, 3.0, 0.0, 0.0, 0.0, 5.0, 100.0];
    let bytes =
        |of: &dyn Fn(f64) -> Vec<u8>| -> Vec<u8> { values.iter().flat_map(|&v| of(v)).collect() };
    let mut all = vec![
        array(
            "<f4",
            "(2, 4)",
            &bytes(&|v| (v as f32).to_le_bytes().into()),
        ),
        array(
            ">f4",
            "(2, 4)",
            &bytes(&|v| (v as f32).to_be_bytes().into()),
        ),
        array("<f8", "(2, 4)", &bytes(&|v| v.to_le_bytes().into())),
        array(">f8", "(2, 4)", &bytes(&|v| v.to_be_bytes().into())),
        array("|u1", "(2, 4)", &bytes(&|v| vec![v as u8])),
        array("|i1", "(2, 4)", &bytes(&|v| vec![v as u8])),
        array("<i2", "(2,4)", &bytes(&|v| (v as i16).to_le_bytes().into())),
        array(
            ">u4",
            "( 2 , 4 , )",
            &bytes(&|v| (v as u32).to_be_bytes().into()),
        ),
        array(
            "<i8",
            "(2, 4)",
            &bytes(&|v| (v as i64).to_le_bytes().into()),
        ),
    ];
    // Keys in another order, double quotes, and a header of version 2.
    let text = "{\"shape\": (2, 4), \"fortran_order\":False,\"descr\": \"<f8\"}\n";
    let mut second = b"\x93NUMPY\x02\x00".to_vec();
    second.extend((text.len() as u32).to_le_bytes());
    second.extend(text.as_bytes());
    second.extend(bytes(&|v| v.to_le_bytes().into()));
    all.push(second);
    // Column by column, as NumPy saves the matrix of a table.
    let columns = [0, 4, 1, 5, 2, 6, 3, 7].map(|at: usize| values[at] as f32);
    let text = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 4), }";
    all.push(file(text, &floats(&columns)));
    for file in all {
        let rows = rows(&file).unwrap();
        assert_eq!((rows.len(), rows.features(), rows.nonzeros()), (2, 4, 4));
        assert_eq!(rows.row(0).values(), [1.0, 3.0]);
        assert_eq!(
            (rows.row(1).indices(), rows.row(1).values()),
            (&[2, 3][..], &[5.0, 100.0][..])
        );
    }
}

#[test]
fn labels_are_numbers_or_lines_of_truth_values() {
    let numbers = array(
        "<i4",
        "(3,)",
        &[-7i32, 12, -7].map(i32::to_le_bytes).concat(),
    );
    let (lists, names) = labels(&numbers, None).unwrap();
    assert_eq!(names.iter().collect::<Vec<_>>(), ["-7", "12"]);
    assert_eq!(
        (lists.row(0), lists.row(1), lists.row(2)),
        (&[0][..], &[1][..], &[0][..])
    );
    let (lists, _) = labels(&array("<f4", "(2,)", &floats(&[12.0, 99.0])), Some(&names)).unwrap();
    assert_eq!((lists.row(0), lists.row(1)), (&[1][..], &[2][..]));
    let several = array("|b1", "(2, 3)", &[1, 0, 1, 0, 0, 0]);
    let (lists, names) = labels(&several, None).unwrap();
    assert_eq!(names.iter().collect::<Vec<_>>(), ["0", "2"]);
    assert_eq!((lists.row(0), lists.row(1)), (&[0, 1][..], &[][..]));
    let largest = array("<u8", "(1,)", &u64::MAX.to_le_bytes());
    let (_, names) = labels(&largest, None).unwrap();
    assert_eq!(names.iter().next(), Some("18446744073709551615".into()));
}

#[test]
fn each_rule_of_a_header_has_its_refusal() {
    let good = floats(&[1.0, 2.0]);
    let of = |text: &str| rows(&file(text, &good)).unwrap_err().to_string();
    for (found, message) in [
        (rows(b"1 2:3").unwrap_err().to_string(), "is no .npy file"),
        (
            rows(b"\x93NUMPY\x01").unwrap_err().to_string(),
            "ends within the header of a .npy file",
        ),
        (
            rows(b"\x93NUMPY\x01\0\x50\0{").unwrap_err().to_string(),
            "ends within the header of a .npy file",
        ),
        (
            rows(b"\x93NUMPY\x09\x01  ").unwrap_err().to_string(),
            "is of version 9.1 of .npy files, but 1 to 3 are known",
        ),
        (
            rows(b"\x93NUMPY\x02\x00\xff\xff\xff\xff")
                .unwrap_err()
                .to_string(),
            "has a header of 4294967295 bytes, but 10000 are the most",
        ),
        (of("[]"), "byte 10 of the header: { is expected there"),
        (
            of("{'descr': [('a', '<f4')]}"),
            "byte 20 of the header: a plain type such as '<f4' is expected there",
        ),
        (
            of("{'shape': (2,), 'shape': (2,)}"),
            "byte 26 of the header: descr, fortran_order and shape, each once is expected there",
        ),
        (
            of("{'shape': (2,)}"),
            "byte 25 of the header: descr, fortran_order and shape, each once is expected there",
        ),
        (
            of("{'shape': (2, -1)}"),
            "byte 24 of the header: a length is expected there",
        ),
        (
            of("{'shape': (2 2)}"),
            "byte 23 of the header: , or ) is expected there",
        ),
        (
            of("{'fortran_order': 0}"),
            "byte 29 of the header: True or False is expected there",
        ),
        (
            of("{'descr': '<f4"),
            "byte 20 of the header: a string that ends is expected there",
        ),
    ] {
        assert_eq!(found, message);
    }
}

#[test]
fn each_rule_of_shapes_and_values_has_its_refusal() {
    let good = floats(&[1.0, 2.0]);
    let shape = |shape: &str| rows(&array("<f4", shape, &good)).unwrap_err().to_string();
    for (found, message) in [
        (
            rows(&array("|O", "(1, 2)", &good)).unwrap_err().to_string(),
            "holds values of type |O, but f4, f8, b1, i1 to i8 and u1 to u8 are read: save x.astype('f4')",
        ),
        (
            rows(&array("<U3", "(1, 2)", &good))
                .unwrap_err()
                .to_string(),
            "holds texts (type <U3), but numbers are read: give labels that are names as a text file, the labels of a row in \
             each line",
        ),
        (
            shape("(2,)"),
            "has 1 dimensions, but rows of features have 2, and labels 1 or 2",
        ),
        (
            shape("()"),
            "has 0 dimensions, but rows of features have 2, and labels 1 or 2",
        ),
        (
            shape("(1, 3)"),
            "has 8 bytes of values, but its shape needs 12: is it cut off?",
        ),
        (
            shape("(1, 1)"),
            "has 8 bytes of values, but its shape needs 4: is it cut off?",
        ),
        (
            shape("(4294967296, 4294967296)"),
            "has more columns or labels than can be numbered",
        ),
        (
            shape("(99999999999999999999, 1)"),
            "byte 81 of the header: a length is expected there",
        ),
        (
            rows(&array("<f4", "(0, 5)", &[])).unwrap_err().to_string(),
            "holds no value; at least one row is needed",
        ),
        (
            rows(&array("<f4", "(2, 2)", &floats(&[1.0, 2.0, f32::NAN, 0.0])))
                .unwrap_err()
                .to_string(),
            "row 2, column 1: the value NaN is not finite in 32 bits",
        ),
        (
            rows(&array(
                "<f8",
                "(1, 2)",
                &[1.0, 1e39f64].map(f64::to_le_bytes).concat(),
            ))
            .unwrap_err()
            .to_string(),
            "row 1, column 2: the value 1000000000000000000000000000000000000000 is not finite in 32 bits",
        ),
        (
            labels(&array("<f4", "(2,)", &floats(&[1.0, 1.5])), None)
                .unwrap_err()
                .to_string(),
            "row 2: the label 1.5 is no whole number",
        ),
        (
            labels(&array("<f4", "(1, 2)", &floats(&[1.0, 2.0])), None)
                .unwrap_err()
                .to_string(),
            "row 1, column 2: labels of two dimensions are 0 or 1, not 2",
        ),
    ] {
        assert_eq!(found, message);
    }
}

#[test]
fn damaged_files_give_data_or_an_error() {
    let good = array(
        "<f4",
        "(4, 2)",
        &floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
    );
    let mut refused = 0;
    for seed in 0..20_000u64 {
        let mut dice = Stream::new(seed, 0);
        let mut bytes = good.clone();
        for _ in 0..1 + dice.below(3) {
            let at = dice.below(bytes.len() as u64) as usize;
            bytes[at] = dice.bits() as u8;
        }
        bytes.truncate(good.len() - dice.below(3) as usize * dice.below(20) as usize);
        refused += usize::from(rows(&bytes).is_err());
        let known: Result<_, NpyError> = labels(&bytes, None);
        refused += usize::from(known.is_err());
    }
    assert!(refused > 10_000, "{refused}");
}
