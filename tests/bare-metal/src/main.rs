//! A model of each kind in flash memory, read without copying and asked on a Cortex-M4.
//!
//! Prints what memory the program takes, then for each model a line `model: KIND`, a line for each
//! query, `answer: id:bits …` with the bits of each score, and what heap it took.
//! `tests/src/bare_metal.rs` holds that against the same models on the machine that tests.
#![no_std]
#![no_main]

extern crate alloc;

use core::{
    panic::PanicInfo,
    ptr::{addr_of, addr_of_mut},
};
use cortex_m as _;
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use embedded_alloc::LlffHeap as Heap;
use hapax_core::{
    bytes::Bytes,
    format::FormatError,
    model::{Model, Scratch},
};

#[global_allocator]
static HEAP: Heap = Heap::empty();

/// The fixture's few rows need little; what they took is printed.
const HEAP_BYTES: usize = 64 * 1024;
static mut HEAP_MEMORY: [u8; HEAP_BYTES] = [0; HEAP_BYTES];

unsafe extern "C" {
    // Where the linker put things: cortex-m-rt's link.x names them.
    static __sdata: u8;
    static __edata: u8;
    static __sidata: u8;
    static __sheap: u8;
}

/// Bytes of flash and of RAM that the program takes, the heap among the latter.
fn footprint() -> (usize, usize) {
    let data = addr_of!(__edata) as usize - addr_of!(__sdata) as usize;
    let flash = addr_of!(__sidata) as usize + data;
    (flash, addr_of!(__sheap) as usize - 0x2000_0000)
}

/// Flash that is aligned as the arrays of a model file are.
#[repr(align(64))]
struct Aligned<T: ?Sized>(T);

macro_rules! model {
    ($kind:literal) => {
        (
            $kind,
            &Aligned(*include_bytes!(concat!(
                env!("HAPAX_TEST_INPUTS"),
                "/",
                $kind,
                ".hapax"
            ))),
        )
    };
}

/// Each kind of model and its file.
static MODELS: [(&str, &Aligned<[u8]>); 4] = [
    model!("nearest"),
    model!("linear"),
    model!("mach"),
    model!("embedding"),
];
static QUERIES: &str = include_str!(concat!(env!("HAPAX_TEST_INPUTS"), "/queries.txt"));

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    hprintln!("{}", info);
    debug::exit(debug::EXIT_FAILURE);
    loop {}
}

#[entry]
fn main() -> ! {
    // SAFETY: called once, before any allocation, with memory that nothing else uses.
    unsafe { HEAP.init(addr_of_mut!(HEAP_MEMORY) as usize, HEAP_BYTES) }
    let (flash, ram) = footprint();
    let models: usize = MODELS.iter().map(|(_, model)| model.0.len()).sum();
    hprintln!("flash: {} bytes, of which the models {}", flash, models);
    hprintln!(
        "RAM: {} bytes and the stack, of which the heap {}",
        ram,
        HEAP_BYTES
    );
    for (kind, bytes) in MODELS {
        hprintln!("model: {}", kind);
        ask(&bytes.0);
    }
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}

/// Loads a model, asks it all queries, and prints what it answers and takes.
fn ask(bytes: &'static [u8]) {
    let cut = Bytes::from_static(&bytes[..bytes.len() - 1]);
    match Model::from_bytes(cut) {
        Err(error @ FormatError::WrongLength { .. }) => hprintln!("truncated: {}", error),
        _ => panic!("a truncated model must be refused"),
    }
    let model = match Model::from_bytes(Bytes::from_static(bytes)) {
        Ok(model) => model,
        Err(error) => panic!("{error}"),
    };
    hprintln!("heap after loading: {} bytes", HEAP.used());
    let mut scratch = Scratch::default();
    for query in QUERIES.lines() {
        match model.predict_text(query, 5, &mut scratch) {
            Ok(answers) => {
                let mut line = alloc::string::String::new();
                for answer in answers {
                    line += &alloc::format!(" {}:{:08x}", answer.id, answer.score.to_bits());
                }
                hprintln!("answer:{}", line);
            }
            Err(error) => panic!("{query}: {error}"),
        }
    }
    hprintln!("heap after answering: {} bytes", HEAP.used());
}
