//! Parcels of any bytes, one behind another, and a frame of them: what is taken is written as the
//! same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use timewarp::Parcel;

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Ok((parcel, behind)) = Parcel::<Vec<u8>>::decode(rest) {
        let taken = rest.len() - behind.len();
        assert!(taken > 0);
        let mut written = Vec::new();
        parcel.encode(&mut written);
        assert_eq!(written, rest[..taken]);
        rest = behind;
    }
    let _ = warp::check_frame::<Vec<u8>>(bytes);
    let _ = warp::check_frame::<u64>(bytes);
    let _ = warp::check_frame::<models::warpnet::WarpnetPayload>(bytes);
});
