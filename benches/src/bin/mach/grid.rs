//! Accuracy against B and R, figure 1 of the paper: a table and a picture.

use crate::{Options, Result, fit, number, precision, setting::parameters};
use hapax::{core::parameters::MachParameters, threads::Threads};
use hapax_benches::{
    grid::{Line, svg},
    load,
    process::cpu_seconds,
};
use std::fs;

pub fn grid(set: &str, options: &Options) -> Result<()> {
    let threads = Threads::new(number(options, "threads", 1.0)? as usize)?;
    let (data, test) = load(set)?;
    let base = parameters(options, &data)?;
    let repetitions = [4u32, 8, 16, 32];
    let mut numbers_of_buckets = vec![8u32, 16, 32, 64];
    if base.buckets > 64 {
        numbers_of_buckets.push(base.buckets);
    }
    let earlier = match options.get("from") {
        Some(path) => fs::read_to_string(path)?,
        None => String::new(),
    };
    let mut lines = Vec::new();
    for buckets in numbers_of_buckets {
        let mut line = Line {
            buckets,
            points: Vec::new(),
            bytes: 0,
        };
        for repetitions in repetitions {
            let p = MachParameters {
                buckets,
                repetitions,
                rerank: 0,
                ..base.clone()
            };
            let place = format!("{set} B {buckets} R {repetitions}: ");
            let known = earlier.lines().find_map(|line| line.strip_prefix(&place));
            let found = match known {
                Some(found) => found.to_owned(),
                None => {
                    let start = cpu_seconds();
                    let mach = fit(&p, &data, &threads)?;
                    let seconds = cpu_seconds() - start;
                    let [at_1, at_3, at_5] = precision(&mach, &test)?;
                    let bytes = mach.file_bytes()?;
                    format!("{at_1:.2} {at_3:.2} {at_5:.2}, {bytes} bytes, {seconds:.1} CPU s")
                }
            };
            println!("{place}{found}");
            let words: Vec<&str> = found.split([' ', ',']).collect();
            line.points.push((repetitions, words[0].parse()?));
            line.bytes = words.get(4).ok_or("no bytes")?.parse()?;
        }
        lines.push(line);
    }
    fs::write(format!("mach-{set}.svg"), svg(set, base.epochs, &lines))?;
    Ok(())
}
