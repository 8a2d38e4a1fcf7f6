// Package codec encodes chunks to stored bytes and decodes them. It contains the codecs, the chains
// that combine them, and the tables that look them up by name.
//
//	tab := codec.Builtin()
//	specs := []codec.Spec{codec.Bytes(dtype.Little), codec.Zstd(3)}
//	chain, err := tab.Chain(specs, codec.Repr{Shape: []int{64, 64}, Type: dtype.Float32})
//	stored, err := chain.Encode(nil, codec.Block{Bytes: chunk}, scratch)
//	err = chain.Decode(codec.Block{Bytes: chunk}, stored, scratch)
//
// A [Spec] is a codec in metadata: a name and a configuration. A [Table] makes codecs from Specs.
// It binds each codec to the [Repr] of the array that enters it, so all sizes are known before any
// byte is read.
//
// The functions that return a Spec follow one pattern. Settings without a default are parameters,
// in the order number, type of the elements, type of the stored values: Gzip(5), Delta(dtype.Int32,
// dtype.Int8). If some settings have defaults, the function takes all settings in one options
// struct named after the codec, whose zero fields are the defaults: Blosc, CastValue, Sharding.
// Rarely used settings are available only through the configuration in metadata:
//
//	codec.Spec{Name: "zstd", Config: json.RawMessage(`{"level":3,"checksum":true}`)}
//
// Stored bytes may be hostile. A codec compares every length that it reads with the limits of the
// Repr before it allocates memory. Its output is bounded, and it never panics.
//
// # Errors
//
// An invalid configuration is fault.Metadata, and an unknown codec is errors.ErrUnsupported. Bytes
// that do not decode to exactly the array of the Repr are fault.Corrupt.
//
// # Concurrency
//
// The package does no I/O. Tables, chains and codecs are immutable and safe for concurrent use. A
// [Scratch] must be used by one goroutine at a time.
package codec
