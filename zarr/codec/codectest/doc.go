// Package codectest checks that a codec keeps the contract of package codec. It works for codecs of
// this module and for custom codecs:
//
//	func TestCodec(t *testing.T) {
//		table := codec.Builtin().With("mine", newMine)
//		in := codec.Repr{Shape: []int{16, 9}, Type: dtype.Float32}
//		codectest.Run(t, table, codec.Spec{Name: "mine"}, in)
//	}
//
// A bytes-to-bytes codec is tested after "bytes", an array-to-array codec before it, and a
// codec.Either in each of its positions. [RunLossy] is for codecs that change values.
//
// The checks cover round trips of several contents and lengths, EncodedSize and the other size
// methods, appending, decoding in place without modifying other bytes, limits on output, and
// concurrent use. Stored bytes that are truncated, extended or have a bit flipped must decode to
// values or return an error with a kind, but never panic. Violations that codecs of this module
// tolerate ([codec.Table.WithFindings]) are errors in this suite.
package codectest
