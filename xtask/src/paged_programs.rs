//! Real programs to be paged, as Debian has them: what each allocates most of, and how.

use crate::process::{self, on_path};
use anyhow::Result;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// To install or to prepare one, at most.
const LIMIT: Duration = Duration::from_secs(600);

/// What is expected of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// All but a little of its memory is paged.
    Paged,
    /// It runs, and what is not paged is told.
    Partly,
    /// It ends at once, with the reason.
    Refused,
}

/// One.
pub struct Program {
    /// In the table.
    pub name: &'static str,
    /// What to call, to see whether it is there.
    pub probe: &'static str,
    /// What has it.
    pub package: &'static str,
    /// `--local`.
    pub local: &'static str,
    /// `--threshold`.
    pub threshold: &'static str,
    /// For `sh -c`, in a folder that is prepared.
    pub command: &'static str,
    /// What becomes of it.
    pub fate: Fate,
}

const fn program(
    name: &'static str,
    (probe, package): (&'static str, &'static str),
    (local, threshold): (&'static str, &'static str),
    fate: Fate,
    command: &'static str,
) -> Program {
    Program { name, probe, package, local, threshold, command, fate }
}

const PLAIN: (&str, &str) = ("64M", "1M");
const SMALL: (&str, &str) = ("48M", "0");
const JAVA: (&str, &str) = ("javac", "openjdk-17-jdk-headless");
const NODE: (&str, &str) = ("node", "nodejs");
const GO: (&str, &str) = ("go", "golang-go");
const PYTHON: (&str, &str) = ("/usr/bin/python3", "python3");

