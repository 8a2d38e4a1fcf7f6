package codec

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Chain is the codec pipeline of one array. It encodes chunks to stored bytes and decodes them. It
// is immutable and safe for concurrent use.
type Chain struct {
	specs   []Spec
	in      Repr
	arrays  []arrayStage
	array   ArrayBytes
	name    string // name of array
	whole   stage  // the chunk
	packed  stage  // the input of array
	bytes   []bytesStage
	size    int64 // length of the stored bytes, or -1
	least   int64
	most    int64
	typical int64 // see TypicalEncoder
	varies  bool  // elements of varying length are stored, so no length is typical
	shards  *Shards
	reads   error // not nil if a codec can only decode; see DecodeOnly
}

// ChainError is the error of [Table.Chain] for a codec that cannot be bound. Its message is that of
// Err, which includes the name of the codec.
type ChainError struct {
	Index int // index of the codec in the order of encoding
	Err   error
}

func (e *ChainError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *ChainError) Unwrap() error { return e.Err }

// stage describes the array between two codecs.
type stage struct {
	shape        []int
	size         int // bytes of an element; 1 for items
	elems, bytes int
	items        bool
}

type arrayStage struct {
	name  string
	codec ArrayArray
	in    stage
}

// bytesStage is a bytes-to-bytes codec and the length of its decoded form: exactly size, or at most
// limit if size is -1.
type bytesStage struct {
	name  string
	codec BytesBytes
	size  int64
	limit int
}

// Chain binds codecs in the order of encoding: any number of array-to-array codecs, one
// array-to-bytes codec, then any number of bytes-to-bytes codecs. The argument in describes the
// array that enters the first codec.
//
// Chain returns fault.Metadata if the codecs are in another order or a configuration is invalid,
// and errors.ErrUnsupported if a codec is unknown. It returns fault.Limit if a chunk does not fit
// in memory, if there are more than 64 codecs, or if bytes-to-bytes codecs could make the array
// more than 64 times as large. An error of one codec is a *[ChainError].
func (t *Table) Chain(specs []Spec, in Repr) (*Chain, error) {
	if len(specs) > maxCodecs {
		return nil, fault.Newf(fault.Limit, "the chain has %d codecs, more than the maximum of %d", len(specs), maxCodecs)
	}
	c := &Chain{specs: slices.Clone(specs), in: in}
	var err error
	var serial int64
	if c.whole, err = stageOf(in); err != nil {
		return nil, err
	}
	c.packed = c.whole
	for i, s := range specs {
		codec, err := t.Bind(s, in)
		if err != nil {
			return nil, &ChainError{i, err}
		}
		codec = placed(codec, c.array != nil)
		if err := unusable(codec); err != nil && c.reads == nil {
			c.reads = named(s.Name, kinded(fault.Metadata, err))
		}
		switch codec := codec.(type) {
		case ArrayArray:
			if c.array != nil {
				return nil, &ChainError{i, named(s.Name, fault.Newf(fault.Metadata, "requires an array as input, but follows the codec %q, which produces bytes", c.name))}
			}
			c.arrays = append(c.arrays, arrayStage{s.Name, codec, c.packed})
			in = leaving(codec, in)
			if c.packed, err = stageOf(in); err != nil {
				return nil, &ChainError{i, named(s.Name, err)}
			}
		case ArrayBytes:
			if c.array != nil {
				return nil, &ChainError{i, named(s.Name, fault.Newf(fault.Metadata, "requires an array as input, but follows the codec %q, which produces bytes", c.name))}
			}
			c.array, c.name = codec, s.Name
			c.size, c.most = codec.EncodedSize(), codec.Worst()
			if _, shards := codec.(*sharding); c.packed.items && in.Most > 0 && !shards {
				// in.Most limits the total size of the elements. The stored form also has 4 bytes
				// for the number of elements, and 4 bytes for each length.
				c.most = min(c.most, addSat(in.Most, 4+mulSat(4, int64(c.packed.elems))))
			}
			c.least = max(c.size, 0)
			if m, ok := codec.(MinEncoder); ok {
				c.least = max(c.least, m.MinEncoded())
			}
			serial, c.varies = c.most, c.size < 0 && c.packed.items
			if s, ok := codec.(*sharding); ok {
				serial, c.varies = s.typical, s.inner.varies
			}
			c.typical = serial
			in = leaving(codec, in)
		case BytesBytes:
			if c.array == nil {
				return nil, &ChainError{i, named(s.Name, fault.Newf(fault.Metadata, "requires bytes as input, but no codec before it produces bytes"))}
			}
			c.bytes = append(c.bytes, bytesStage{s.Name, codec, c.size, int(min(c.most, math.MaxInt))})
			if l, ok := codec.(inputLimit); ok && c.reads == nil && max(c.size, c.least) > l.maxInput() {
				c.reads = named(s.Name, fault.Newf(fault.Limit, "a chunk of shape %v has %d bytes, more than the maximum of %d: choose smaller chunks",
					c.in.Shape, max(c.size, c.least), l.maxInput()))
			}
			c.least = shortest(codec, c.size, c.least)
			if c.size >= 0 {
				c.size = codec.EncodedSize(c.size)
			}
			c.grow(codec)
			if c.typical > addSat(mulSat(serial, maxGrowth), 1<<20) {
				return nil, &ChainError{i, named(s.Name, fault.Newf(fault.Limit, "enlarges the %d bytes of the array to about %d, more than %d times as many", serial, c.typical, maxGrowth))}
			}
			in = leaving(codec, in)
		default:
			return nil, &ChainError{i, named(s.Name, fmt.Errorf("%T is not a codec", codec))}
		}
	}
	if c.array == nil {
		return nil, fault.Newf(fault.Metadata, "no codec converts the array to bytes")
	}
	c.shards, err = t.shardsOf(c)
	return c, err
}

