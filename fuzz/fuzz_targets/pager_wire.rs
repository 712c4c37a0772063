//! What a page server is sent, and what a client is answered: any bytes and any requests, cut into
//! reads of any length.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, Vec<(u8, u8, u8, u8)>, Vec<u8>)| {
    let (cut, recipes, noise) = input;
    let cut = usize::from(cut);
    let stream = [rmem::fuzz::stream(&recipes[..recipes.len().min(20)]), noise].concat();
    rmem::fuzz::requests(&stream, cut.max(stream.len() / 64));
    let _ = rmem::fuzz::answers(&stream, cut);
    rmem::fuzz::header(&stream);
});
