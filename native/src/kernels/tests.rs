use hapax_core::{
    data::{Dataset, LabelLists},
    kernels::{HeadTerm, Kernels, Portable},
    model::{Nearest, NearestScratch},
    parameters::NearestParameters,
    random::Stream,
    sparse::{SparseRows, SparseVec},
};

#[test]
fn every_kernel_finds_the_same_neighbors() {
    let mut stream = Stream::new(3, 3);
    let mut rows = SparseRows::new(400);
    for _ in 0..1500 {
        let pairs = (0..30).map(|_| {
            let feature = (stream.unit() * stream.unit() * 400.0) as u32;
            (feature, (stream.unit() - 0.3) as f32)
        });
        let row = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).unwrap();
        rows.push(row.view()).unwrap();
    }
    let mut labels = LabelLists::new(7);
    (0..rows.len() as u32).for_each(|row| labels.push([row % 7]));
    let data = Dataset::new(rows, labels, None).unwrap();
    for kernels in super::available() {
        let mut scratch = NearestScratch::new(kernels);
        let mut plain = NearestScratch::new(&Portable);
        for beta in [1.0, 1.3] {
            let parameters = NearestParameters {
                beta,
                neighbors: 10,
                ..NearestParameters::default()
            };
            let nearest = Nearest::train(parameters, &data).unwrap();
            for query in data.rows().iter().take(50) {
                let found = nearest.neighbors(query, &mut scratch).unwrap();
                let expected = nearest.neighbors(query, &mut plain).unwrap();
                assert_eq!(found, expected, "{}", kernels.processor().name());
            }
        }
    }
}

#[test]
fn every_kernel_adds_the_same_heads() {
    let mut stream = Stream::new(8, 8);
    let heads: Vec<i8> = (0..4096)
        .map(|_| (stream.below(255) as i16 - 127) as i8)
        .collect();
    let terms: Vec<HeadTerm> = (0..50)
        .map(|_| {
            let length = 64 * (1 + stream.below(8) as u32);
            HeadTerm {
                start: stream.below(u64::from(4096 - length)) as u32,
                length,
                value: (stream.below(1200) as i16) - 600,
            }
        })
        .collect();
    let sums = |kernels: &dyn Kernels| {
        let mut sums = vec![0; 512];
        kernels.add_heads(&mut sums, &heads, &terms);
        sums
    };
    for kernels in super::available() {
        assert_eq!(
            sums(kernels),
            sums(&Portable),
            "{}",
            kernels.processor().name()
        );
    }
}