// maxCodecs is the maximum number of codecs in a chain. Each codec may copy the chunk. Real chains
// have a handful of codecs.
const maxCodecs = 64

// maxGrowth is the maximum factor by which bytes-to-bytes codecs may enlarge the serialised array.
// Codecs that write each byte of a float64 as text take a factor of 32. Metadata with a larger
// factor, such as nested casts, is an attempt to exhaust memory.
const maxGrowth = 64

// grow updates the lengths of the chain for one more codec. If several codecs in a row are
// TypicalEncoders, grow allows the worst case for only one of them, because otherwise each of them
// would double the maximum length.
func (c *Chain) grow(codec BytesBytes) {
	p, ok := codec.(TypicalEncoder)
	if !ok {
		c.most, c.typical = codec.Worst(c.most), codec.Worst(c.typical)
		return
	}
	c.most, c.typical = max(codec.Worst(c.typical), p.Typical(c.most)), p.Typical(c.typical)
}

// shortest returns the minimum length of a codec's output for an input of size bytes. If size is
// -1, the length of the input is unknown, but is at least floor. shortest returns 0 if the codec
// does not determine the minimum.
func shortest(codec BytesBytes, size, floor int64) int64 {
	if size < 0 {
		size = floor // an output length that depends only on the input length grows with it
	}
	if n := codec.EncodedSize(size); n >= 0 {
		return n
	}
	if c, ok := codec.(interface{ least(n int64) int64 }); ok {
		return c.least(floor)
	}
	return 0
}

// placed returns the form of an [Either] for its position, which is after the array-to-bytes codec
// if after is true. It returns other codecs unchanged.
func placed(codec any, after bool) any {
	e, ok := codec.(Either)
	switch {
	case ok && e.Bytes != nil && (after || e.Array == nil && e.Serial == nil):
		return e.Bytes
	case ok && e.Serial != nil:
		return e.Serial
	case ok && e.Array != nil:
		return e.Array
	}
	return codec
}

