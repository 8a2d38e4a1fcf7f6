// Package lz4fast encodes LZ4 blocks quickly. Its output is equal to that of LZ4_compress_fast in
// liblz4 1.10.
//
//	var e lz4fast.Encoder
//	n := e.Encode(dst, src, 1) // dst[:n] is the block, 0 if it does not fit in dst
//
// Package lz4hc describes the format. On amd64 the search for matches is assembly. On other
// architectures, and with the tag purego, the encoder of pierrec/lz4 is used. It has the same
// output.
//
// An [Encoder] must be used by one goroutine at a time. Its zero value is ready to use. The output
// does not depend on earlier inputs. Encode allocates nothing and cannot fail.
package lz4fast
