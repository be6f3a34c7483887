//! The graph against scoring everything, and under churn.

use super::{Graph, walk::product};
use crate::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    parameters::memoir::{Length, Memoir},
    random::Stream,
    search::MaxInnerProduct,
    sparse::{SparseRows, SparseVec},
    train::Training,
};
use alloc::{vec, vec::Vec};

fn vector(stream: &mut Stream) -> SparseVec {
    let pairs = (0..8).map(|_| (stream.below(90) as u32, stream.unit() as f32 - 0.2));
    SparseVec::from_pairs(pairs).unwrap()
}

/// Rows of 400 classes with three words each of their own, and the weights trained on them.
fn trained() -> (Vec<SparseVec>, Dataset) {
    let mut stream = Stream::new(2, 3);
    let mut rows = SparseRows::new(600);
    let mut lists = LabelLists::new(400);
    for row in 0..4_000u32 {
        let class = row % 400;
        let own = (0..3).map(|at| ((class * 17 + at * 211) % 600, 1.0));
        let noise: Vec<(u32, f32)> = (0..6)
            .map(|_| (stream.below(600) as u32, stream.unit() as f32))
            .collect();
        let made = SparseVec::from_pairs(own.chain(noise)).unwrap();
        rows.push(made.view()).unwrap();
        lists.push([class]);
    }
    let data = Dataset::new(rows, lists, None).unwrap();
    let parameters = Memoir {
        length: Length::Epochs(3),
        ..Memoir::automatic(&data)
    };
    let mut trainer = parameters.trainer(&data).unwrap();
    while trainer.step(&Sequential).is_some() {}
    let mut weights = vec![Vec::new(); 400];
    trainer.weights().visit(|feature, class, weight| {
        weights[class as usize].push((feature, weight));
    });
    let vectors = weights
        .into_iter()
        .map(|pairs| SparseVec::from_pairs(pairs).unwrap());
    (vectors.collect(), data)
}

/// How often the best class of trained weights is the first one found.
fn recall(mut graph: Graph, at_once: bool) -> f64 {
    let (vectors, data) = trained();
    let items: Vec<(u32, SparseVec)> = (0..).zip(vectors.iter().cloned()).collect();
    if at_once {
        graph.insert_all(items, &Sequential);
    } else {
        for (id, vector) in items {
            graph.insert_all(vec![(id, vector)], &Sequential);
        }
    }
    assert_eq!(graph.reachable().len(), 400);
    let mut proposer = graph.proposer();
    let found = (0..500).filter(|&row| {
        let query = data.rows().row(row);
        let scores = vectors.iter().map(|v| product(v.view(), query)).enumerate();
        let best = scores
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
            .unwrap()
            .0;
        let mut proposed = vec![];
        let terms: Vec<(u32, f32)> = query.iter().collect();
        assert!(!proposer.propose(&terms, 5, &mut proposed));
        proposed[0] == best as u32
    });
    found.count() as f64 / 500.0
}

#[test]
fn the_best_class_of_trained_weights_is_found() {
    for at_once in [false, true] {
        let flat = recall(Graph::new(12, 40), at_once);
        assert!(flat >= 0.9, "recall {flat}, at once: {at_once}");
    }
}

#[test]
fn churn_keeps_every_id() {
    let mut graph = Graph::new(4, 10);
    let mut stream = Stream::new(1, 1);
    let mut live = [false; 200];
    for step in 0..5_000 {
        let id = stream.below(200) as u32;
        match stream.below(4) {
            3 => {
                // Several at once: the first of a batch is not lost.
                let items = [id, (id + 1) % 200, (id + 7) % 200];
                items.iter().for_each(|&id| live[id as usize] = true);
                let items = items.map(|id| (id, vector(&mut stream)));
                graph.insert_all(items.into(), &Sequential);
            }
            0 => assert_eq!(graph.remove(id), core::mem::take(&mut live[id as usize])),
            _ => {
                graph.insert_all(vec![(id, vector(&mut stream))], &Sequential);
                live[id as usize] = true;
            }
        }
        if step % 50 == 0 {
            let ids: Vec<u32> = (0..200).filter(|&id| live[id as usize]).collect();
            assert_eq!(graph.reachable(), ids);
            assert_eq!(graph.len(), ids.len());
        }
    }
}

#[test]
fn a_beam_as_wide_as_the_graph_is_exact() {
    let mut stream = Stream::new(5, 1);
    let vectors: Vec<SparseVec> = (0..60).map(|_| vector(&mut stream)).collect();
    let mut graph = Graph::new(3, 60);
    for (id, vector) in vectors.iter().enumerate() {
        graph.insert_all(vec![(id as u32, vector.clone())], &Sequential);
    }
    let query = vector(&mut stream);
    let terms: Vec<(u32, f32)> = query.view().iter().collect();
    let mut proposed = vec![];
    assert!(graph.proposer().propose(&terms, 60, &mut proposed));
    let score = |id: &u32| product(vectors[*id as usize].view(), query.view());
    assert!(
        proposed
            .windows(2)
            .all(|pair| score(&pair[0]) >= score(&pair[1]))
    );
    proposed.sort_unstable();
    assert_eq!(proposed, (0..60).collect::<Vec<u32>>());
    assert!(!graph.remove(99));
}
