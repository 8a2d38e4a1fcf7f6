//! Writes arrays of optional elements with zarrs 0.23.8, and their values to values.json.
//!
//!     cargo run -- DIRECTORY
use std::sync::Arc;

use ndarray::ArrayD;
use serde_json::{json, Value};
use zarrs::array::{Array, ArrayMetadata};
use zarrs::filesystem::FilesystemStore;

type Failure = Box<dyn std::error::Error>;

fn metadata(shape: Value, chunk: Value, of: Value, fill: Value, codecs: Value) -> Value {
    json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": {"name": "zarrs.optional", "configuration": of},
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill,
        "codecs": codecs,
    })
}

/// The codec zarrs.optional with gzip for masks and data.
fn optional(endian: &str) -> Value {
    let gzip = json!({"name": "gzip", "configuration": {"level": 5}});
    json!({"name": "zarrs.optional", "configuration": {
        "mask_codecs": [{"name": "packbits", "configuration": {}}, gzip],
        "data_codecs": [{"name": "bytes", "configuration": {"endian": endian}}, gzip],
    }})
}

macro_rules! write {
    ($store:expr, $name:literal, $metadata:expr, $type:ty, $values:expr) => {{
        let m: ArrayMetadata = serde_json::from_value($metadata)?;
        let a = Array::new_with_metadata($store.clone(), concat!("/", $name), m)?;
        a.store_metadata_opt(
            &zarrs::array::ArrayMetadataOptions::default().with_include_zarrs_metadata(false),
        )?;
        a.store_array_subset(&a.subset_all(), $values)?;
        let got: ArrayD<$type> = a.retrieve_array_subset(&a.subset_all())?;
        let list: Vec<Value> = got.iter().map(|v| json!(v)).collect();
        ($name.to_string(), Value::Array(list))
    }};
}

fn main() -> Result<(), Failure> {
    let dir = std::env::args().nth(1).ok_or("usage: write DIRECTORY")?;
    let store = Arc::new(FilesystemStore::new(&dir)?);
    let mut all = serde_json::Map::new();

    let plain = json!({"name": "zarrs.optional", "configuration": {
        "mask_codecs": [{"name": "packbits", "configuration": {}}],
        "data_codecs": [{"name": "bytes", "configuration": {}}],
    }});
    let m = metadata(json!([4, 4]), json!([2, 2]), json!({"name": "uint8", "configuration": {}}), json!(null), json!([plain]));
    let values = ArrayD::from_shape_vec(vec![4, 4], vec![
        Some(0u8), None, Some(2), Some(3),
        None, Some(5), None, Some(7),
        Some(8), Some(9), None, None,
        Some(12), None, None, None,
    ])?;
    let (k, v) = write!(store, "uint8", m, Option<u8>, values);
    all.insert(k, v);

    let of = json!({"name": "zarrs.optional", "configuration": {"name": "uint8", "configuration": {}}});
    let nested = json!({"name": "zarrs.optional", "configuration": {
        "mask_codecs": [{"name": "packbits", "configuration": {}}],
        "data_codecs": [plain],
    }});
    let m = metadata(json!([4, 4]), json!([2, 2]), of, json!([null]), json!([nested]));
    let values = ArrayD::from_shape_vec(vec![4, 4], vec![
        None, Some(None), Some(Some(2u8)), Some(Some(3)),
        None, Some(Some(5)), None, Some(Some(7)),
        Some(None), Some(None), None, None,
        Some(None), Some(None), None, None,
    ])?;
    // JSON has one null for both forms of a missing value: the inner one is written as [null].
    {
        let m: ArrayMetadata = serde_json::from_value(m)?;
        let a = Array::new_with_metadata(store.clone(), "/nested", m)?;
        a.store_metadata_opt(
            &zarrs::array::ArrayMetadataOptions::default().with_include_zarrs_metadata(false),
        )?;
        a.store_array_subset(&a.subset_all(), values)?;
        let got: ArrayD<Option<Option<u8>>> = a.retrieve_array_subset(&a.subset_all())?;
        let list = got.iter().map(|v| v.map_or(json!(null), |w| json!([w]))).collect();
        all.insert("nested".to_string(), Value::Array(list));
    }

    let m = metadata(json!([16]), json!([4]), json!({"name": "int32", "configuration": {}}), json!([-7]), json!([optional("big")]));
    let values = ArrayD::from_shape_vec(vec![16], (0..16).map(|i| (i % 3 != 0 && i < 9).then_some(i * 100_000 - 300_000)).collect())?;
    let (k, v) = write!(store, "int32", m, Option<i32>, values);
    all.insert(k, v);

    let sharding = json!({"name": "sharding_indexed", "configuration": {
        "chunk_shape": [2, 3],
        "codecs": [optional("little")],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
        "index_location": "end",
    }});
    let m = metadata(json!([8, 6]), json!([4, 6]), json!({"name": "float64", "configuration": {}}), json!(null), json!([sharding]));
    let values = ArrayD::from_shape_vec(vec![8, 6], (0..48).map(|i| (i % 5 < 3 && i < 30).then_some(f64::from(i) / 8.0)).collect())?;
    // zarrs 0.23.8 writes shards of optional elements, but does not read them.
    let m: ArrayMetadata = serde_json::from_value(m)?;
    let a = Array::new_with_metadata(store.clone(), "/float64", m)?;
    a.store_metadata_opt(
        &zarrs::array::ArrayMetadataOptions::default().with_include_zarrs_metadata(false),
    )?;
    let list = values.iter().map(|v: &Option<f64>| json!(v)).collect();
    a.store_array_subset(&a.subset_all(), values)?;
    all.insert("float64".to_string(), Value::Array(list));

    std::fs::write(format!("{dir}/values.json"), serde_json::to_string(&all)? + "\n")?;
    Ok(())
}
