// Package peers holds zargo against other implementations of Zarr: zarr-python 3 and TensorStore write a matrix of arrays
// that zargo reads, and zargo writes it for them to read, in a directory and in S3, every element compared.
//
// A [Row] says what one array is. Its values follow from a formula that Go and Python compute independently of each
// other and of any file; see [Row.Full].
//
//	rows := peers.Matrix()           // the same every time
//	want := rows[0].Expected()       // memory form
//
// The tests need a Python with requirements.txt installed, named by ZARGO_PEERS_PYTHON, and for S3 a bucket named by
// ZARR_TEST_S3_URL with credentials in AWS_*. Without them they are skipped, loudly, or fail when CI=true.
//
// Everything here may be used concurrently.
package peers
