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
	typ  dtype.Vary
	fill []byte
	max  int64 // bytes of a chunk's elements

	mu    sync.RWMutex
	items [][]byte // by number; 0 is the fill value
}

func newHeap(a *Array, t dtype.Vary) *heap {
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

// heapCodec is vlen-utf8 or vlen-bytes between numbers and bytes.
type heapCodec struct {
	heap  *heap
	elems int
}

func (h *heap) factory(_ json.RawMessage, in codec.Repr) (any, error) {
	n, err := in.Elems()
	return &heapCodec{h, n}, err
}

func (c *heapCodec) EncodedSize() int64 { return -1 }

// MaxEncoded is the bytes of the elements that memory may hold, and of their lengths.
func (c *heapCodec) MaxEncoded() int64 {
	return min(c.heap.max, math.MaxInt64/2) + 4 + 4*int64(c.elems)
}

func (c *heapCodec) Encode(dst []byte, src codec.Block) ([]byte, error) {
	return codec.AppendItems(dst, c.heap.get(nil, src.Bytes), c.heap.typ)
}

func (c *heapCodec) Decode(dst codec.Block, src []byte) error {
	// One copy for all of them: src is used again.
	items, err := codec.Items(nil, bytes.Clone(src), c.elems, c.heap.typ)
	if err != nil {
		return err
	}
	c.heap.add(dst.Bytes, items)
	return nil
}

// numbered is the array with the numbers of h in place of its elements.
func (a *Array) numbered(h *heap) (*Array, error) {
	table := a.cfg.table
	for _, name := range []string{h.typ.Codec(), "numcodecs." + h.typ.Codec()} {
		table = table.With(name, h.factory)
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

// readItems reads elements that vary in length: strings, or slices of bytes, which are the caller's.
func readItems[T any](ctx context.Context, a *Array, t dtype.Vary, dst []T, r grid.Selection) error {
	h := newHeap(a, t)
	b, err := a.numbered(h)
	if err != nil {
		return err
	}
	numbers := make([]byte, 8*len(dst))
	if err := b.read(ctx, numbers, r); err != nil {
		return err
	}
	switch dst := any(dst).(type) {
	case []string:
		for i, item := range h.get(nil, numbers) {
			dst[i] = string(item)
		}
		return nil
	case [][]byte:
		for i, item := range h.get(nil, numbers) {
			dst[i] = append([]byte{}, item...)
		}
		return nil
	}
	all := reflect.ValueOf(dst) // of a named type
	for i, item := range h.get(nil, numbers) {
		if v := all.Index(i); t == dtype.String {
			v.SetString(string(item))
		} else {
			v.SetBytes(append([]byte{}, item...))
		}
	}
	return nil
}

// writeItems writes elements that vary in length.
func writeItems[T any](ctx context.Context, a *Array, t dtype.Vary, src []T, r grid.Selection) error {
	h := newHeap(a, t)
	b, err := a.numbered(h)
	if err != nil {
		return err
	}
	items := make([][]byte, len(src))
	switch src := any(src).(type) {
	case []string:
		for i, s := range src {
			items[i] = []byte(s)
		}
	case [][]byte:
		copy(items, src)
	default:
		all := reflect.ValueOf(src)
		for i := range items {
			if v := all.Index(i); t == dtype.String {
				items[i] = []byte(v.String())
			} else {
				items[i] = v.Bytes()
			}
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
