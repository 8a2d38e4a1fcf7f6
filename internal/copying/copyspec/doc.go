// Package copyspec describes copies of arrays in another format, grid or encoding: the Spec of the
// copy, the lengths of its chunks, and the attributes that follow a selection of its elements.
// Package transfer stores such copies, and package view computes them on request.
//
// [Derive] writes to a store. Everything else is pure. All functions are safe for concurrent use.
package copyspec
