use hapax_core::{
    kernels::Portable,
    random::Stream,
    search::neighbors::{NeighborIndex, NeighborScratch, Similarity},
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
    let index = NeighborIndex::build(&rows).unwrap();
    for kernels in super::available() {
        let mut scratch = NeighborScratch::new(kernels);
        let mut plain = NeighborScratch::new(&Portable);
        for beta in [1.0, 1.3] {
            let by = Similarity::new(beta).unwrap();
            for query in rows.iter().take(50) {
                let found = index.search(query, 10, by, &[], &mut scratch).unwrap();
                let expected = index.search(query, 10, by, &[], &mut plain).unwrap();
                assert_eq!(found, expected, "{}", kernels.name());
            }
        }
    }
}
