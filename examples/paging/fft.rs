//! FFT: a complex Fourier transform of data that need not fit in memory, and back again.
//!
//! The program of the 1996 study. It recurses depth first, so that each half is finished while it
//! is in memory; and it leaves the spectrum in the order in which it comes out, because the way
//! back wants it so: no reordering jumps through all the pages. It checks some of the spectrum
//! against the definition, and the data that come back against what was put in.
//!
//!     cargo run --release --package fourstamp-examples --example fft -- --size 256M

#![forbid(unsafe_code)]

mod given;

use std::f64::consts::TAU;
use std::process::ExitCode;

const POINT_BYTES: usize = 16;
/// Frequencies that are checked against the definition.
const PROBES: [usize; 3] = [0, 1, 12_345];

#[derive(Clone, Copy, Default)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    fn plus(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }

    fn minus(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }

    fn times(self, other: Complex) -> Complex {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }

    fn conjugate(self) -> Complex {
        Complex { re: self.re, im: -self.im }
    }

    fn size(self) -> f64 {
        self.re.hypot(self.im)
    }
}

/// The roots of unity, exp(-2 pi i k / n), as products of a coarse and a fine one: two short tables
/// instead of one as long as the data.
struct Roots {
    n: usize,
    fine_bits: u32,
    coarse: Vec<Complex>,
    fine: Vec<Complex>,
    slow: u32,
}

impl Roots {
    fn new(n: usize) -> Roots {
        let fine_bits = n.ilog2() / 2;
        let root = |k: usize| {
            let angle = -TAU * k as f64 / n as f64;
            Complex { re: angle.cos(), im: angle.sin() }
        };
        let fine = (0..1 << fine_bits).map(root).collect();
        let coarse = (0..=n >> fine_bits).map(|k| root(k << fine_bits)).collect();
        Roots { n, fine_bits, coarse, fine, slow: given::slow() }
    }

    /// `k` below `n`.
    fn at(&self, k: usize) -> Complex {
        self.coarse[k >> self.fine_bits].times(self.fine[k & ((1 << self.fine_bits) - 1)])
    }
}

/// In place; frequency `f` ends up at [`place`].
fn forward(data: &mut [Complex], roots: &Roots) {
    if data.len().is_multiple_of(3) {
        thirds_forward(data, roots);
        data.chunks_exact_mut(data.len() / 3).for_each(|third| halves_forward(third, roots));
    } else {
        halves_forward(data, roots);
    }
}

/// The inverse of [`forward`], times the number of points.
fn backward(data: &mut [Complex], roots: &Roots) {
    if data.len().is_multiple_of(3) {
        data.chunks_exact_mut(data.len() / 3).for_each(|third| halves_backward(third, roots));
        thirds_backward(data, roots);
    } else {
        halves_backward(data, roots);
    }
}

fn halves_forward(data: &mut [Complex], roots: &Roots) {
    let half = data.len() / 2;
    if half == 0 {
        return;
    }
    let stride = roots.n / data.len();
    let (low, high) = data.split_at_mut(half);
    for (k, (a, b)) in low.iter_mut().zip(high.iter_mut()).enumerate() {
        (*a, *b) =
            given::work(roots.slow, || (a.plus(*b), a.minus(*b).times(roots.at(k * stride))));
    }
    halves_forward(low, roots);
    halves_forward(high, roots);
}

fn halves_backward(data: &mut [Complex], roots: &Roots) {
    let half = data.len() / 2;
    if half == 0 {
        return;
    }
    let stride = roots.n / data.len();
    let (low, high) = data.split_at_mut(half);
    halves_backward(low, roots);
    halves_backward(high, roots);
    for (k, (a, b)) in low.iter_mut().zip(high.iter_mut()).enumerate() {
        (*a, *b) = given::work(roots.slow, || {
            let turned = b.times(roots.at(k * stride).conjugate());
            (a.plus(turned), a.minus(turned))
        });
    }
}