/// What [`prepare`] puts into a folder: a file's name, and its text.
const SOURCES: &[(&str, &str)] = &[
    (
        "Heap.java",
        "import java.util.*;
public class Heap {
    public static void main(String[] words) {
        List<int[]> all = new ArrayList<>();
        long state = 1, sum = 0;
        for (int i = 0; i < 2000; i++) {
            int[] some = new int[16384];
            for (int j = 0; j < some.length; j++) {
                state = state * 6364136223846793005L + 1442695040888963407L;
                some[j] = (int) (state >>> 33);
            }
            all.add(some);
        }
        for (int round = 0; round < 2; round++)
            for (int[] some : all)
                for (int value : some) sum += value;
        Map<Integer, String> names = new HashMap<>();
        for (int i = 0; i < 200000; i++) names.put(i, \"value \" + i);
        for (int i = 0; i < 200000; i++) sum += names.get(i).hashCode();
        System.out.println(sum);
    }
}
",
    ),
    (
        "heap.go",
        "package main

import \"fmt\"

func main() {
	var all [][]uint64
	state, sum := uint64(1), uint64(0)
	for i := 0; i < 200; i++ {
		some := make([]uint64, 131072)
		for j := range some {
			state = state*6364136223846793005 + 1442695040888963407
			some[j] = state >> 33
		}
		all = append(all, some)
	}
	for _, some := range all {
		for _, value := range some {
			sum += value
		}
	}
	names := map[int]string{}
	for i := 0; i < 200000; i++ {
		names[i] = fmt.Sprint(\"value \", i)
	}
	for i := 0; i < 200000; i++ {
		sum += uint64(len(names[i]))
	}
	fmt.Println(sum)
}
",
    ),
    (
        "cgo.go",
        "package main

// static int one(void) { return 1; }
import \"C\"

var one = C.one()
",
    ),
    (
        "make.py",
        "import random
random.seed(3)
with open('lines', 'w') as out:
    out.writelines('%016x a line of some length to sort\\n' % random.getrandbits(64)
                   for _ in range(1200000))
with open('much.c', 'w') as out:
    out.write('#include <math.h>\\n')
    for i in range(4000):
        out.write('double f%d(double x, int n) { double s = x; for (int i = 0; i < n; i++) '
                  '{ s += sin(s * %d.5) / (i + %d); if (s > %d) s -= x; } return s; }\\n'
                  % (i, i, i + 1, i % 97))
",
    ),
];

/// Makes what programs read. A program that is not there makes nothing, and is not run either.
const PREPARE: &str = "/usr/bin/python3 make.py
command -v javac >/dev/null && javac Heap.java
command -v go >/dev/null && CGO_ENABLED=1 go build -o with-cgo heap.go cgo.go
command -v go >/dev/null && CGO_ENABLED=0 go build -o static heap.go
true";

/// Make in this folder what the programs read.
pub fn prepare(home: &Path) -> Result<()> {
    for (name, text) in SOURCES {
        std::fs::write(home.join(name), text)?;
    }
    let mut prepare = Command::new("sh");
    process::run(prepare.args(["-c", PREPARE]).current_dir(home), LIMIT)
}

impl Program {
    /// Install it where it is not there, as root. Whether it is there then.
    pub fn install(&self) -> bool {
        let is_there = || on_path(self.probe).is_some() || Path::new(self.probe).exists();
        if !is_there() {
            let mut apt = Command::new("apt-get");
            apt.args(["install", "--yes", "--no-install-recommends", self.package]);
            // What cannot be installed is not there.
            let _ = process::capture_within(&mut apt, LIMIT);
        }
        is_there()
    }
}

/// All of them.
pub const PROGRAMS: &[Program] = &[
    program(
        "GNU sort, -S 150M",
        ("sort", "coreutils"),
        PLAIN,
        Fate::Paged,
        "sort -S 150M --parallel=2 lines",
    ),
    program(
        "Python, 120 arrays of 1 MiB",
        PYTHON,
        PLAIN,
        Fate::Paged,
        "/usr/bin/python3 -c 'a = [bytearray([i]) * (1 << 20) for i in \
        range(120)]\nprint(sum(sum(x[::4096]) for x in a))'",
    ),
    program(
        "Python, 1 million small strings",
        PYTHON,
        SMALL,
        Fate::Paged,
        "/usr/bin/python3 -c 'd = [str(i) * 3 for i in range(1000000)]\nprint(sum(map(len, d)))'",
    ),
    program("OpenJDK, Serial", JAVA, PLAIN, Fate::Paged, "java -Xmx320m -XX:+UseSerialGC Heap"),
    program("OpenJDK, G1", JAVA, PLAIN, Fate::Paged, "java -Xmx320m -XX:+UseG1GC Heap"),
    program("OpenJDK, Parallel", JAVA, PLAIN, Fate::Paged, "java -Xmx320m -XX:+UseParallelGC Heap"),
    program(
        "OpenJDK, ZGC (shared memory)",
        JAVA,
        PLAIN,
        Fate::Partly,
        "java -Xmx320m -XX:+UseZGC Heap",
    ),
    program(
        "node, objects",
        NODE,
        PLAIN,
        Fate::Paged,
        "node -e 'let a=[];for(let i=0;i<900000;i++)a.push({i,s:\"x\"+i});let s=0;for(const o \
        of a)s+=o.i+o.s.length;console.log(s)'",
    ),
    program(
        "node, buffers",
        NODE,
        PLAIN,
        Fate::Paged,
        "node -e 'let b=[];for(let i=0;i<80;i++)b.push(Buffer.alloc(2<<20,i));let s=0;for(const \
        x of b)for(let j=0;j<x.length;j+=4096)s+=x[j];console.log(s)'",
    ),
    program("Go with cgo", GO, PLAIN, Fate::Paged, "./with-cgo"),
    program("Go, static", GO, PLAIN, Fate::Partly, "./static"),
    program(
        "sqlite3, :memory:",
        ("sqlite3", "sqlite3"),
        ("32M", "0"),
        Fate::Paged,
        "sqlite3 :memory: \"create table t(a integer primary key, b text); with recursive c(x) \
        as (select 1 union all select x+1 from c where x<600000) insert into t select x, 'value \
        '||(x*7919%1000003) from c; create index i on t(b); select sum(length(b)), \
        count(distinct b) from t;\"",
    ),
    program(
        "R, a matrix",
        ("Rscript", "r-base-core"),
        ("64M", "0"),
        Fate::Paged,
        "Rscript -e 'set.seed(1); m <- matrix(rnorm(6e6), 2000); cat(sum(crossprod(m[,1:100])), \
        \"\\n\")'",
    ),
    program(
        "Perl, an array of strings",
        ("perl", "perl"),
        SMALL,
        Fate::Paged,
        "perl -e 'my @h; for (1..900000) { $h[$_] = \"value \" . ($_*7919 % 1000003) } my $s=0; \
        $s += length $h[$_] for 1..900000; print \"$s\\n\"'",
    ),
    program(
        "Ruby, an array of strings",
        ("ruby", "ruby"),
        SMALL,
        Fate::Paged,
        "ruby -e 'a = (1..1200000).map { |i| \"value #{i * 7919 % 1000003}\" }; puts \
        a.sum(&:size)'",
    ),
    program(
        "PHP, an array of strings",
        ("php", "php-cli"),
        SMALL,
        Fate::Paged,
        "php -d memory_limit=-1 -r '$a=[]; for($i=0;$i<1500000;$i++) $a[]=\"value \
        \".($i*7919%1000003); $s=0; foreach($a as $v) $s+=strlen($v); echo $s,\"\\n\";'",
    ),
    program(
        "awk, an array",
        ("awk", "mawk"),
        SMALL,
        Fate::Paged,
        "awk 'BEGIN { for (i=0;i<700000;i++) a[i]=\"value \" (i*7919%1000003); s=0; for \
        (i=0;i<700000;i++) s+=length(a[i]); print s }'",
    ),
    program(
        "gcc -O2, a large file",
        ("gcc", "gcc"),
        ("64M", "0"),
        Fate::Paged,
        "gcc -O2 -S -o - much.c",
    ),
    program(
        "xz -6",
        ("xz", "xz-utils"),
        ("24M", "1M"),
        Fate::Paged,
        "head -c 2000000 lines | xz -6 -c | md5sum",
    ),
    program(
        "zstd -19 --long",
        ("zstd", "zstd"),
        PLAIN,
        Fate::Paged,
        "head -c 6000000 lines | zstd -q -19 --long=26 -c | md5sum",
    ),
    program(
        "ffmpeg, two seconds of H.264",
        ("ffmpeg", "ffmpeg"),
        ("96M", "0"),
        Fate::Paged,
        "ffmpeg -loglevel error -f lavfi -i testsrc2=size=1920x1080:rate=30 -t 2 -threads 2 \
        -c:v libx264 -preset fast -f md5 -",
    ),
    program(
        "redis-server (jemalloc)",
        ("redis-server", "redis-server"),
        PLAIN,
        Fate::Paged,
        "redis-server --port 0 --unixsocket paged.sock --save '' --enable-debug-command yes \
        > /dev/null & \
        ask() { redis-cli -s paged.sock \"$@\"; }; \
        until ask ping > /dev/null 2>&1; do sleep 0.1; done; \
        ask debug populate 150000 key 700; ask debug digest; ask shutdown nosave; wait",
    ),
];
