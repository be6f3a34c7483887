//! What an epoch of the published distributed Weston-Watkins solver would take on more processes
//! than a machine has cores: its meetings dealt to so many, and what they tell each other sent over
//! a network.
//!
//! `bundles SET [EPOCHS] [MEGABYTES]`; MEGABYTES are those that two processes send in an epoch, as
//! `hapax train ww --rotate-labels` tells under `mpirun`. Of P processes each hears what the others
//! moved, all but its own P-th, by a link of its own; and waits for each round.

use hapax::{
    core::{
        parameters::{MultiClassLoss, MultiClassSvm},
        train::{Alone, SharedTraining, multiclass::MultiLabel},
    },
    kernels,
};
use hapax_benches::{critical_path::CriticalPath, process::cpu_seconds};
use std::{env::args, error::Error};

/// Links: bits a second, and seconds until all have heard of a round.
const LINKS: [(&str, f64, f64); 3] = [
    ("10 Gbit/s, 20 us", 1e10, 2e-5),
    ("1 Gbit/s, 100 us", 1e9, 1e-4),
    ("100 Mbit/s, 1 ms", 1e8, 1e-3),
];

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = args().skip(1).collect();
    let [set, rest @ ..] = &given[..] else {
        return Err("usage: bundles SET [EPOCHS] [MEGABYTES]".into());
    };
    let epochs = rest.first().map_or(Ok(8), |text| text.parse::<u32>())?;
    let megabytes = rest.get(1).map_or(Ok(0.0), |text| text.parse::<f64>())?;
    let (train, _) = hapax_benches::load(set)?;
    // As many as there are bundles, of few labels and of many.
    let rounds = if train.labels().labels() < 1000 {
        8.0
    } else {
        16.0
    };
    let parameters = MultiClassSvm {
        gap: 1e-9,
        max_epochs: epochs,
        ..MultiClassSvm::new(MultiClassLoss::WestonWatkins)
    };
    println!("{set}, {epochs} epochs: milliseconds an epoch, and times as fast as one process");
    println!(
        "processes  no network  {}",
        LINKS.map(|(name, ..)| name).join("  ")
    );
    let mut one = 0.0;
    for processes in [1, 2, 4, 8, 16, 64] {
        let path = CriticalPath::new(processes);
        let (way, kernels) = (MultiLabel::Refuse, kernels::best());
        let mut training =
            SharedTraining::new(&parameters, &train, way, (&path, &mut Alone), kernels)?;
        let (begin, before) = (cpu_seconds(), path.seconds());
        let mut done = 0.0;
        while done < f64::from(epochs) && training.epoch(&path, kernels, &mut Alone)?.is_some() {
            done += 1.0;
        }
        let after = path.seconds();
        let (jobs, longest) = (after.0 - before.0, after.1 - before.1);
        let seconds = (cpu_seconds() - begin - jobs + longest) / done;
        if processes == 1 {
            one = seconds;
        }
        let told = |bits: f64, wait: f64| match processes {
            1 => 0.0,
            many => 8e6 * megabytes * (1.0 - 1.0 / many as f64) / bits + rounds * wait,
        };
        let links = LINKS.map(|(_, bits, wait)| {
            let seconds = seconds + told(bits, wait);
            format!("{:>8.1} {:>5.2}", 1e3 * seconds, one / seconds)
        });
        println!(
            "{processes:>9}  {:>6.1} {:>5.2}  {}",
            1e3 * seconds,
            one / seconds,
            links.join("  ")
        );
    }
    Ok(())
}
