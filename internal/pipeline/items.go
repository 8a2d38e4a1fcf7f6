package pipeline

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Elements that vary in length are read and written by the code for elements of 8 bytes: in place of each stands its
// number in the Items of one call. The codec that makes bytes of elements is changed for one that goes through the Items; all
// other codecs, shards, selections and partial writes know nothing of it.

// Items holds the elements of varying length that one call has met, one after another in blocks of memory, each after its length. The
// number of an element is 0 for the fill value, else 1 more than its block, in the upper bits, and its place in that. Any number of
// goroutines may decode and encode through Numbers; what elements there are is to be asked when they have ended.
type Items struct {
	// Numbers is the pipeline of an array of uint64 in memory form, the numbers, in place of the elements.
	Numbers *Pipeline

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

// Items makes room for the elements of one call on an array whose elements vary in length, room bytes at most.
func (p *Pipeline) Items(room int64) (*Items, error) { return p.items(&Items{room: room}) }

// Forget is Items for a call that looks at elements and keeps none.
func (p *Pipeline) Forget() (*Items, error) { return p.items(&Items{forget: true}) }

func (p *Pipeline) items(h *Items) (_ *Items, err error) {
	h.typ, h.fill, h.max = p.typ, p.fill.one, p.options.ChunkLimit
	table := p.table
	for _, name := range itemCodecs {
		table = table.With(name, h.factory(p.table, name))
	}
	in := codec.Repr{Type: dtype.Uint64}
	if p.fill.defined != nil {
		in.Fill = make([]byte, 8)
	}
	h.Numbers, err = New(table, p.specs, in, p.axes, p.options)
	return h, err
}

// Kept is the memory in bytes that the elements take.
func (h *Items) Kept() int64 { return h.kept }

// Dense reports whether the blocks hold little but elements of so many bytes, so that these may as well stay in them.
func (h *Items) Dense(selected int64) bool { return h.kept <= 2*selected+firstBlock }

// Texts gives elements as strings, by their number. Those of one block are parts of one string.
func (h *Items) Texts() func(number uint64) string {
	fill, blocks := string(h.fill), make([]string, len(h.blocks))
	return func(number uint64) string {
		if number == 0 {
			return fill
		}
		at, block := int((number-1)&(1<<placeBits-1)), (number-1)>>placeBits
		if blocks[block] == "" {
			blocks[block] = string(h.blocks[block])
		}
		n, used := binary.Uvarint(h.blocks[block][at:])
		return blocks[block][at+used : at+used+int(n)]
	}
}

// At is the element of a number. It is not to be changed.
func (h *Items) At(number uint64) []byte {
	if number == 0 {
		return h.fill
	}
	number--
	b := h.blocks[number>>placeBits][number&(1<<placeBits-1):]
	n, used := binary.Uvarint(b)
	return b[used : used+int(n) : used+int(n)]
}

// get gives the items of numbers.
func (h *Items) get(numbers []byte) [][]byte {
	h.mu.RLock()
	defer h.mu.RUnlock()
	items := make([][]byte, 0, len(numbers)/8)
	for ; len(numbers) >= 8; numbers = numbers[8:] {
		items = append(items, h.At(binary.LittleEndian.Uint64(numbers)))
	}
	return items
}

// The lengths of blocks: at first as long as what they are for, up to 64 KiB, then twice as long each time. 4 MiB is what an
// element that is kept may keep beside it.
const (
	firstBlock = 64 << 10
	maxBlock   = 4 << 20
)

// Packer puts elements into Items, for one goroutine. Those that are the fill value, or equal to the one before, take no memory.
type Packer struct {
	h      *Items
	block  []byte
	used   int
	base   uint64 // of numbers in the block
	next   int    // bytes of the next block
	last   []byte // the last one with a number, which it is
	number uint64
}

// Packer begins to put elements of so many bytes, or about so many, into the Items. Call Done at the end.
func (h *Items) Packer(hint int) *Packer { return &Packer{h: h, next: min(max(hint, 64), firstBlock)} }

// Add gives the number of an element; fault.Limit where there is no room for it.
func (p *Packer) Add(item []byte) (uint64, error) {
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
func (p *Packer) grow(n int) error {
	p.Done()
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

// Done leaves out of the last block what was not used of it.
func (p *Packer) Done() {
	if len(p.block) == 0 {
		return
	}
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	p.h.blocks[p.base>>placeBits] = p.block[:p.used]
}

// itemsCodec is a codec of elements that vary in length, between numbers and bytes.
type itemsCodec struct {
	codec.ArrayBytes
	all   *Items
	elems int
}

// factory makes the codec of a name in a table.
func (h *Items) factory(table *codec.Table, name string) codec.Factory {
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
		return &itemsCodec{real, h, n}, nil
	}
}

// Worst is the bytes of the elements that memory may hold, and of their lengths.
func (c *itemsCodec) Worst() int64 {
	return min(c.ArrayBytes.Worst(), min(c.all.max, math.MaxInt64/2)+4+4*int64(c.elems))
}

// MinEncoded is a byte for an element, which no codec falls short of, or more where the codec knows it.
func (c *itemsCodec) MinEncoded() int64 {
	if m, ok := c.ArrayBytes.(codec.MinEncoder); ok {
		return max(m.MinEncoded(), int64(c.elems))
	}
	return int64(c.elems)
}

func (c *itemsCodec) Encode(dst []byte, src codec.Block) ([]byte, error) {
	return c.ArrayBytes.Encode(dst, codec.Block{Items: c.all.get(src.Bytes)})
}

func (c *itemsCodec) Decode(dst codec.Block, src []byte) error {
	if least := c.MinEncoded(); int64(len(src)) < least {
		return fault.Newf(fault.Corrupt, "%d bytes, the chunk has %d elements, which take %d or more", len(src), c.elems, least)
	}
	// What is stored bounds text and bytes, but not what labels or values in another spelling come to.
	left := c.all.max - 8*int64(c.elems)
	p := c.all.Packer(len(src))
	defer p.Done()
	at := 0
	one := func(item []byte) error {
		if left -= int64(len(item)); left < 0 {
			return fault.Newf(fault.Limit, "the elements of a chunk, %d and 8 bytes for each, have more bytes than ChunkLimit(%d)", c.elems, c.all.max)
		}
		number, err := p.Add(item)
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

// TakesItems reports whether the codec of a name makes bytes of elements of varying length.
func TakesItems(name string) bool { return slices.Contains(itemCodecs[:], name) }
