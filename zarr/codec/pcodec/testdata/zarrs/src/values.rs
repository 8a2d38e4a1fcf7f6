//! Elements of arrays, from a seed.
use half::f16;

/// splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// The number type of a data type, and the numbers of an element.
pub fn number_of(name: &str) -> (&str, usize) {
    match name {
        "complex_float16" => ("float16", 2),
        "complex64" | "complex_float32" => ("float32", 2),
        "complex128" | "complex_float64" => ("float64", 2),
        "numpy.datetime64" | "numpy.timedelta64" => ("int64", 1),
        _ => (name, 1),
    }
}

pub const KINDS: [&str; 11] = [
    "bits", "walk", "sine", "square", "multiple", "decimal", "choice", "period", "constant",
    "special", "coarse",
];

/// Returns the little-endian bytes of n numbers of a kind.
pub fn values(number: &str, kind: &str, n: usize, r: &mut Random) -> Vec<u8> {
    let base = r.below(1000) as f64;
    let table: Vec<f64> = (0..37).map(|_| r.below(20_000) as f64).collect();
    let mut x = base;
    let mut out = Vec::new();
    for i in 0..n {
        let v = match kind {
            "bits" | "special" => 0.0,
            "walk" => {
                x += r.below(9) as f64 - 4.0;
                x
            }
            "sine" => 1000.0 * (i as f64 / 20.0).sin() + base,
            "square" => (i * i / 2 + i) as f64,
            "multiple" => (r.below(60) * 97) as f64 + 5.0,
            "decimal" => r.below(20_000) as f64 / 100.0,
            "choice" => table[r.below(5) as usize] * 1.37,
            "period" => table[i % 37] + r.below(2) as f64,
            "constant" => base,
            "coarse" => f64::from(f16::from_f64(300.0 * (i as f64 / 9.0).cos())),
            _ => unreachable!(),
        };
        let bits = match kind {
            "special" => special(number, r),
            _ => r.next(),
        };
        let raw = kind == "bits" || kind == "special";
        match number {
            "float16" if !raw => out.extend(f16::from_f64(v).to_le_bytes()),
            "float32" if !raw => out.extend((v as f32).to_le_bytes()),
            "float64" if !raw => out.extend(v.to_le_bytes()),
            _ => {
                let bits = if raw { bits } else { v as i64 as u64 };
                out.extend(&bits.to_le_bytes()[..size(number)]);
            }
        }
    }
    out
}

/// Returns the bytes of a number.
pub fn size(number: &str) -> usize {
    let width = number.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    width.parse::<usize>().unwrap() / 8
}

/// Returns the bits of an extreme number, or of a small one.
fn special(number: &str, r: &mut Random) -> u64 {
    let k = r.below(9) as usize;
    let small = r.below(200);
    match number {
        "float16" => [
            0x7c00,
            0xfc00,
            0x7e00,
            0xfe01,
            0x8000,
            0x0001,
            0x7bff,
            0x7d55,
            u64::from(f16::from_f64(small as f64).to_bits()),
        ][k],
        "float32" => {
            let x = (small as f32) / 3.0;
            [
                0x7f80_0000,
                0xff80_0000,
                0x7fc0_0000,
                0xffc1_2345,
                0x8000_0000,
                1,
                0x7f7f_ffff,
                0x7fa0_0001,
                u64::from(x.to_bits()),
            ][k]
        }
        "float64" => [
            0x7ff0 << 48,
            0xfff0 << 48,
            0x7ff8 << 48,
            0xfff8_0000_0001_2345,
            1 << 63,
            1,
            0x7fef_ffff_ffff_ffff,
            0x7ff4_0000_0000_0001,
            (small as f64 / 3.0).to_bits(),
        ][k],
        _ => {
            let width = 8 * size(number) as u32;
            [
                0,
                1,
                u64::MAX,
                1 << (width - 1),
                (1 << (width - 1)) - 1,
                small,
                small,
                small,
                r.next(),
            ][k]
        }
    }
}
