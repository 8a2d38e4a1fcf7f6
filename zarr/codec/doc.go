// Package codec turns chunks into bytes and back: the codecs, their chain, and the table of names.
//
//	tab := codec.Builtin()
//	chain, err := tab.Chain([]codec.Spec{codec.Bytes(dtype.Little), codec.Zstd(3)}, codec.Repr{Shape: []int{64, 64}, Type: dtype.Float32})
//	stored, err := chain.Encode(nil, codec.Block{Bytes: chunk}, scratch)
//	err = chain.Decode(codec.Block{Bytes: chunk}, stored, scratch)
//
// A [Spec] is what metadata says: a name and a configuration. A [Table] makes codecs of it, bound
// to the [Repr] of the array that enters them, so that every size is known before a byte is read.
//
// The functions that return a Spec have one form. Settings that have no default are parameters, in
// the order number, type of the elements, type of what is stored: Gzip(5), Delta(dtype.Int32,
// dtype.Int8). A codec with settings that have one takes all of its settings as one struct of
// options named after it, whose zero fields are the defaults: Blosc, CastValue, Sharding. Settings
// that are seldom needed have neither and are written as the configuration that metadata has:
//
//	codec.Spec{Name: "zstd", Config: json.RawMessage(`{"level":3,"checksum":true}`)}
//
// Stored bytes are hostile: no codec allocates by a length it read before comparing it with what
// the Repr allows, none panics, and output is bounded.
//
// Errors: fault.Metadata for a bad configuration, errors.ErrUnsupported for an unknown codec,
// fault.Corrupt for bytes that do not decode to exactly what the Repr promises.
//
// The package is pure: it does no I/O. Tables, chains and codecs are immutable and may be used from
// any number of goroutines; a [Scratch] belongs to one goroutine at a time.
package codec
