// Package zarrtest has helpers for tests of zarr and of related packages. They create and open
// arrays and hierarchies, and record requests to a store.
package zarrtest