/// A third root of unity.
const THIRD: Complex = Complex { re: -0.5, im: -0.866_025_403_784_438_6 };

fn thirds_forward(data: &mut [Complex], roots: &Roots) {
    let third = data.len() / 3;
    for k in 0..third {
        let sums = given::work(roots.slow, || {
            let [a, b, c] = of_three(data[k], data[k + third], data[k + 2 * third], THIRD);
            [a, b.times(roots.at(k)), c.times(roots.at(2 * k))]
        });
        (data[k], data[k + third], data[k + 2 * third]) = (sums[0], sums[1], sums[2]);
    }
}

fn thirds_backward(data: &mut [Complex], roots: &Roots) {
    let third = data.len() / 3;
    for k in 0..third {
        let sums = given::work(roots.slow, || {
            let b = data[k + third].times(roots.at(k).conjugate());
            let c = data[k + 2 * third].times(roots.at(2 * k).conjugate());
            of_three(data[k], b, c, THIRD.conjugate())
        });
        (data[k], data[k + third], data[k + 2 * third]) = (sums[0], sums[1], sums[2]);
    }
}

/// The transform of three points.
fn of_three(a: Complex, b: Complex, c: Complex, root: Complex) -> [Complex; 3] {
    let other = root.conjugate();
    [
        a.plus(b).plus(c),
        a.plus(b.times(root)).plus(c.times(other)),
        a.plus(b.times(other)).plus(c.times(root)),
    ]
}

/// Where [`forward`] leaves frequency `f` of `n`.
fn place(f: usize, n: usize) -> usize {
    let (radix, part) = match n {
        1 => return 0,
        n if n.is_multiple_of(3) => (3, n / 3),
        n => (2, n / 2),
    };
    (f % radix) * part + place(f / radix, part)
}

fn input(index: usize) -> Complex {
    Complex { re: given::fraction(2 * index as u64), im: given::fraction(2 * index as u64 + 1) }
}

/// Frequency `f` as its definition says.
fn defined(f: usize, roots: &Roots) -> Complex {
    let term = |k: usize| input(k).times(roots.at((k * f) % roots.n));
    (0..roots.n).map(term).fold(Complex::default(), Complex::plus)
}

/// The largest number of points that is a power of two, or three times one.
fn points(bytes: usize) -> usize {
    let most = bytes / POINT_BYTES;
    let two = 1 << most.ilog2();
    if two / 2 * 3 <= most { two / 2 * 3 } else { two }
}

fn main() -> ExitCode {
    let n = points(given::size_bytes(64 << 20));
    let roots = Roots::new(n);
    let mut data: Vec<Complex> = vec![Complex::default(); n];
    for (index, point) in data.iter_mut().enumerate() {
        *point = input(index);
    }

    forward(&mut data, &roots);
    // Of n random terms the sum is about the root of n.
    let far = |f: usize| data[place(f, n)].minus(defined(f, &roots)).size() / (n as f64).sqrt();
    let spectrum = PROBES.iter().map(|f| far(f % n)).fold(0.0, f64::max);

    backward(&mut data, &roots);
    let scale = 1.0 / n as f64;
    let wrong = |(index, point): (usize, &Complex)| {
        Complex { re: point.re * scale, im: point.im * scale }.minus(input(index)).size()
    };
    // A point that is no number must not hide behind `max`.
    let worst = data
        .iter()
        .enumerate()
        .map(wrong)
        .fold(0.0, |a: f64, b| if b > a || b.is_nan() { b } else { a });

    // Rounding grows with the number of steps, the direct sums' with the root of the terms.
    let bound = 8.0 * f64::EPSILON * f64::from(n.ilog2());
    let right = worst <= bound && spectrum <= bound * (n as f64).sqrt();
    let said = format!(
        "fft: {n} points, error {worst:.1e} there and back (at most {bound:.1e}), {spectrum:.1e} \
        of the spectrum"
    );
    given::verdict(right, &said)
}
