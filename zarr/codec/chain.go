package codec

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Chain is the pipeline of one array, from a chunk to the bytes that are stored and back. It is
// immutable and safe for concurrent use.
type Chain struct {
	specs   []Spec
	in      Repr
	arrays  []arrayStage
	array   ArrayBytes
	name    string // of array
	whole   stage  // the chunk
	packed  stage  // what enters array
	bytes   []bytesStage
	size    int64 // of the stored bytes, or -1
	least   int64
	most    int64
	typical int64 // see TypicalEncoder
	varies  bool  // elements of varying length are stored, so that no length is typical
	shards  *Shards
}

// ChainError says which codec of a chain cannot be bound. It reads as its cause, which names the
// codec.
type ChainError struct {
	Index int // in the order of encoding
	Err   error
}

func (e *ChainError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *ChainError) Unwrap() error { return e.Err }

// stage is an array between two codecs.
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

// bytesStage is a codec from bytes to bytes with the length of what it decodes to: exactly size,
// or, where that is -1, at most limit.
type bytesStage struct {
	name  string
	codec BytesBytes
	size  int64
	limit int
}

// Chain binds codecs to the array that enters the first of them: any number from array to array,
// one from array to bytes, any number from bytes to bytes, in the order of encoding. fault.Metadata
// for another order or a bad configuration, errors.ErrUnsupported for an unknown codec, fault.Limit
// for a chunk that memory cannot hold, for more than 64 codecs, and for codecs that make far more
// bytes of bytes than entered them. What is wrong with one codec is a *[ChainError].
func (t *Table) Chain(specs []Spec, in Repr) (*Chain, error) {
	if len(specs) > maxCodecs {
		return nil, fault.Newf(fault.Limit, "%d codecs after each other, more than %d", len(specs), maxCodecs)
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
		switch codec := placed(codec, c.array != nil).(type) {
		case ArrayArray:
			if c.array != nil {
				return nil, &ChainError{i, named(s.Name, fault.Newf(fault.Metadata, "takes an array and stands after %s, which makes bytes", c.name))}
			}
			c.arrays = append(c.arrays, arrayStage{s.Name, codec, c.packed})
			in = leaving(codec, in)
			if c.packed, err = stageOf(in); err != nil {
				return nil, &ChainError{i, named(s.Name, err)}
			}
		case ArrayBytes:
			if c.array != nil {
				return nil, &ChainError{i, named(s.Name, fault.Newf(fault.Metadata, "takes an array and stands after %s, which makes bytes", c.name))}
			}
			c.array, c.name = codec, s.Name
			c.size, c.most = codec.EncodedSize(), codec.Worst()
			if _, shards := codec.(*sharding); c.packed.items && in.Most > 0 && !shards { // and their lengths
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
				return nil, &ChainError{i, named(s.Name, fault.Newf(fault.Metadata, "takes bytes and stands before any codec that makes them"))}
			}
			c.bytes = append(c.bytes, bytesStage{s.Name, codec, c.size, int(min(c.most, math.MaxInt))})
			c.least = shortest(codec, c.size, c.least)
			if c.size >= 0 {
				c.size = codec.EncodedSize(c.size)
			}
			c.grow(codec)
			if c.typical > addSat(mulSat(serial, maxGrowth), 1<<20) {
				return nil, &ChainError{i, named(s.Name, fault.Newf(fault.Limit, "makes %d bytes or so, of %d that codecs before it began with", c.typical, serial))}
			}
			in = leaving(codec, in)
		default:
			return nil, &ChainError{i, named(s.Name, fmt.Errorf("%T is no codec", codec))}
		}
	}
	if c.array == nil {
		return nil, fault.Newf(fault.Metadata, "no codec makes bytes of the array")
	}
	c.shards, err = t.shardsOf(c)
	return c, err
}

// maxCodecs is how many codecs may stand after each other, each of which may copy the chunk. A
// handful are in use.
const maxCodecs = 64

// maxGrowth is how many times as many bytes codecs may make of those that the array became: bytes
// as float64 as text are 32 times as many. Metadata that asks for more, as casts of casts do, wants
// memory and not an array.
const maxGrowth = 64

// grow puts a codec after those that there are, as far as lengths go. Of several that are generous
// in a row one alone is allowed for: else every codec would double what a chunk may become on the
// way.
func (c *Chain) grow(codec BytesBytes) {
	p, ok := codec.(TypicalEncoder)
	if !ok {
		c.most, c.typical = codec.Worst(c.most), codec.Worst(c.typical)
		return
	}
	c.most, c.typical = max(codec.Worst(c.typical), p.Typical(c.most)), p.Typical(c.typical)
}

