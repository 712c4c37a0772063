//! Which Parquet encoding suits which column: size, writing and reading, on made data like that of
//! real runs.
//!
//! `cargo run --release -p fourstamp-record --example encodings [rows] [seed]`
//!
//! The stamps of a ping-pong lie some hundred nanoseconds apart, with rare gaps up to milliseconds;
//! those of a stream lie closer and wait in queues. Clocks move in steps of 10 ns. Times are
//! processor time of one thread, best of three, into memory that is there already, as in
//! [`fourstamp_record::Chunk::read`].

use parquet::basic::{Compression, Encoding, Repetition, Type as Physical, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse().expect("a number"));
    let rows = arguments.next().unwrap_or(2_000_000) as usize;
    let seed = arguments.next().unwrap_or(1);
    println!("{rows} rows, seed {seed}; bytes and ns are for each value\n");
    println!(
        "{:<22} {:<34} {:>7} {:>9} {:>8}",
        "column", "encoding", "bytes", "write ns", "read ns"
    );
    let mut random = Random(seed);
    for (name, stamps) in [
        ("ping-pong stamps", pingpong(rows, &mut random)),
        ("stream stamps", stream(rows, &mut random)),
    ] {
        compare::<Int64Type>(name, &stamps, true, &STAMP_CHOICES, same_long);
    }
    let seq: Vec<i64> = (0..rows as i64).collect();
    compare::<Int64Type>("seq", &[seq], false, &STAMP_CHOICES, same_long);
    let queue: Vec<i32> = (0..rows).map(|_| random.below(20) as i32).collect();
    compare::<Int32Type>("queue_length (0-19)", &[queue], false, &SMALL_CHOICES, same_int);
    let hops: Vec<i32> = (0..rows).map(|_| 1 + random.below(3) as i32).collect();
    compare::<Int32Type>("hops (1-3)", &[hops], false, &SMALL_CHOICES, same_int);
    let flight: Vec<i32> = (0..rows).map(|_| random.below(5000) as i32).collect();
    compare::<Int32Type>("in_flight (0-4999)", &[flight], false, &SMALL_CHOICES, same_int);
}

#[derive(Clone, Copy)]
struct Choice {
    name: &'static str,
    encoding: Encoding,
    dictionary: bool,
    compression: Squeeze,
}

#[derive(Clone, Copy)]
enum Squeeze {
    None,
    Zstd,
    Snappy,
    Lz4,
}

const fn choice(name: &'static str, encoding: Encoding, compression: Squeeze) -> Choice {
    Choice { name, encoding, dictionary: false, compression }
}

const STAMP_CHOICES: [Choice; 10] = [
    choice("PLAIN", Encoding::PLAIN, Squeeze::None),
    choice("PLAIN, zstd 1", Encoding::PLAIN, Squeeze::Zstd),
    choice("PLAIN, snappy", Encoding::PLAIN, Squeeze::Snappy),
    choice("PLAIN, lz4", Encoding::PLAIN, Squeeze::Lz4),
    choice("DELTA_BINARY_PACKED", Encoding::DELTA_BINARY_PACKED, Squeeze::None),
    choice("DELTA_BINARY_PACKED, zstd 1", Encoding::DELTA_BINARY_PACKED, Squeeze::Zstd),
    choice("DELTA_BINARY_PACKED, lz4", Encoding::DELTA_BINARY_PACKED, Squeeze::Lz4),
    choice("BYTE_STREAM_SPLIT, zstd 1", Encoding::BYTE_STREAM_SPLIT, Squeeze::Zstd),
    choice("BYTE_STREAM_SPLIT, lz4", Encoding::BYTE_STREAM_SPLIT, Squeeze::Lz4),
    choice("BYTE_STREAM_SPLIT, snappy", Encoding::BYTE_STREAM_SPLIT, Squeeze::Snappy),
];

const SMALL_CHOICES: [Choice; 5] = [
    choice("PLAIN, zstd 1", Encoding::PLAIN, Squeeze::Zstd),
    choice("PLAIN, lz4", Encoding::PLAIN, Squeeze::Lz4),
    choice("DELTA_BINARY_PACKED", Encoding::DELTA_BINARY_PACKED, Squeeze::None),
    Choice {
        name: "RLE_DICTIONARY",
        encoding: Encoding::PLAIN,
        dictionary: true,
        compression: Squeeze::None,
    },
    Choice {
        name: "RLE_DICTIONARY, zstd 1",
        encoding: Encoding::PLAIN,
        dictionary: true,
        compression: Squeeze::Zstd,
    },
];

/// PCG-like mixing is not needed here: splitmix64 is enough for made data.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A time near `typical_ns` with a long tail, in steps of 10 ns.
    fn time(&mut self, typical_ns: f64) -> i64 {
        let uniform = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        let spread = -(1.0 - uniform).ln() * 0.2 + 0.9;
        let gap = match self.below(20_000) {
            0 => 4e6,
            1..20 => 5e4,
            _ => 0.0,
        };
        ((typical_ns * spread + gap) / 10.0) as i64 * 10
    }
}

