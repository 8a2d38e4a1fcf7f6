// Package zarrtest has helpers for tests of zarr and of related packages. The helpers create and
// open arrays and hierarchies, and record the requests to a store.
package zarrtest