// shortest is the least length of what a codec makes of size bytes, or, where size is -1, of any
// number from least on; 0 when that is not known.
func shortest(codec BytesBytes, size, least int64) int64 {
	if size < 0 {
		size = least // more bytes become no fewer, where their number alone says how many
	}
	if n := codec.EncodedSize(size); n >= 0 {
		return n
	}
	if c, ok := codec.(interface{ least(n int64) int64 }); ok {
		return c.least(least)
	}
	return 0
}

// placed is the form of a codec that stands before or after the one that makes bytes.
func placed(codec any, after bool) any {
	e, ok := codec.(Either)
	switch {
	case ok && e.Bytes != nil && (after || e.Array == nil):
		return e.Bytes
	case ok && e.Array != nil:
		return e.Array
	}
	return codec
}

// leaving is the array that leaves a codec on encoding, or that its bytes are taken for by the
// codecs after it.
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

// orderOf is the byte order in which a codec makes bytes of elements, where it has one.
func orderOf(codec ArrayBytes) dtype.Order {
	if b, ok := codec.(*rawBytes); ok {
		return b.order
	}
	return dtype.NoOrder
}

func stageOf(r Repr) (stage, error) {
	if r.Type == nil {
		return stage{}, fault.Newf(fault.Metadata, "array without data type")
	}
	elems, err := r.Elems()
	if err != nil {
		return stage{}, err
	}
	bytes, err := r.Bytes()
	return stage{r.Shape, max(r.Type.Size(), 1), elems, bytes, r.Type.Size() == 0}, err
}

// Specs are the codecs in the order of encoding, as they were given. The slice is shared: do not
// change it.
func (c *Chain) Specs() []Spec { return c.specs }

// In is the array that enters the first codec on encoding.
func (c *Chain) In() Repr { return c.in }

// EncodedSize is the length of every chunk's stored bytes, or -1 when it varies.
func (c *Chain) EncodedSize() int64 { return c.size }

// Typical is a length in bytes that stored chunks rarely exceed: that of the array, and a little
// for each codec that compresses. It is what to reserve, and to ask a store for, before anything is
// known of a chunk; [Chain.Worst] is what a longer one may have. It is -1 where elements vary in
// length, of which no size is typical.
func (c *Chain) Typical() int64 {
	if c.varies {
		return -1
	}
	return c.typical
}

// Worst bounds the length of stored bytes, generously enough for any writer that follows the
// formats; longer ones are corrupt. It is math.MaxInt64 when there is no bound.
func (c *Chain) Worst() int64 { return c.most }

// MinEncoded is a length that no chunk's stored bytes fall short of, 0 when none is known. It lets
// a caller refuse an object of a few bytes before there is room for the large chunk that metadata
// promises.
func (c *Chain) MinEncoded() int64 { return c.least }

// InPlace reports that decoding needs no room for an array beside the one it fills: nothing
// transforms arrays, and bytes become the array where they lie.
func (c *Chain) InPlace() bool {
	_, ok := c.array.(InPlace)
	return ok && len(c.arrays) == 0
}

// into is the array that leaves the i-th codec from array to array.
func (c *Chain) into(i int) stage {
	if i+1 < len(c.arrays) {
		return c.arrays[i+1].in
	}
	return c.packed
}

// named puts a codec's name before an error.
func named(name string, err error) error { return fmt.Errorf("codec %.80s: %w", name, err) }

// kinded gives an error a kind where it has none, as that of another's decompressor in a codec of a
// user.
func kinded(kind fault.Kind, err error) error {
	if has := fault.Kind(""); errors.As(err, &has) || errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return fault.Newf(kind, "%w", err)
}

// room is the memory that the array takes in bytes.
func (s stage) room() int64 {
	if s.items {
		return mulSat(24, int64(s.elems))
	}
	return int64(s.bytes)
}

// block is the part of a Block that elements of an array lie in.
func (s stage) block(b Block) Block {
	if s.items {
		return Block{Items: b.Items}
	}
	return Block{Bytes: b.Bytes}
}

// fits checks the length of what the caller hands over.
func (s stage) fits(b Block) error {
	if s.items && len(b.Items) != s.elems {
		return fault.Newf(fault.Selection, "room for %d elements, the chunk has %d", len(b.Items), s.elems)
	}
	if !s.items && len(b.Bytes) != s.bytes {
		return fault.Newf(fault.Selection, "room for %d bytes, the chunk has %d", len(b.Bytes), s.bytes)
	}
	return nil
}
