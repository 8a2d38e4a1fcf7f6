// Package served compares reads and writes of other implementations through a server of package serve
// with those of the same stores without a server: zarr-python's own tests of stores, the stores of
// integration/fixtures in zarr-python, TensorStore and zarrita, and datasets of xarray by the paths and
// the client of Xpublish. It also tests the wheel of python/ in processes that fork and servers that die.
//
// The tests need the peers that ZARGO_PEERS_PYTHON, ZARGO_PEERS_PYTHON313 and ZARGO_PEERS_ZARRITA name, as
// those of integration/peers, and the S3 server of ZARR_TEST_S3_URL. Without them they are skipped, or fail if CI=true.
package served
