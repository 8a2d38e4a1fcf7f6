package zarr

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"reflect"
	"sync"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Elements that vary in length are read and written by the code for elements of 8 bytes: in place of each stands its
// number in a heap of one call. The codec that makes bytes of elements is changed for one that goes through the heap; all
// other codecs, shards, selections and partial writes know nothing of it.

// heap holds the elements that one call has met.
type heap struct {
	typ  dtype.Type
	fill []byte
	max  int64 // bytes of a chunk's elements

	mu    sync.RWMutex
	items [][]byte // by number; 0 is the fill value
}

func newHeap(a *Array, t dtype.Type) *heap {
	return &heap{typ: t, fill: a.fill, max: a.cfg.maxChunk, items: [][]byte{a.fill}}
}

// add writes the numbers of items, 8 bytes each, to dst. An item that is the fill value has the number 0, so that chunks
// of nothing else are found.
func (h *heap) add(dst []byte, items [][]byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, b := range items {
		n := 0
		if !bytes.Equal(b, h.fill) {
			n = len(h.items)
			h.items = append(h.items, b)
		}
		binary.LittleEndian.PutUint64(dst[8*i:], uint64(n))
	}
}

// get gives the items of numbers.
func (h *heap) get(dst [][]byte, numbers []byte) [][]byte {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for ; len(numbers) >= 8; numbers = numbers[8:] {
		dst = append(dst, h.items[binary.LittleEndian.Uint64(numbers)])
	}
	return dst
}

// heapCodec is a codec of elements that vary in length, between numbers and bytes.
type heapCodec struct {
	codec.ArrayBytes
	heap  *heap
	elems int
}

// factory makes the codec of a name in a table.
func (h *heap) factory(table *codec.Table, name string) codec.Factory {
	return func(config json.RawMessage, in codec.Repr) (any, error) {
		n, err := in.Elems()
		if err != nil {
			return nil, err
		}
		in.Type, in.Fill = h.typ, h.fill
		c, err := table.Bind(codec.Spec{Name: name, Config: config}, in)
		if err != nil {
			return nil, err
		}
		real, ok := c.(codec.ArrayBytes)
		if !ok {
			return nil, fault.Newf(fault.Metadata, "makes no bytes of %v", h.typ)
		}
		return &heapCodec{real, h, n}, nil
	}
}

// MaxEncoded is the bytes of the elements that memory may hold, and of their lengths.
func (c *heapCodec) MaxEncoded() int64 {
	return min(c.ArrayBytes.MaxEncoded(), min(c.heap.max, math.MaxInt64/2)+4+4*int64(c.elems))
}

func (c *heapCodec) Encode(dst []byte, src codec.Block) ([]byte, error) {
	return c.ArrayBytes.Encode(dst, codec.Block{Items: c.heap.get(nil, src.Bytes)})
}

func (c *heapCodec) Decode(dst codec.Block, src []byte) error {
	// No codec has less than a byte for an element, and an item takes more memory than the number that ChunkLimit counts.
	if len(src) < c.elems {
		return fault.Newf(fault.Corrupt, "%d bytes, the chunk has %d elements", len(src), c.elems)
	}
	// One copy for all of them: src is used again.
	items := make([][]byte, c.elems)
	if err := c.ArrayBytes.Decode(codec.Block{Items: items}, bytes.Clone(src)); err != nil {
		return err
	}
	// What is stored bounds text and bytes, but not what labels or values in another spelling come to.
	left := c.heap.max
	for _, item := range items {
		if left -= int64(len(item)); left < 0 {
			return fault.Newf(fault.Limit, "the elements of a chunk have more bytes than ChunkLimit(%d)", c.heap.max)
		}
	}
	c.heap.add(dst.Bytes, items)
	return nil
}

// itemCodecs are the codecs that make bytes of elements of varying length.
var itemCodecs = [...]string{"vlen-utf8", "vlen-bytes", "numcodecs.vlen-utf8", "numcodecs.vlen-bytes", "numcodecs.vlen-array",
	"numcodecs.json2", "numcodecs.msgpack2", "numcodecs.categorize"}