fn pingpong(rows: usize, random: &mut Random) -> [Vec<i64>; 4] {
    let mut stamps = [const { Vec::new() }; 4];
    let mut now = 1_000_000;
    for _ in 0..rows {
        let moments =
            [now, now + random.time(30.0), now + random.time(150.0), now + random.time(200.0)];
        for (column, moment) in stamps.iter_mut().zip(moments) {
            column.push(moment);
        }
        now = moments[3] + random.time(250.0);
    }
    stamps
}

fn stream(rows: usize, random: &mut Random) -> [Vec<i64>; 4] {
    let mut stamps = [const { Vec::new() }; 4];
    let (mut now, mut free) = (1_000_000, 0);
    for _ in 0..rows {
        let sent = now + random.time(30.0);
        let arrived = sent + random.time(120.0);
        free = arrived.max(free) + random.time(75.0);
        for (column, moment) in stamps.iter_mut().zip([now, sent, arrived, free]) {
            column.push(moment);
        }
        now += random.time(80.0);
    }
    stamps
}

fn compare<T: DataType>(
    name: &str,
    columns: &[Vec<T::T>],
    optional: bool,
    choices: &[Choice],
    typed: fn(ColumnReader) -> ColumnReaderImpl<T>,
) {
    let values = columns.iter().map(Vec::len).sum::<usize>() as f64;
    for choice in choices {
        let (mut write_ns, mut read_ns, mut bytes) = (f64::INFINITY, f64::INFINITY, 0.0);
        let mut buffers = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let begun = processor_ns();
            let file = write::<T>(columns, optional, choice);
            write_ns = write_ns.min((processor_ns() - begun) / values);
            bytes = file.len() as f64 / values;
            let file = bytes::Bytes::from(file);
            read_ns = read_ns.min(read::<T>(&file, columns, typed, &mut buffers) / values);
        }
        println!("{name:<22} {:<34} {bytes:>7.2} {write_ns:>9.1} {read_ns:>8.2}", choice.name);
    }
    println!();
}

fn write<T: DataType>(columns: &[Vec<T::T>], optional: bool, choice: &Choice) -> Vec<u8> {
    let repetition = if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let field = |at: usize| {
        let name = format!("c{at}");
        let column = Type::primitive_type_builder(&name, T::get_physical_type());
        Arc::new(column.with_repetition(repetition).build().expect("a legal column"))
    };
    let fields = (0..columns.len()).map(field).collect();
    let schema =
        Type::group_type_builder("message").with_fields(fields).build().expect("a legal schema");
    let compression = match choice.compression {
        Squeeze::None => Compression::UNCOMPRESSED,
        Squeeze::Zstd => Compression::ZSTD(ZstdLevel::try_new(1).expect("a legal level")),
        Squeeze::Snappy => Compression::SNAPPY,
        Squeeze::Lz4 => Compression::LZ4_RAW,
    };
    let properties = WriterProperties::builder()
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_dictionary_enabled(choice.dictionary)
        .set_encoding(choice.encoding)
        .set_compression(compression)
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))
        .expect("a legal file");
    let levels = vec![1i16; columns[0].len()];
    let mut group = writer.next_row_group().expect("a row group");
    for values in columns {
        let mut column =
            group.next_column().expect("a column").expect("as many columns as in the schema");
        let levels = optional.then_some(levels.as_slice());
        column.typed::<T>().write_batch(values, levels, None).expect("memory takes it");
        column.close().expect("memory takes it");
    }
    group.close().expect("memory takes it");
    writer.into_inner().expect("memory takes it")
}

/// Processor time of this thread, which other programs on the machine do not change.
fn processor_ns() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Read all columns and return the time it took, without that of comparing.
fn read<T: DataType>(
    file: &bytes::Bytes,
    expected: &[Vec<T::T>],
    typed: fn(ColumnReader) -> ColumnReaderImpl<T>,
    (values, levels): &mut (Vec<T::T>, Vec<i16>),
) -> f64 {
    let reader = SerializedFileReader::new(file.clone()).expect("what was written");
    let group = reader.get_row_group(0).expect("one row group");
    let mut total_ns = 0.0;
    for (at, expected) in expected.iter().enumerate() {
        values.clear();
        levels.clear();
        let begun = processor_ns();
        let mut column = typed(group.get_column_reader(at).expect("a column"));
        let read =
            column.read_records(expected.len(), Some(levels), None, values).expect("sound pages");
        total_ns += processor_ns() - begun;
        assert!(
            read.0 == expected.len() && *values == *expected,
            "what is read is not what was written"
        );
    }
    total_ns
}

fn same_long(reader: ColumnReader) -> ColumnReaderImpl<Int64Type> {
    match reader {
        ColumnReader::Int64ColumnReader(reader) => reader,
        _ => unreachable!("the column was written as {}", Physical::INT64),
    }
}

fn same_int(reader: ColumnReader) -> ColumnReaderImpl<Int32Type> {
    match reader {
        ColumnReader::Int32ColumnReader(reader) => reader,
        _ => unreachable!("the column was written as {}", Physical::INT32),
    }
}
