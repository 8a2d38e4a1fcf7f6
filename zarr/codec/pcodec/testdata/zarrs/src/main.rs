//! Writes arrays of the codecs pcodec and zfp with zarrs 0.23.8, and reads arrays of zargo.
//!
//!     cargo run --release -- write pcodec DIRECTORY [SEED]
//!     cargo run --release -- write zfp DIRECTORY [SEED]
//!     cargo run --release -- check DIRECTORY
//!
//! zfp-sys requires cmake and libclang. The elements that zarrs reads from an array are stored next
//! to its metadata, in the file "values", in little-endian order.
//!
//! The commands "write" made zarrs.zip of this package and of the package zfp:
//!
//!     cd DIRECTORY && find . -type f | sort | cut -c 3- | zip -9 -X zarrs.zip -@
//!
//! Arrays of another seed have other shapes, settings and elements. TestZarrs reads these too, if
//! their file replaces zarrs.zip.
//!
//! The command "check" reads the arrays that testdata/write stored with zargo, and compares them
//! with their "values". Run it from the directory of the package:
//!
//!     go run ./testdata/write DIRECTORY 500
//!     cargo run --release --manifest-path testdata/zarrs/Cargo.toml -- check DIRECTORY
mod cases;
mod check;
mod values;

pub type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", codec, dir] => write(codec, dir, "0"),
        ["write", codec, dir, seed] => write(codec, dir, seed),
        ["check", dir] => check::check(dir),
        _ => Err("usage: write pcodec|zfp DIRECTORY [SEED] | check DIRECTORY".into()),
    }
}

fn write(codec: &str, dir: &str, seed: &str) -> Result<(), Failure> {
    let seed = seed.parse()?;
    let cases = match codec {
        "pcodec" => cases::pcodec(seed),
        _ => cases::zfp(seed),
    };
    cases::write(dir, &cases, seed)
}