// numbered is the array with the numbers of h in place of its elements.
func (a *Array) numbered(h *heap) (*Array, error) {
	table := a.cfg.table
	for _, name := range itemCodecs {
		table = table.With(name, h.factory(a.codecs(), name))
	}
	m := *a.meta
	m.DType = dtype.Uint64
	b := *a
	b.meta, b.cfg.table, b.fill = &m, table, make([]byte, 8)
	if a.meta.Fill != nil {
		m.Fill = b.fill
	}
	if err := b.bindAll(a.chain.Specs()); err != nil {
		return nil, a.errf(err)
	}
	return &b, nil
}

// ReadItems is ReadBytes for data types whose elements vary in length: it returns what sel selects, in C order, each element
// in memory form (see package dtype), the caller's. ErrType for other data types.
func ReadItems(ctx context.Context, a *Array, sel ...Selection) ([][]byte, error) {
	if t := a.meta.DType; t.Size() > 0 {
		return nil, a.errf(fault.Newf(fault.Type, "elements of %v have %d bytes each", t, t.Size()))
	}
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	n, err := a.sized(r)
	if err != nil {
		return nil, err
	}
	items, err := a.readHeap(ctx, n, r)
	for i, item := range items {
		items[i] = append([]byte{}, item...)
	}
	return items, err
}

// readHeap reads n elements that vary in length; several may be one.
func (a *Array) readHeap(ctx context.Context, n int, r grid.Selection) ([][]byte, error) {
	h := newHeap(a, a.meta.DType)
	b, err := a.numbered(h)
	if err != nil {
		return nil, err
	}
	numbers := make([]byte, 8*n)
	if err := b.read(ctx, numbers, r); err != nil {
		return nil, err
	}
	return h.get(nil, numbers), nil
}

// readItems reads elements that vary in length: strings, or slices, which are the caller's.
func readItems[T any](ctx context.Context, a *Array, dst []T, r grid.Selection) error {
	items, err := a.readHeap(ctx, len(dst), r)
	if err != nil {
		return err
	}
	typ := a.meta.DType
	switch dst := any(dst).(type) {
	case []string:
		for i, item := range items {
			if i > 0 && one(item, items[i-1]) { // of a chunk that is missing, all are the fill value, however long that is
				dst[i] = dst[i-1]
				continue
			}
			dst[i] = string(item)
		}
		return nil
	case [][]byte:
		if _, ok := typ.(dtype.Vary); ok {
			for i, item := range items {
				dst[i] = append([]byte{}, item...)
			}
			return nil
		}
	}
	all := reflect.ValueOf(dst) // of a named type, or of numbers
	for i, item := range items {
		switch v := all.Index(i); t := typ.(type) {
		case dtype.Ragged:
			if err := t.Take(v, item); err != nil {
				return a.errf(err)
			}
		default:
			if v.Kind() == reflect.String {
				v.SetString(string(item))
			} else {
				v.SetBytes(append([]byte{}, item...))
			}
		}
	}
	return nil
}

// one tells whether two items are the same memory.
func one(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// writeItems writes elements that vary in length.
func writeItems[T any](ctx context.Context, a *Array, src []T, r grid.Selection) error {
	h := newHeap(a, a.meta.DType)
	b, err := a.numbered(h)
	if err != nil {
		return err
	}
	items := make([][]byte, len(src))
	all := reflect.ValueOf(src)
	for i := range items {
		switch v := all.Index(i); t := h.typ.(type) {
		case dtype.Ragged:
			if items[i], err = t.Append(nil, v); err != nil {
				return a.errf(err)
			}
		default:
			if v.Kind() == reflect.String {
				items[i] = []byte(v.String())
			} else {
				items[i] = v.Bytes()
			}
		}
	}
	if t, ok := h.typ.(dtype.Vary); ok {
		if err := t.Items(items); err != nil {
			return a.errf(err)
		}
	}
	numbers := make([]byte, 8*len(src))
	h.add(numbers, items)
	return b.write(ctx, numbers, r)
}

// fixedSize refuses to take elements that vary in length for bytes in memory form.
func (a *Array) fixedSize() error {
	if a.meta.DType.Size() == 0 {
		return a.errf(fault.Newf(fault.Type, "elements of %v vary in length; they are %v in Go", a.meta.DType, a.meta.DType.Go()))
	}
	return nil
}
