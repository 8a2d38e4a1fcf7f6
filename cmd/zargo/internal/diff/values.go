package diff

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"iter"
	"math"
	"slices"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/copying/alike"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

func values(ctx context.Context, a, b *zarr.Array, o Options, progress func(of int64)) (*Values, error) {
	decode, not, err := decodings(a, b, o.Decode)
	if not == "" && decode == nil {
		not = unlike(a, b)
	}
	if err != nil || not != "" {
		return &Values{Not: not}, err
	}
	of := [2]known{}
	for i, one := range []*zarr.Array{a, b} {
		var err error
		if of[i], err = listOf(ctx, one); err != nil {
			return nil, err
		}
	}
	budget := a.Limits().Shared.Bytes
	g, typ := gridsOf(a, b), a.DType()
	if decode != nil {
		g.each, typ = 8, dtype.Float64
	}
	memory, block := g.divide(o.Memory, min(budget.Size()/2, math.MaxInt))
	c := &comparison{a: of[0].Array, b: of[1].Array, shape: g.shape, block: block, first: o.First, typ: typ, decode: decode, close: o.Tolerance.closeness(typ)}
	if decode != nil && c.close == nil {
		c.close = (&Tolerance{}).closeness(typ) // NaN of any bits are equal
	}
	if c.first == 0 {
		c.first = defaultFirst
	}
	w := walk.Options{Ahead: mostBlocks, Budget: budget, Bytes: memory, Need: walk.Each(2 * g.each)}
	var kept [2]*kept
	for i, one := range []**zarr.Array{&c.a, &c.b} {
		var err error
		if *one, kept[i], err = keep(ctx, *one, &g, c.block, memory/4); err != nil {
			return nil, err
		}
		defer kept[i].release()
		if kept[i] != nil {
			w.Bytes = memory / 2
		}
	}
	if c.hold(of); c.blocks == nil && !o.All {
		if err := dense(ctx, of); err != nil {
			return nil, err
		}
	}
	if o.Plan != nil {
		return &Values{}, c.plan(of, kept, o.Plan)
	}
	v := &Values{}
	if c.close != nil && o.Tolerance != nil {
		v.Largest = new(float64)
	}
	for f, err := range walk.Read(ctx, w, c.boxes(), c.compare) {
		if err != nil {
			return nil, err
		}
		for _, k := range kept {
			k.done(f.at)
		}
		v.Of += f.of
		progress(v.Of)
		v.Different += f.different
		if v.Largest != nil {
			*v.Largest = max(*v.Largest, f.largest)
		}
		v.First = append(v.First, f.first[:min(len(f.first), max(c.first-len(v.First), 0))]...)
	}
	if total := int64(a.Len()); v.Of < total { // the skipped elements are the fill value of both
		v.Of = total
		progress(total)
	}
	return v, nil
}

// unlike returns the reason why the values of two arrays cannot be compared. It returns "" if they
// can.
func unlike(a, b *zarr.Array) string {
	switch {
	case !slices.Equal(a.Shape(), b.Shape()):
		return "the shapes differ"
	case !alike.Type(a.DType(), b.DType()):
		return "the data types differ"
	}
	return ""
}

// comparison is the comparison of two arrays of the same shape and data type.
type comparison struct {
	a, b   *zarr.Array
	shape  []int
	typ    dtype.Type   // of the compared elements
	decode []*cf.Coding // of a and b, or nil to compare stored elements
	block  []int        // shape of a block
	blocks *keys.Set    // positions of blocks that overlap stored objects; nil means all blocks
	first  int
	close  func(x, y []byte) (equal bool, by float64) // nil to compare bit by bit

	buffers walk.Buffers[byte]
}

const (
	// defaultFirst is the default of Options.First. 10 elements can show a pattern and fit on a
	// screen.
	defaultFirst = 10
	// defaultMemory is enough for two pairs of chunks of 8 MB.
	defaultMemory = 32 << 20
	// mostBlocks is the maximum number of blocks compared concurrently. Each block sends many
	// requests.
	mostBlocks = 16
	// smallBlock is the size up to which blocks are extended. For blocks of 4 MiB the overhead is
	// negligible.
	smallBlock = 4 << 20
	// itemSize is the assumed memory of an element of variable length: a slice header and a short
	// text.
	itemSize = 64
	// checkEvery is the number of elements that are compared between two checks of the context. It
	// takes a millisecond.
	checkEvery = 1 << 16
)

const (
	// maxHeld is the maximum number of blocks that hold counts. One object may be declared to have
	// more blocks than can be counted. 2^20 blocks take a fraction of a second.
	maxHeld = 1 << 20
	// maxHolding is the maximum memory of comparison.blocks. In 32 MiB fit 50,000 blocks that are
	// far apart.
	maxHolding = 32 << 20
)

// hold sets c.blocks to the blocks that overlap stored objects. If the fill values are equal, the
// other blocks need no comparison. c.blocks remains nil if the fill values differ, if one of the
// arrays is not listed, or if there are too many blocks.
func (c *comparison) hold(of [2]known) {
	grid := make([]int, len(c.shape))
	for i, n := range c.shape {
		if n > 0 {
			grid[i] = (n-1)/c.block[i] + 1
		}
	}
	if c.decode != nil || !bytes.Equal(c.a.Fill(), c.b.Fill()) || !keys.Keeps(grid) {
		return
	}
	set, n := keys.NewSet(grid), 0
	for _, one := range of {
		all, ok := one.present()
		if !ok {
			return
		}
		for coord := range all {
			for at := range blocksOf(one.Array, c.block, coord).Positions() {
				if n++; n > maxHeld || set.Bytes() > maxHolding {
					return
				}
				if !set.Has(at) {
					set.Add(at)
				}
			}
		}
	}
	c.blocks = set
}

