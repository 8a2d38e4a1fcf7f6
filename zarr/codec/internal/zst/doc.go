// Package zst appends and bounds zstd frames, for every codec that holds some.
//
//	out, err := zst.Decode(dst[:0], src, len(dst))
//	enc := zst.NewEncoder(zst.Options{Level: 3, Window: 1 << 20})
//	out, err = enc.Encode(nil, src)
//
// Decoders and encoders are kept in pools and hold one state each, so there are never more of them
// than calls under way, and idle ones are given back to the garbage collector. All functions may be
// called from any number of goroutines.
//
// Errors of Decode are fault.Corrupt. Format: RFC 8878.
package zst
