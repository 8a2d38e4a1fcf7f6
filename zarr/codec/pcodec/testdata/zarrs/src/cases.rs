//! The arrays that zarrs writes.
use std::sync::Arc;

use serde_json::{json, Value};
use zarrs::array::{Array, ArrayBytes, ArrayMetadata, ArrayMetadataOptions};
use zarrs::filesystem::FilesystemStore;

use crate::values::{number_of, values, Random, KINDS};
use crate::Failure;

pub struct Case {
    pub name: String,
    pub data_type: &'static str,
    pub shape: Vec<u64>,
    pub chunk: Vec<u64>,
    pub codecs: Value,
    pub kind: &'static str,
    pub lossless: bool,
    pub sharded: bool,
}

/// Returns the shape of an array and of its chunks. Most arrays end within a chunk. Some have one
/// chunk of n elements.
fn shapes(i: usize, n: u64) -> (Vec<u64>, Vec<u64>) {
    match i % 6 {
        0 => (vec![250], vec![90]),
        1 => (vec![13, 17], vec![8, 9]),
        2 => (vec![6, 7, 5], vec![4, 5, 5]),
        3 => (vec![3, 4, 5, 3], vec![2, 4, 3, 3]),
        4 => (vec![4, 41], vec![1, 41]),
        _ => (vec![n], vec![n]),
    }
}

fn sharded(chunk: &[u64], codec: Value) -> Value {
    json!({"name": "sharding_indexed", "configuration": {
        "chunk_shape": chunk,
        "codecs": [codec],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
        "index_location": "end",
    }})
}

/// Returns the cases of pcodec: each data type with several kinds of elements and settings.
pub fn pcodec(seed: usize) -> Vec<Case> {
    const TYPES: [&str; 16] = [
        "uint16",
        "int16",
        "uint32",
        "int32",
        "uint64",
        "int64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "complex_float16",
        "complex_float32",
        "complex_float64",
        "numpy.datetime64",
        "numpy.timedelta64",
    ];
    let mut all = Vec::new();
    for (t, data_type) in TYPES.into_iter().enumerate() {
        let count = if t < 9 { 6 } else { 2 };
        for j in 0..count {
            let i = all.len() + seed;
            let (shape, chunk) = shapes(i, 401);
            let (delta, order) = [
                ("auto", json!(null)),
                ("none", json!(null)),
                ("try_consecutive", json!(i % 8)),
                ("try_lookback", json!(null)),
                ("auto", json!(3)),
            ][i % 5]
                .clone();
            let page = [262_144, 60, 1000][i % 3];
            let codec = json!({"name": "numcodecs.pcodec", "configuration": {
                "level": i % 13,
                "mode_spec": if i % 4 == 3 { "classic" } else { "auto" },
                "delta_spec": delta,
                "paging_spec": "equal_pages_up_to",
                "delta_encoding_order": order,
                "equal_pages_up_to": page,
            }});
            let codecs = match i % 11 {
                4 => json!([sharded(&chunk, codec)]),
                7 => json!([codec, {"name": "crc32c"}]),
                _ => json!([codec]),
            };
            let chunk = if i % 11 == 4 {
                chunk.iter().map(|n| 2 * n).collect()
            } else {
                chunk
            };
            let kind = KINDS[(t + j * 3 + seed) % KINDS.len()];
            all.push(Case {
                name: format!("{:03}_{data_type}_{kind}", all.len()),
                data_type,
                shape,
                chunk,
                codecs,
                kind,
                lossless: true,
                sharded: i % 11 == 4,
            });
        }
    }
    for (name, data_type) in [
        ("numcodecs.pcodec", "int32"),
        ("https://codec.zarrs.dev/array_to_bytes/pcodec", "float64"),
    ] {
        all.push(Case {
            name: format!("{:03}_{data_type}_default", all.len()),
            data_type,
            shape: vec![],
            chunk: vec![],
            codecs: json!([{"name": name, "configuration": {}}]),
            kind: "walk",
            lossless: true,
            sharded: false,
        });
    }
    all
}

