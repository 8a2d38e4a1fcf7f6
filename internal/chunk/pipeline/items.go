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

// In memory, an element of varying length is represented by an 8-byte number that refers to the
// Items of one call. Selections and partial writes use only numbers; codecs use only elements.

// Items stores the elements of varying length of one call. They are stored one after another in
// blocks of memory, each element after its length. The number of an element is 0 for the fill
// value. Otherwise its upper bits are the number of the block plus 1, and its lower bits are the
// position in the block. Decoding and encoding through Numbers is safe for concurrent use. Elements
// may be read after all decoding and encoding has ended.
type Items struct {
	// Numbers is a pipeline that reads and writes numbers instead of the elements. In memory form
	// they are an array of uint64.
	Numbers *Pipeline

	typ    dtype.Type
	fill   []byte
	max    int64 // maximum bytes of a chunk's elements, counting 8 for each number
	room   int64 // maximum bytes of all blocks
	forget bool  // elements are decoded and discarded, and all numbers are 0

	mu     sync.RWMutex
	blocks [][]byte
	kept   int64 // bytes of blocks
}

// placeBits is the number of bits of a number that contain the position in a block. 38 bits cover
// 256 GiB, more than the length of any block. The other bits suffice for 2^26 blocks.
const placeBits = 38

// Items returns Items for one call on an array whose elements vary in length, with at most room
// bytes.
func (p *Pipeline) Items(room int64) (*Items, error) { return p.newItems(&Items{room: room}) }

// Forget returns Items for a call that checks elements and retains none.
func (p *Pipeline) Forget() (*Items, error) { return p.newItems(&Items{forget: true}) }

func (p *Pipeline) newItems(h *Items) (*Items, error) {
	h.typ, h.fill, h.max = p.typ, p.fill.one, p.options.ChunkLimit
	h.Numbers = &Pipeline{table: p.table, specs: p.specs, axes: p.axes, typ: p.typ, fill: p.fill, options: p.options, even: p.even, items: h, of: p}
	h.Numbers.largest = p.largest.with(h)
	return h, nil
}

// Kept returns the number of bytes of memory that the elements take.
func (h *Items) Kept() int64 { return h.kept }

// Dense reports whether the selected elements may remain in the blocks, because the blocks contain
// little else. selected is the number of bytes of these elements.
func (h *Items) Dense(selected int64) bool { return h.kept <= 2*selected+firstBlock }

// Texts returns a function that converts a number to its element, as a string. The elements of a
// block are substrings of one string.
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

// At returns the element that has the given number. The caller must not modify it.
func (h *Items) At(number uint64) []byte {
	if number == 0 {
		return h.fill
	}
	number--
	b := h.blocks[number>>placeBits][number&(1<<placeBits-1):]
	n, used := binary.Uvarint(b)
	return b[used : used+int(n) : used+int(n)]
}

// marked is a bit that is set in the numbers of elements of other Items; see beside.
const marked = 1 << 63

// beside returns Items for the previous elements of one chunk, used together with h.
func (h *Items) beside() *Items {
	return &Items{typ: h.typ, fill: h.fill, max: h.max, room: math.MaxInt64}
}

// mark sets the marked bit of all numbers but 0.
func mark(numbers []byte) {
	for ; len(numbers) >= 8; numbers = numbers[8:] {
		if n := binary.LittleEndian.Uint64(numbers); n != 0 {
			binary.LittleEndian.PutUint64(numbers, n|marked)
		}
	}
}

// get returns the elements that have the given numbers. Marked numbers refer to elements of other.
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

// The lengths of blocks. The first block is as long as its expected elements, at most 64 KiB. Each
// next block is twice as long, up to 4 MiB. An element that the caller retains therefore keeps at
// most 4 MiB of other elements in memory.
const (
	firstBlock = 64 << 10
	maxBlock   = 4 << 20
)

// Packer adds elements to Items. It must be used by one goroutine. An element that is the fill
// value or equals the previous one takes no memory.
type Packer struct {
	h      *Items
	block  []byte
	used   int
	base   uint64 // base of the numbers in the block
	next   int    // length of the next block
	last   []byte // the last element that took memory; its number is in number
	number uint64
}

// Packer returns a Packer that adds elements to h. hint is the expected number of bytes of the
// elements. The caller must call Done.
func (h *Items) Packer(hint int) *Packer { return &Packer{h: h, next: min(max(hint, 64), firstBlock)} }

// Add adds an element and returns its number. It returns fault.Limit if the Items are full.
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

// grow starts a block of at least n bytes.
func (p *Packer) grow(n int) error {
	p.Done()
	n = max(n, p.next)
	p.next = min(2*n, maxBlock)
	h := p.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if int64(n) > h.room-h.kept || len(h.blocks) >= 1<<(63-placeBits) {
		return fault.Newf(fault.Limit, "no memory remains for more elements: this call has elements of %d bytes", h.kept)
	}
	h.kept += int64(n)
	p.block, p.used, p.base = make([]byte, n), 0, uint64(len(h.blocks))<<placeBits
	h.blocks = append(h.blocks, p.block)
	return nil
}

// Done cuts the unused end off the last block.
func (p *Packer) Done() {
	if len(p.block) == 0 {
		return
	}
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	p.h.blocks[p.base>>placeBits] = p.block[:p.used]
}

// wanted marks an element that is selected and not yet decoded.
var wanted = []byte{1, 0, 0, 0, 0, 0, 0, 0}

// decode decodes a chunk, adds its elements, and sets dst to their numbers.
func (h *Items) decode(dst []byte, c *Chunk, src []byte, s *codec.Scratch) error {
	return h.decodeSome(dst, c, src, s, nil)
}

// decodeWanted is decode for the elements whose numbers in dst are not 0. The other numbers remain
// 0, and their elements take no memory.
func (h *Items) decodeWanted(dst []byte, c *Chunk, src []byte, s *codec.Scratch) error {
	return h.decodeSome(dst, c, src, s, func(i int) bool { return dst[8*i] != 0 })
}

// decodeSome decodes each element if want returns true for it. If want is nil, it decodes all
// elements.
func (h *Items) decodeSome(dst []byte, c *Chunk, src []byte, s *codec.Scratch, want func(i int) bool) error {
	elems := len(dst) / 8
	// The number of stored bytes bounds the length of text and bytes. It does not bound the length
	// of labels, or of values that are stored in another form.
	left := h.max - 8*int64(elems)
	tooMuch := func() error {
		return fault.Newf(fault.Limit, "the %d elements of a chunk, with 8 bytes for each, have more bytes than Limits.Chunk (%d)", elems, h.max)
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

// with returns a chunk whose elements are numbers of h.
func (c *Chunk) with(h *Items) *Chunk {
	n := *c
	n.items = h
	if c.Inner != nil {
		n.Inner = c.Inner.with(h)
	}
	return &n
}
