// Package peers compares zargo with other implementations of Zarr, in both directions and in every
// element:
//
//   - zarr-python 3.1 with obstore and fsspec, TensorStore, and xarray, in a directory, on S3, GCS
//     and Azure, and through a web server
//   - zarr-python 3.4 on Python 3.13, with xarray, in a directory and on S3
//   - zarr-python 2 and zarrs in a directory
//   - zarrita through a web server, only to read views
//
// zarrs is tested by its Python package, which has its metadata, codecs and shards but no arrays:
// python/rust.py computes the keys of chunks and the metadata of arrays.
//
// A [Row] describes one array. [Matrix] returns all rows, and [Sample] a part of them. [Dataset]
// returns the data that xarray writes and reads. Go and Python compute the values from the same
// formulas, independently of each other and of any file; see [Row.Full].
//
//	rows := peers.Matrix()           // the same every time
//	want := rows[0].Expected()       // memory form
//
// Features that a peer lacks, and features that zargo does not read yet, are listed in
// refusals_test.go, types_test.go (data types) and codecs_test.go (codecs). Every run tests each of
// these features. They are documented in docs/evidence/interoperability.md.
//
// The tests need these environment variables: ZARGO_PEERS_PYTHON names a Python with
// requirements.txt installed, ZARGO_PEERS_ZARR2 a Python with requirements-zarr2.txt, and
// ZARGO_PEERS_PYTHON313 a Python 3.13 with requirements-py313.txt. ZARGO_PEERS_ZARRITA names a
// folder with zarrita. ZARR_TEST_S3_URL,
// ZARR_TEST_GCS_URL and ZARR_TEST_AZURE_URL name buckets, with credentials in AWS_* and
// AZURE_STORAGE_*. If a variable is not set, the tests that need it are skipped with a message, or
// fail if CI=true. Each library has its own Python process, python/serve.py, which is started by
// the first request and then remains. The web server is the one at ZARR_TEST_HTTP_URL, which serves
// the directory ZARR_TEST_HTTP_DIR, or one that the test starts.
//
// Everything in this package is safe for concurrent use.
package peers
