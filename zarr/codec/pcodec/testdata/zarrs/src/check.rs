//! Compares arrays that zargo wrote.
use std::sync::Arc;

use zarrs::array::{Array, ArrayBytes};
use zarrs::filesystem::FilesystemStore;

use crate::Failure;

/// Reads each array of a directory and compares its elements with the file "values" next to it.
pub fn check(dir: &str) -> Result<(), Failure> {
    let store = Arc::new(FilesystemStore::new(dir)?);
    let (mut arrays, mut chunks, mut bytes, mut failed) = (0, 0, 0, 0);
    let mut names: Vec<String> = std::fs::read_dir(dir)?
        .map(|e| Ok(e?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_, std::io::Error>>()?;
    names.retain(|name| std::path::Path::new(&format!("{dir}/{name}/values")).exists());
    names.sort();
    for name in names {
        let want = std::fs::read(format!("{dir}/{name}/values"))?;
        let read = || -> Result<(u64, Vec<u8>), Failure> {
            let a = Array::open(store.clone(), &format!("/{name}"))?;
            let got: ArrayBytes = a.retrieve_array_subset(&a.subset_all())?;
            Ok((
                a.chunk_grid_shape().iter().product(),
                got.into_fixed()?.into_owned(),
            ))
        };
        match read() {
            Ok((n, got)) if got == want => {
                chunks += n;
                bytes += got.len();
            }
            Ok(_) => {
                failed += 1;
                println!("{name}: other elements");
            }
            Err(e) => {
                failed += 1;
                println!("{name}: {e}");
            }
        }
        arrays += 1;
    }
    println!(
        "{arrays} arrays, {failed} failed; {chunks} chunks and {bytes} bytes of elements are equal"
    );
    if failed > 0 {
        return Err("zarrs reads other elements than zargo wrote".into());
    }
    Ok(())
}
