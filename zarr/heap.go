package zarr

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"sync"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Elements that vary in length are read and written by the code for elements of 8 bytes: in place of each stands its
// number in a heap of one call. The codec that makes bytes of elements is changed for one that goes through the heap; all
// other codecs, shards, selections and partial writes know nothing of it.

// heap holds the elements that one call has met, one after another in blocks of memory, each after its length. The number of an
// element is 0 for the fill value, else 1 more than its block, in the upper bits, and its place in that.
type heap struct {
	typ    dtype.Type
	fill   []byte
	max    int64 // bytes of a chunk's elements, with 8 for the number of each
	room   int64 // bytes of all blocks
	forget bool  // elements are looked at and not kept: all have the number 0

	mu     sync.RWMutex
	blocks [][]byte
	kept   int64 // bytes of blocks
}

// placeBits is how many bits of a number are the place in a block: 256 GiB, more than a block has, which leaves 2^26 blocks.
const placeBits = 38

func newHeap(a *Array) *heap {
	return &heap{typ: a.meta.DType, fill: a.fill, max: a.cfg.maxChunk, room: math.MaxInt64}
}

// item is the element of a number. It is not to be changed.
func (h *heap) item(number uint64) []byte {
	if number == 0 {
		return h.fill
	}
	number--
	b := h.blocks[number>>placeBits][number&(1<<placeBits-1):]
	n, used := binary.Uvarint(b)
	return b[used : used+int(n) : used+int(n)]
}

// get gives the items of numbers.
func (h *heap) get(numbers []byte) [][]byte {
	h.mu.RLock()
	defer h.mu.RUnlock()
	items := make([][]byte, 0, len(numbers)/8)
	for ; len(numbers) >= 8; numbers = numbers[8:] {
		items = append(items, h.item(binary.LittleEndian.Uint64(numbers)))
	}
	return items
}

// The lengths of blocks: at first as long as what they are for, up to 64 KiB, then twice as long each time. 4 MiB is what an
// element that is kept may keep beside it.
const (
	firstBlock = 64 << 10
	maxBlock   = 4 << 20
)

// packer puts elements into a heap, for one goroutine. Those that are the fill value, or equal to the one before, take no memory.
type packer struct {
	h      *heap
	block  []byte
	used   int
	base   uint64 // of numbers in the block
	next   int    // bytes of the next block
	last   []byte // the last one with a number, which it is
	number uint64
}

// pack begins to put elements of some bytes, or so, into the heap.
func (h *heap) pack(hint int) *packer { return &packer{h: h, next: min(max(hint, 64), firstBlock)} }

// add gives the number of an element; fault.Limit where there is no room for it.
func (p *packer) add(item []byte) (uint64, error) {
	switch {
	case p.h.forget || bytes.Equal(item, p.h.fill):
		return 0, nil
	case p.number != 0 && bytes.Equal(item, p.last):
		return p.number, nil
	}
	if len(p.block)-p.used < binary.MaxVarintLen64+len(item) {
		if err := p.grow(binary.MaxVarintLen64 + len(item)); err != nil {
			return 0, err
		}
	}
	p.number = p.base + uint64(p.used) + 1
	p.used += binary.PutUvarint(p.block[p.used:], uint64(len(item)))
	p.last = p.block[p.used : p.used+len(item)]
	p.used += copy(p.last, item)
	return p.number, nil
}

// grow begins a block with room for n bytes.
func (p *packer) grow(n int) error {
	p.done()
	n = max(n, p.next)
	p.next = min(2*n, maxBlock)
	h := p.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if int64(n) > h.room-h.kept || len(h.blocks) >= 1<<(63-placeBits) {
		return fault.Newf(fault.Limit, "the elements that are read have more than %d bytes, which is what this process may use of them", h.kept)
	}
	h.kept += int64(n)
	p.block, p.used, p.base = make([]byte, n), 0, uint64(len(h.blocks))<<placeBits
	h.blocks = append(h.blocks, p.block)
	return nil
}

// done leaves out of the last block what was not used of it.
func (p *packer) done() {
	if len(p.block) == 0 {
		return
	}
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	p.h.blocks[p.base>>placeBits] = p.block[:p.used]
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

// Worst is the bytes of the elements that memory may hold, and of their lengths.
func (c *heapCodec) Worst() int64 {
	return min(c.ArrayBytes.Worst(), min(c.heap.max, math.MaxInt64/2)+4+4*int64(c.elems))
}

// MinEncoded is a byte for an element, which no codec falls short of, or more where the codec knows it.
func (c *heapCodec) MinEncoded() int64 {
	if m, ok := c.ArrayBytes.(codec.MinEncoder); ok {
		return max(m.MinEncoded(), int64(c.elems))
	}
	return int64(c.elems)
}

func (c *heapCodec) Encode(dst []byte, src codec.Block) ([]byte, error) {
	return c.ArrayBytes.Encode(dst, codec.Block{Items: c.heap.get(src.Bytes)})
}

func (c *heapCodec) Decode(dst codec.Block, src []byte) error {
	if least := c.MinEncoded(); int64(len(src)) < least {
		return fault.Newf(fault.Corrupt, "%d bytes, the chunk has %d elements, which take %d or more", len(src), c.elems, least)
	}
	// What is stored bounds text and bytes, but not what labels or values in another spelling come to.
	left := c.heap.max - 8*int64(c.elems)
	p := c.heap.pack(len(src))
	defer p.done()
	at := 0
	one := func(item []byte) error {
		if left -= int64(len(item)); left < 0 {
			return fault.Newf(fault.Limit, "the elements of a chunk, %d and 8 bytes for each, have more bytes than ChunkLimit(%d)", c.elems, c.heap.max)
		}
		number, err := p.add(item)
		if err != nil {
			return err
		}
		if at+8 > len(dst.Bytes) {
			return fault.Newf(fault.Corrupt, "more than %d elements", c.elems)
		}
		binary.LittleEndian.PutUint64(dst.Bytes[at:], number)
		at += 8
		return nil
	}
	if left < 0 {
		return one(nil)
	}
	if d, ok := c.ArrayBytes.(codec.ItemDecoder); ok {
		err := d.DecodeItems(src, one)
		if err == nil && at < len(dst.Bytes) {
			return fault.Newf(fault.Corrupt, "%d elements, the chunk has %d", at/8, c.elems)
		}
		return err
	}
	items := make([][]byte, c.elems)
	if err := c.ArrayBytes.Decode(codec.Block{Items: items}, src); err != nil {
		return err
	}
	for _, item := range items {
		if err := one(item); err != nil {
			return err
		}
	}
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