/// Returns the cases of zfp: each data type with all modes, with and without a header.
pub fn zfp(seed: usize) -> Vec<Case> {
    const TYPES: [&str; 11] = [
        "float32",
        "float64",
        "int32",
        "int64",
        "uint32",
        "uint64",
        "int8",
        "uint8",
        "int16",
        "uint16",
        "numpy.datetime64",
    ];
    let mut all = Vec::new();
    for data_type in TYPES {
        let float = data_type.starts_with("float");
        let mut modes = vec![
            ("reversible", json!({"mode": "reversible"})),
            ("zfpy_reversible", json!({"mode": 5})),
            ("rate", json!({"mode": "fixed_rate", "rate": 6.3})),
            ("zfpy_rate", json!({"mode": 2, "rate": 9.5})),
            (
                "precision",
                json!({"mode": "fixed_precision", "precision": 15}),
            ),
            ("zfpy_precision", json!({"mode": 3, "precision": 12})),
            (
                "expert",
                json!({"mode": "expert", "minbits": 20, "maxbits": 500, "maxprec": 18, "minexp": -6}),
            ),
        ];
        if float {
            modes.extend([
                ("rate", json!({"mode": "fixed_rate", "rate": 2.1})),
                ("rate", json!({"mode": "fixed_rate", "rate": 30})),
                ("accuracy", json!({"mode": "fixed_accuracy", "tolerance": 0.05})),
                ("zfpy_accuracy", json!({"mode": 4, "tolerance": 0.003})),
                ("accuracy", json!({"mode": "fixed_accuracy", "tolerance": 0.0})),
                ("precision", json!({"mode": "fixed_precision", "precision": 100})),
                ("expert", json!({"mode": "expert", "minbits": 1, "maxbits": 16_658, "maxprec": 64, "minexp": -1075})),
                ("special", json!({"mode": "reversible"})),
            ]);
        } else {
            modes.push(("rate", json!({"mode": "fixed_rate", "rate": 1})));
        }
        for (mode, configuration) in modes {
            let i = all.len() + seed;
            let (shape, chunk) = shapes(i, 121);
            let name = match i % 9 {
                2 if mode.starts_with("zfpy") => "https://codec.zarrs.dev/array_to_bytes/zfpy",
                _ if mode.starts_with("zfpy") => "numcodecs.zfpy",
                1 => "zarrs.zfp",
                2 => "https://codec.zarrs.dev/array_to_bytes/zfp",
                _ => "zfp",
            };
            let codec = json!({"name": name, "configuration": configuration});
            let codecs = match i % 11 {
                4 => json!([sharded(&chunk, codec)]),
                7 => json!([codec, {"name": "crc32c"}]),
                _ => json!([codec]),
            };
            let chunk = if i % 11 == 4 {
                chunk.iter().map(|n| 2 * n).collect()
            } else {
                chunk
            };
            let lossless = mode == "special";
            let kind = if lossless {
                "special"
            } else if float || i % 3 > 0 {
                ["sine", "walk", "decimal", "square", "coarse", "constant"][(i + i / 6) % 6]
            } else {
                "special"
            };
            all.push(Case {
                name: format!("{:03}_{data_type}_{mode}", all.len()),
                data_type,
                shape,
                chunk,
                codecs,
                kind,
                lossless,
                sharded: i % 11 == 4,
            });
        }
    }
    all
}

/// Writes the arrays. Some chunks and some inner chunks are left out.
pub fn write(dir: &str, cases: &[Case], seed: usize) -> Result<(), Failure> {
    let store = Arc::new(FilesystemStore::new(dir)?);
    for (i, c) in cases.iter().enumerate() {
        let (number, parts) = number_of(c.data_type);
        let mut r = Random((i + seed) as u64);
        let fill = values(
            number,
            if c.data_type.contains("float") {
                "decimal"
            } else {
                "constant"
            },
            1,
            &mut r,
        );
        let fill = fill_value(c.data_type, &fill);
        let configured = match c.data_type {
            "numpy.datetime64" | "numpy.timedelta64" => {
                json!({"name": c.data_type, "configuration": {"unit": "ms", "scale_factor": 10}})
            }
            _ => json!(c.data_type),
        };
        let metadata: ArrayMetadata = serde_json::from_value(json!({
            "zarr_format": 3,
            "node_type": "array",
            "shape": c.shape,
            "data_type": configured,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": c.chunk}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": fill,
            "codecs": c.codecs,
        }))?;
        let a = Array::new_with_metadata(store.clone(), &format!("/{}", c.name), metadata)?;
        a.store_metadata_opt(&ArrayMetadataOptions::default().with_include_zarrs_metadata(false))?;
        let grid = a.chunk_grid_shape().to_vec();
        let count: u64 = grid.iter().product();
        let elements: u64 = c.chunk.iter().product();
        for k in 0..count {
            if k % 5 == 3 {
                continue;
            }
            let mut indices = vec![0; grid.len()];
            let mut rest = k;
            for axis in (0..grid.len()).rev() {
                indices[axis] = rest % grid[axis];
                rest /= grid[axis];
            }
            let mut bytes = values(number, c.kind, parts * elements as usize, &mut r);
            if c.sharded {
                let fill = a.fill_value().as_ne_bytes();
                let n = bytes.len() / 2 / fill.len() * fill.len();
                for element in bytes[..n].chunks_mut(fill.len()) {
                    element.copy_from_slice(fill);
                }
            }
            a.store_chunk(&indices, ArrayBytes::from(bytes.clone()))?;
            let got: ArrayBytes = a.retrieve_chunk(&indices)?;
            if c.lossless && got.into_fixed()?.as_ref() != bytes {
                return Err(format!("{}: chunk {k} is read with other elements", c.name).into());
            }
        }
        let got: ArrayBytes = a.retrieve_array_subset(&a.subset_all())?;
        std::fs::write(
            format!("{dir}/{}/values", c.name),
            got.into_fixed()?.as_ref(),
        )?;
        println!("{} {:?} {:?} {}", c.name, c.shape, c.chunk, c.kind);
    }
    Ok(())
}

/// Returns a fill value of a data type in JSON.
fn fill_value(data_type: &str, bytes: &[u8]) -> Value {
    match data_type {
        _ if data_type.starts_with("complex") => json!([1.5, "NaN"]),
        _ if data_type.starts_with("float") => json!(-2.25),
        "numpy.datetime64" => json!("NaT"),
        "int8" => json!(-7),
        _ => json!(bytes[0] % 100),
    }
}