// leaving returns the Repr of a codec's output on encoding. For a bytes-to-bytes codec, it is the
// Repr that later codecs assume when they view the bytes as elements.
func leaving(codec any, in Repr) Repr {
	switch c := codec.(type) {
	case ArrayArray:
		return c.Out()
	case ArrayBytes:
		in.Order = orderOf(c)
	case interface{ leaves(in Repr) Repr }:
		return c.leaves(in)
	}
	return in
}

// orderOf returns the byte order of the elements that a codec serialises, or dtype.NoOrder.
func orderOf(codec ArrayBytes) dtype.Order {
	if b, ok := codec.(*rawBytes); ok {
		return b.order
	}
	return dtype.NoOrder
}

func stageOf(r Repr) (stage, error) {
	if r.Type == nil {
		return stage{}, fault.Newf(fault.Metadata, "array has no data type")
	}
	elems, err := r.Elems()
	if err != nil {
		return stage{}, err
	}
	bytes, err := r.Bytes()
	return stage{r.Shape, max(r.Type.Size(), 1), elems, bytes, r.Type.Size() == 0}, err
}

// Specs returns the codecs in the order of encoding, as they were passed to [Table.Chain]. The
// caller must not modify the slice.
func (c *Chain) Specs() []Spec { return c.specs }

// In returns the Repr of the chunk.
func (c *Chain) In() Repr { return c.in }

// EncodedSize returns the length of a chunk's stored bytes if all chunks have the same length, or
// -1 if lengths vary.
func (c *Chain) EncodedSize() int64 { return c.size }

// Typical returns a length in bytes that stored chunks rarely exceed: the size of the array, plus a
// small allowance for each codec that compresses. Use it to reserve memory and to choose the size
// of the first request, before the chunk's length is known. [Chain.Worst] is the limit for longer
// chunks. Typical returns -1 if elements vary in length, because then no size is typical.
func (c *Chain) Typical() int64 {
	if c.varies {
		return -1
	}
	return c.typical
}

// Worst returns the maximum length of a chunk's stored bytes, whichever program wrote the chunk.
// Longer chunks are corrupt. Worst returns math.MaxInt64 if the length is unlimited.
func (c *Chain) Worst() int64 { return c.most }

// MinEncoded returns a lower bound of the length of a chunk's stored bytes, or 0 if no bound is
// known. With this bound a caller can reject a tiny object before it allocates the large chunk that
// the metadata declares.
func (c *Chain) MinEncoded() int64 { return c.least }

// InPlace reports whether decoding needs no array buffer besides its destination. It returns true
// if no codec transforms arrays and the serialised bytes can be converted in place.
func (c *Chain) InPlace() bool {
	_, ok := c.array.(InPlace)
	return ok && len(c.arrays) == 0
}

// into returns the array that array-to-array codec i outputs on encoding.
func (c *Chain) into(i int) stage {
	if i+1 < len(c.arrays) {
		return c.arrays[i+1].in
	}
	return c.packed
}

// named prefixes an error with a codec's name.
func named(name string, err error) error { return fmt.Errorf("codec %.80s: %w", name, err) }

// kinded adds a kind to an error without one, such as an error of a decompressor that a user's
// codec calls.
func kinded(kind fault.Kind, err error) error {
	if has := fault.Kind(""); errors.As(err, &has) || errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return fault.Newf(kind, "%w", err)
}

// room returns the number of bytes of a buffer for the array.
func (s stage) room() int64 {
	if s.items {
		return mulSat(24, int64(s.elems))
	}
	return int64(s.bytes)
}

// block returns b with only the field that holds the elements.
func (s stage) block(b Block) Block {
	if s.items {
		return Block{Items: b.Items}
	}
	return Block{Bytes: b.Bytes}
}

// fits checks the length of a Block that the caller supplied.
func (s stage) fits(b Block) error {
	if s.items && len(b.Items) != s.elems {
		return fault.Newf(fault.Selection, "the buffer must have %d elements, has %d", s.elems, len(b.Items))
	}
	if !s.items && len(b.Bytes) != s.bytes {
		return fault.Newf(fault.Selection, "the buffer must have %d bytes, has %d", s.bytes, len(b.Bytes))
	}
	return nil
}