// boxes yields the blocks to compare, in C order.
func (c *comparison) boxes() iter.Seq[walk.Box] {
	if c.blocks == nil {
		return walk.Lattice(c.shape, walk.Steps(c.shape, c.block))
	}
	return func(yield func(walk.Box) bool) {
		for at := range c.blocks.All() {
			b := walk.Box{At: make([]int, len(at)), Shape: make([]int, len(at))}
			for i, n := range at {
				b.At[i] = n * c.block[i]
				b.Shape[i] = min(c.block[i], c.shape[i]-b.At[i])
			}
			if !yield(b) {
				return
			}
		}
	}
}

// selections selects a block.
func selections(b walk.Box) []zarr.Selection {
	return zarr.Region{Start: b.At, Shape: b.Shape}.Select()
}

// compare compares a block.
func (c *comparison) compare(ctx context.Context, b walk.Box) (found, error) {
	at, shape, n, sel := b.At, b.Shape, b.Len(), selections(b)
	f := found{at: at, of: int64(n)}
	differ := func(i int, x, y []byte) {
		f.different++
		if len(f.first) < c.first {
			f.first = append(f.first, Element{position(i, at, shape), elementText(c.typ, x), elementText(c.typ, y)})
		}
	}
	size := c.typ.Size()
	if size == 0 {
		x, err := c.a.ReadItems(ctx, sel...)
		if err != nil {
			return found{}, err
		}
		y, err := c.b.ReadItems(ctx, sel...)
		for i := range y {
			if i%checkEvery == 0 && ctx.Err() != nil {
				return found{}, context.Cause(ctx)
			}
			if !bytes.Equal(x[i], y[i]) {
				differ(i, x[i], y[i])
			}
		}
		return f, err
	}
	both := [2][]byte{c.buffers.Make(n * size), c.buffers.Make(n * size)}
	defer c.buffers.Put(both[0])
	defer c.buffers.Put(both[1])
	err := concurrency.EachN(ctx, 2, 2, func(ctx context.Context, i int) error {
		return c.read(ctx, i, both[i], sel)
	})
	if err != nil || bytes.Equal(both[0], both[1]) {
		return f, err
	}
	for i := range n {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return found{}, context.Cause(ctx)
		}
		x, y := both[0][i*size:][:size], both[1][i*size:][:size]
		equal, by := bytes.Equal(x, y), 0.0
		if !equal && c.close != nil {
			equal, by = c.close(x, y)
			f.largest = max(f.largest, by)
		}
		if !equal {
			differ(i, x, y)
		}
	}
	return f, nil
}

// read reads a block of a or b.
func (c *comparison) read(ctx context.Context, i int, buf []byte, sel []zarr.Selection) error {
	a := [2]*zarr.Array{c.a, c.b}[i]
	if c.decode == nil {
		return a.ReadBytes(ctx, buf, sel...)
	}
	if dst, ok := bytesview.As[float64](buf); ok {
		return compute.Decode(ctx, a, c.decode[i], dst, sel...)
	}
	values, err := compute.Read[float64](ctx, a, c.decode[i], sel...)
	if err == nil {
		bytesview.Put(buf, values)
	}
	return err
}

// decodings returns the codings of two arrays of numbers, or nil if their stored elements are
// compared. not is the reason why they cannot be compared.
func decodings(a, b *zarr.Array, decode bool) (codings []*cf.Coding, not string, err error) {
	if !decode || numeric.Kind(a.DType()) == 0 || numeric.Kind(b.DType()) == 0 {
		return nil, "", nil
	}
	if !slices.Equal(a.Shape(), b.Shape()) {
		return nil, "the shapes differ", nil
	}
	var units [2]string
	for i, one := range []*zarr.Array{a, b} {
		c, err := cf.New(cf.Variable{Name: one.Name(), Type: one.DType(), Fill: one.Fill(), V2: one.Format() == 2, Attrs: one.Attrs()}, cf.Options{})
		if err != nil {
			return nil, "", err
		}
		if u, ok := c.Units(); ok {
			units[i] = u.String() + " " + u.Calendar().String()
		}
		codings = append(codings, c)
	}
	if units[0] != units[1] {
		return nil, "the units of the times differ", nil
	}
	return codings, "", nil
}

// found is the result of comparing one block.
type found struct {
	at            []int // first element of the block
	of, different int64
	largest       float64 // largest difference of two finite floats, if there is a tolerance
	first         []Element
}

// position returns the position in the array of element i of a block, in C order. The first element
// of the block is at the position at.
func position(i int, at, shape []int) []int {
	p := slices.Clone(at)
	for k := len(p) - 1; k >= 0; k-- {
		p[k] += i % shape[k]
		i /= shape[k]
	}
	return p
}

// elementText returns an element in the JSON form of a v3 fill value. If its type lacks this form,
// elementText returns hexadecimal digits.
func elementText(t dtype.Type, b []byte) json.RawMessage {
	if raw, err := t.FormatFill(b, 3); err == nil {
		return raw
	}
	return text("0x" + hex.EncodeToString(b))
}
