// Package zarrtest has what tests of zarr and of the packages around it begin with: arrays and
// hierarchies that are made or opened in a line, and what they ask of a store.
package zarrtest
