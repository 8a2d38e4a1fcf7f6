package pipeline

import (
	"bytes"
	"encoding/binary"
	"math"
	"sync"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Elements that vary in length have handles of 8 bytes in memory, which stand for them in the Items
// of one call. Selections and partial writes know handles alone; codecs know elements alone.

// Items holds the elements of varying length that one call has met, one after another in blocks of
// memory, each after its length. The number of an element is 0 for the fill value, else 1 more than
// its block, in the upper bits, and its place in that. Any number of goroutines may decode and
// encode through Numbers; what elements there are is to be asked when they have ended.
type Items struct {
	// Numbers is the pipeline of an array of uint64 in memory form, the numbers, in place of the
	// elements.
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

// placeBits is how many bits of a number are the place in a block: 256 GiB, more than a block has,
// which leaves 2^26 blocks.
const placeBits = 38

// Items makes room for the elements of one call on an array whose elements vary in length, room
// bytes at most.
func (p *Pipeline) Items(room int64) (*Items, error) { return p.newItems(&Items{room: room}) }

// Forget is Items for a call that looks at elements and keeps none.
func (p *Pipeline) Forget() (*Items, error) { return p.newItems(&Items{forget: true}) }

func (p *Pipeline) newItems(h *Items) (*Items, error) {
	h.typ, h.fill, h.max = p.typ, p.fill.one, p.options.ChunkLimit
	h.Numbers = &Pipeline{table: p.table, specs: p.specs, axes: p.axes, typ: p.typ, fill: p.fill, options: p.options, even: p.even, items: h, of: p}
	h.Numbers.largest = p.largest.with(h)
	return h, nil
}

// Kept is the memory in bytes that the elements take.
func (h *Items) Kept() int64 { return h.kept }

// Dense reports whether the blocks hold little but elements of so many bytes, so that these may as
// well stay in them.
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

// marked is the bit of a number that says that the element is not in the Items themselves, but in
// some beside them.
const marked = 1 << 63

// beside is Items for elements that are needed along with those of h, of one chunk.
func (h *Items) beside() *Items {
	return &Items{typ: h.typ, fill: h.fill, max: h.max, room: math.MaxInt64}
}

// mark marks the numbers that are not 0.
func mark(numbers []byte) {
	for ; len(numbers) >= 8; numbers = numbers[8:] {
		if n := binary.LittleEndian.Uint64(numbers); n != 0 {
			binary.LittleEndian.PutUint64(numbers, n|marked)
		}
	}
}

// get gives the items of numbers; those that are marked are of other Items.
func (h *Items) get(numbers []byte, other *Items) [][]byte {
	h.mu.RLock()
	defer h.mu.RUnlock()
	items := make([][]byte, 0, len(numbers)/8)
	for ; len(numbers) >= 8; numbers = numbers[8:] {
		n, of := binary.LittleEndian.Uint64(numbers), h
		if n&marked != 0 {
			n, of = n&^marked, other
		}
		items = append(items, of.At(n))
	}
	return items
}

// The lengths of blocks: at first as long as what they are for, up to 64 KiB, then twice as long
// each time. 4 MiB is what an element that is kept may keep beside it.
const (
	firstBlock = 64 << 10
	maxBlock   = 4 << 20
)

// Packer puts elements into Items, for one goroutine. Those that are the fill value, or equal to
// the one before, take no memory.
type Packer struct {
	h      *Items
	block  []byte
	used   int
	base   uint64 // of numbers in the block
	next   int    // bytes of the next block
	last   []byte // the last one with a number, which it is
	number uint64
}

// Packer begins to put elements of so many bytes, or about so many, into the Items. Call Done at
// the end.
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

// wanted is a number that stands for an element that is not there yet.
var wanted = []byte{1, 0, 0, 0, 0, 0, 0, 0}

// decode sets dst to the numbers of the elements of a chunk.
func (h *Items) decode(dst []byte, c *Chunk, src []byte, s *codec.Scratch) error {
	return h.decodeSome(dst, c, src, s, nil)
}

// decodeWanted is decode of the elements that are not 0 in dst. The others stay 0, and take no
// memory.
func (h *Items) decodeWanted(dst []byte, c *Chunk, src []byte, s *codec.Scratch) error {
	return h.decodeSome(dst, c, src, s, func(i int) bool { return dst[8*i] != 0 })
}

// decodeSome is decode of the elements of which want, where it is not nil, says so.
func (h *Items) decodeSome(dst []byte, c *Chunk, src []byte, s *codec.Scratch, want func(i int) bool) error {
	elems := len(dst) / 8
	// What is stored bounds text and bytes, but not what labels or values in another spelling come
	// to.
	left := h.max - 8*int64(elems)
	tooMuch := func() error {
		return fault.Newf(fault.Limit, "the elements of a chunk, %d and 8 bytes for each, have more bytes than Limits.Chunk (%d)", elems, h.max)
	}
	if left < 0 {
		return tooMuch()
	}
	hint := len(src)
	if want != nil {
		hint = 0
	}
	p := h.Packer(hint)
	defer p.Done()
	return c.Chain.DecodeItems(src, s, func(i int, item []byte) error {
		if left -= int64(len(item)); left < 0 {
			return tooMuch()
		}
		if want != nil && !want(i) {
			return nil
		}
		number, err := p.Add(item)
		binary.LittleEndian.PutUint64(dst[8*i:], number)
		return err
	})
}

// with is the chunk with the numbers of Items for its elements.
func (c *Chunk) with(h *Items) *Chunk {
	n := *c
	n.items = h
	if c.Inner != nil {
		n.Inner = c.Inner.with(h)
	}
	return &n
}
