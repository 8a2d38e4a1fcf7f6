// Package render formats the output of the command: elements of arrays as text, JSON, CSV, npy and
// raw bytes, progress, the table of a bucket check, and phrases with numbers.
//
//	t, read := render.ReaderOf(a)
//	out, err := render.NewSink("json", w, t, shape) // Begin, Write for each band, End
//
// The package makes no requests itself, except through the functions and arrays that the caller
// passes. It returns their errors and those of the writer. A Sink or a CheckTable must not be used
// concurrently.
package render
