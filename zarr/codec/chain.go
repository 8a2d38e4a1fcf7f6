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
}

// ChainError reports the codec of a chain that cannot be bound. Its message is that of Err, which
// names the codec.
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
// array-to-bytes codec, any number of bytes-to-bytes codecs. in is the array that enters the first.
//
// Errors are fault.Metadata for another order or a bad configuration, and errors.ErrUnsupported for
// an unknown codec. They are fault.Limit for a chunk that does not fit in memory, for more than 64
// codecs, and for codecs that enlarge the bytes far beyond their input. An error of one codec is a
// *[ChainError].
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
			if _, shards := codec.(*sharding); c.packed.items && in.Most > 0 && !shards {
				// The elements and their lengths.
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

// maxCodecs is the maximum number of codecs in a chain. Each may copy the chunk; chains in use have
// a handful.
const maxCodecs = 64

// maxGrowth is the maximum factor by which bytes-to-bytes codecs may enlarge the serialised array.
// Bytes as text of float64 values take a factor of 32. Metadata with a larger factor, such as
// nested casts, is an attempt to exhaust memory.
const maxGrowth = 64

// grow updates the lengths for a further codec. If several codecs in a row are TypicalEncoders, the
// worst case is allowed for one of them only. Otherwise each of them would double the maximum
// intermediate length.
func (c *Chain) grow(codec BytesBytes) {
	p, ok := codec.(TypicalEncoder)
	if !ok {
		c.most, c.typical = codec.Worst(c.most), codec.Worst(c.typical)
		return
	}
	c.most, c.typical = max(codec.Worst(c.typical), p.Typical(c.most)), p.Typical(c.typical)
}

// shortest returns the minimum length of a codec's output for size bytes or, if size is -1, for any
// number of bytes from least on. It returns 0 if that is unknown.
func shortest(codec BytesBytes, size, least int64) int64 {
	if size < 0 {
		size = least // if the output length depends on the input length alone, it grows with it
	}
	if n := codec.EncodedSize(size); n >= 0 {
		return n
	}
	if c, ok := codec.(interface{ least(n int64) int64 }); ok {
		return c.least(least)
	}
	return 0
}

// placed returns the form of a codec for its position, before or after the array-to-bytes codec.
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

// leaving returns the Repr of a codec's output on encoding. After a bytes-to-bytes codec it is the
// array that the next codecs view the bytes as.
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

// orderOf returns the byte order in which a codec serialises elements, or NoOrder.
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

// Specs returns the codecs in the order of encoding, as they were passed to [Table.Chain]. The
// caller must not modify the slice.
func (c *Chain) Specs() []Spec { return c.specs }

// In returns the Repr of the chunk.
func (c *Chain) In() Repr { return c.in }

// EncodedSize returns the length of every chunk's stored bytes, or -1 if it varies.
func (c *Chain) EncodedSize() int64 { return c.size }

// Typical returns a length in bytes that stored chunks rarely exceed: that of the array, plus a
// little for each codec that compresses. Use it to reserve memory and to choose the size of a first
// request, before the chunk's length is known. [Chain.Worst] is the limit for longer chunks. It
// returns -1 if elements vary in length, because then no size is typical.
func (c *Chain) Typical() int64 {
	if c.varies {
		return -1
	}
	return c.typical
}

// Worst returns the maximum length of a chunk's stored bytes, for any writer that follows the
// formats. Longer ones are corrupt. It returns math.MaxInt64 if there is no limit.
func (c *Chain) Worst() int64 { return c.most }

// MinEncoded returns a lower bound of the length of a chunk's stored bytes, 0 if unknown. With it a
// caller can reject an object of a few bytes before allocating the large chunk that metadata
// declares.
func (c *Chain) MinEncoded() int64 { return c.least }

// InPlace reports whether decoding needs no buffer for an array beside its destination: no codec
// transforms arrays, and the serialised bytes are converted in place.
func (c *Chain) InPlace() bool {
	_, ok := c.array.(InPlace)
	return ok && len(c.arrays) == 0
}

// into returns the output of array-to-array codec i.
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

// room returns the memory of the array in bytes.
func (s stage) room() int64 {
	if s.items {
		return mulSat(24, int64(s.elems))
	}
	return int64(s.bytes)
}

// block returns the field of b that holds the elements.
func (s stage) block(b Block) Block {
	if s.items {
		return Block{Items: b.Items}
	}
	return Block{Bytes: b.Bytes}
}

// fits checks the length of a Block from the caller.
func (s stage) fits(b Block) error {
	if s.items && len(b.Items) != s.elems {
		return fault.Newf(fault.Selection, "room for %d elements, the chunk has %d", len(b.Items), s.elems)
	}
	if !s.items && len(b.Bytes) != s.bytes {
		return fault.Newf(fault.Selection, "the buffer must have %d bytes, has %d", s.bytes, len(b.Bytes))
	}
	return nil
}
