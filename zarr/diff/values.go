package diff

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"iter"
	"math"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

const (
	// defaultFirst is how many elements are reported of an array: enough to see a pattern, not a screenful.
	defaultFirst = 10
	// defaultMemory is that of what is compared at one time. 256 MiB: the default budget for what is decoded.
	defaultMemory = 256 << 20
	// mostBlocks is how many blocks are compared at once; each is many requests by itself.
	mostBlocks = 16
	// smallBlock is up to which size blocks are made longer than chunks. 4 MiB: what a block costs beside its bytes is nothing then.
	smallBlock = 4 << 20
	// itemSize is the memory that an element of varying length is taken to need: its slice, and a short text.
	itemSize = 64
)

// comparison is that of two arrays of one shape and data type.
type comparison struct {
	a, b  *zarr.Array
	shape []int
	block []int // elements of a block along each axis
	first int
}

// found is what the comparison of one block found.
type found struct {
	of, different int64
	first         []Element
}

// unlike says why the values of two arrays cannot be compared; "" if they can.
func unlike(a, b *zarr.Array) string {
	switch {
	case !slices.Equal(a.Shape(), b.Shape()):
		return "the shapes differ"
	case !dtype.Equal(a.DType(), b.DType()):
		return "the data types differ"
	}
	return ""
}

func values(ctx context.Context, a, b *zarr.Array, o Options, progress func(of int64)) (*Values, error) {
	if not := unlike(a, b); not != "" {
		return &Values{Not: not}, nil
	}
	c := &comparison{a: a, b: b, shape: a.Shape(), first: o.First}
	if c.first == 0 {
		c.first = defaultFirst
	}
	var err error
	if c.a, err = listOf(ctx, a); err != nil {
		return nil, err
	}
	if c.b, err = listOf(ctx, b); err != nil {
		return nil, err
	}
	memory := o.Memory
	if memory == 0 {
		memory = defaultMemory
	}
	size := c.plan(min(memory, math.MaxInt))
	ahead := concurrency.InAdvance[[]int]{Most: int(min(mostBlocks, memory/max(2*size, 1)-1))}
	ahead.Most = max(ahead.Most, 0)
	v := &Values{}
	for f, err := range concurrency.Results(ctx, ahead, c.blocks(), c.compare) {
		if err != nil {
			return nil, err
		}
		v.Of += f.of
		progress(v.Of)
		v.Different += f.different
		v.First = append(v.First, f.first[:min(len(f.first), max(c.first-len(v.First), 0))]...)
	}
	return v, nil
}

// plan chooses the shape of a block, whole chunks of a where half of memory has room for one, and returns the bytes of a block.
func (c *comparison) plan(memory int64) int64 {
	each := int64(c.a.DType().Size())
	if each == 0 {
		each = itemSize
	}
	chunk := lengths(c.a, c.a.Chunks())
	c.block = slices.Clone(chunk)
	size := func() int64 {
		n := each
		for i := range c.block {
			k := int64(max(min(c.block[i], c.shape[i]), 1))
			if n > math.MaxInt64/k {
				return math.MaxInt64
			}
			n *= k
		}
		return n
	}
	// Longer where that reads each object of the two once, and where chunks are so small that a block of them is.
	most := memory / 8
	for _, other := range [][]int{lengths(c.a, c.a.Shards()), lengths(c.b, c.b.Chunks()), lengths(c.b, c.b.Shards())} {
		for i := len(chunk) - 1; i >= 0; i-- {
			was := c.block[i]
			if other[i] > was && other[i] <= math.MaxInt-chunk[i] {
				c.block[i] = (other[i]-1)/chunk[i]*chunk[i] + chunk[i]
			}
			if size() > most {
				c.block[i] = was
			}
		}
	}
	for i := len(chunk) - 1; i >= 0; i-- {
		for c.block[i] < c.shape[i] && size() <= min(smallBlock, most)/2 {
			c.block[i] *= 2
		}
	}
	for size() > memory/2 { // a chunk alone is too much: each is read more than once
		i := 0
		for i < len(c.block)-1 && min(c.block[i], c.shape[i]) <= 1 {
			i++
		}
		if len(c.block) == 0 || min(c.block[i], c.shape[i]) <= 1 {
			break
		}
		c.block[i] = (min(c.block[i], c.shape[i]) + 1) / 2
	}
	return size()
}

// lengths are those of chunks, cut at the shape of the array; where chunks differ in shape, those of the first object.
func lengths(a *zarr.Array, chunks []int) []int {
	shape := a.Shape()
	n := make([]int, len(shape))
	for i := range n {
		n[i] = max(shape[i], 1)
		switch {
		case chunks != nil:
			n[i] = max(min(n[i], chunks[i]), 1)
		case shape[i] > 0:
			_, edge := a.Edge(i, 0)
			n[i] = max(min(n[i], edge), 1)
		}
	}
	return n
}

// blocks yields where blocks begin, in C order.
func (c *comparison) blocks() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		if slices.Contains(c.shape, 0) {
			return
		}
		at := make([]int, len(c.shape))
		for {
			if !yield(slices.Clone(at)) {
				return
			}
			i := len(at) - 1
			for ; i >= 0; i-- {
				if c.block[i] < c.shape[i]-at[i] {
					at[i] += c.block[i]
					break
				}
				at[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// compare compares the block that begins at a position.
func (c *comparison) compare(ctx context.Context, at []int) (found, error) {
	sel, shape, n := make([]zarr.Selection, len(at)), make([]int, len(at)), 1
	for i := range at {
		shape[i] = min(c.block[i], c.shape[i]-at[i])
		sel[i] = zarr.Range(at[i], at[i]+shape[i])
		n *= shape[i]
	}
	f := found{of: int64(n)}
	differ := func(i int, x, y []byte) {
		f.different++
		if len(f.first) < c.first {
			f.first = append(f.first, Element{position(i, at, shape), elementText(c.a.DType(), x), elementText(c.a.DType(), y)})
		}
	}
	size := c.a.DType().Size()
	if size == 0 {
		x, err := c.a.ReadItems(ctx, sel...)
		if err != nil {
			return found{}, err
		}
		y, err := c.b.ReadItems(ctx, sel...)
		for i := range y {
			if !bytes.Equal(x[i], y[i]) {
				differ(i, x[i], y[i])
			}
		}
		return f, err
	}
	both := [2][]byte{make([]byte, n*size), make([]byte, n*size)}
	err := concurrency.EachN(ctx, 2, 2, func(ctx context.Context, i int) error {
		return [2]*zarr.Array{c.a, c.b}[i].ReadBytes(ctx, both[i], sel...)
	})
	if err != nil || bytes.Equal(both[0], both[1]) {
		return f, err
	}
	for i := range n {
		if x, y := both[0][i*size:][:size], both[1][i*size:][:size]; !bytes.Equal(x, y) {
			differ(i, x, y)
		}
	}
	return f, nil
}

// position is where the i-th element of a block is in the array.
func position(i int, at, shape []int) []int {
	p := slices.Clone(at)
	for k := len(p) - 1; k >= 0; k-- {
		p[k] += i % shape[k]
		i /= shape[k]
	}
	return p
}

// elementText spells an element as v3 metadata does, and as hexadecimal digits where that has no spelling.
func elementText(t dtype.Type, b []byte) json.RawMessage {
	if raw, err := t.FormatFill(b, 3); err == nil {
		return raw
	}
	return text("0x" + hex.EncodeToString(b))
}
