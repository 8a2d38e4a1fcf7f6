// Package peers compares zargo with other implementations of Zarr, both ways and in every element:
// zarr-python 3.1 by obstore and by fsspec, TensorStore, and xarray, in a directory, on S3, GCS and
// Azure, and through a web server; zarr-python 3.4 on Python 3.13, with xarray on it, in a
// directory and on S3; zarr-python 2 and zarrs in a directory.
//
// Of zarrs the package for Python is asked, which is its metadata, its codecs and its shards, but
// no array: the keys of chunks are worked out in python/rust.py. It makes arrays from metadata that
// is written there too.
//
// A [Row] says what one array is; [Matrix] is all of them, [Sample] a part. [Dataset] is what
// xarray writes and reads. Values follow from formulas that Go and Python compute independently of
// each other and of any file; see [Row.Full].
//
//	rows := peers.Matrix()           // the same every time
//	want := rows[0].Expected()       // memory form
//
// What a peer cannot do, and what zargo does not read yet, is listed in refusals_test.go, for data
// types in types_test.go, for codecs in codecs_test.go, tried every time, and told in
// docs/evidence/interoperability.md.
//
// The tests need a Python with requirements.txt installed, named by ZARGO_PEERS_PYTHON, one with
// requirements-zarr2.txt, named by ZARGO_PEERS_ZARR2, one of 3.13 with requirements-py313.txt,
// named by ZARGO_PEERS_PYTHON313, and buckets named by ZARR_TEST_S3_URL, ZARR_TEST_GCS_URL and
// ZARR_TEST_AZURE_URL with credentials in AWS_* and AZURE_STORAGE_*. Without them they are skipped,
// loudly, or fail when CI=true. Each library has a Python of its own, python/serve.py, that is
// started when it is first asked and stays up. The web server is the one of ZARR_TEST_HTTP_URL,
// which serves the folder ZARR_TEST_HTTP_DIR, else one that the test starts.
//
// Everything here may be used concurrently.
package peers
