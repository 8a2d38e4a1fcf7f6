// Package codec turns chunks into bytes and back: the codecs, their chain, and the table of names.
//
//	tab := codec.Builtin()
//	chain, err := tab.Chain([]codec.Spec{codec.Bytes(dtype.Little), codec.Zstd(3)}, codec.Repr{Shape: []int{64, 64}, Type: dtype.Float32})
//	stored, err := chain.Encode(nil, codec.Block{Bytes: chunk}, scratch)
//	err = chain.Decode(codec.Block{Bytes: chunk}, stored, scratch)
//
// A [Spec] is what metadata says: a name and a configuration. A [Table] makes codecs of it, bound to the [Repr] of the
// array that enters them, so that every size is known before a byte is read. Stored bytes are hostile: no codec
// allocates by a length it read before comparing it with what the Repr allows, none panics, and output is bounded.
//
// Errors: fault.Metadata for a bad configuration, errors.ErrUnsupported for an unknown codec, fault.Corrupt for bytes
// that do not decode to exactly what the Repr promises.
//
// The package is pure: it does no I/O. Tables, chains and codecs are immutable and may be used from any number of
// goroutines; a [Scratch] belongs to one goroutine at a time.
package codec
