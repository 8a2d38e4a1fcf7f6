// Package render prints what the command finds: elements of arrays as text, JSON, CSV, npy and raw
// bytes, how far work is, the table of a bucket's check, and words with numbers in them.
//
//	t, read := render.ReaderOf(a)
//	out, err := render.NewSink("json", w, t, shape) // Begin, Write for each band that was read, End
//
// All requests are made by the functions and the array that the caller passes. Errors are those of
// reading and writing. A Sink and a CheckTable belong to one goroutine.
package render
