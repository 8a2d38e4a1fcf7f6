// Package codectest checks that a codec keeps the contract of package codec. It is for every codec,
// in this module or not:
//
//	func TestCodec(t *testing.T) {
//		table := codec.Builtin().With("mine", newMine)
//		in := codec.Repr{Shape: []int{16, 9}, Type: dtype.Float32}
//		codectest.Run(t, table, codec.Spec{Name: "mine"}, in)
//	}
//
// A codec from bytes to bytes is put after "bytes", one from array to array before it, a
// codec.Either into both places. [RunLossy] is for codecs that change values. Checked are round
// trips of several contents and lengths, promised sizes, appending, decoding in place, bytes beside
// the place, limits on output, stored bytes that are cut, longer or have a bit flipped (an error
// with a kind, or values, but never a panic), and use from several goroutines at once. What the
// codecs of this module tolerate ([codec.Table.WithFindings]) is refused here.
package codectest
