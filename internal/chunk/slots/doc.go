// Package slots has the request slots of one read or write of an array.
//
//	var s slots.Slots
//	s.Open(st, 128, cpus, nil)
//	err := concurrency.EachIn(ctx, &s, reads, read)
//
// All methods except Open may be called concurrently. Errors are those of [concurrency.Slots].
package slots
