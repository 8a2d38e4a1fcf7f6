// Package zst encodes and decodes zstd frames (RFC 8878), with a limit on the decoded size. It is
// used by all codecs whose format contains such frames.
//
//	out, err := zst.Decode(dst[:0], src, len(dst))
//	enc := zst.NewEncoder(zst.Options{Effort: zst.EffortOf(3), Window: 1 << 20})
//	out, err = enc.Encode(nil, src)
//
// Decoders and encoders are pooled. Each of them serves one call at a time, so their number does
// not exceed the maximum number of concurrent calls. The garbage collector frees idle decoders and
// encoders. All functions are safe for concurrent use. Errors of Decode are fault.Corrupt.
package zst
