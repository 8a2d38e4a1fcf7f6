package zstdenc

import (
	"encoding/binary"
	"math/bits"
)

const (
	maxBlock = 128 << 10 // bytes of a block
	// maxPart is how much input has numbers at once. What follows repeats nothing of it.
	maxPart = 1 << 30
)

// Options are those of an encoder.
type Options struct {
	Level    int  // libzstd's scale, -131072 to 22; what is beyond counts as the nearest, 0 as 3
	Window   int  // how far back a match may be: a power of two, 1 KiB to 8 MiB
	Checksum bool // frames end with an XXH64 of their contents
}

// Encoder makes frames. It is for one goroutine at a time.
type Encoder struct {
	o        Options
	p        params // of this input
	partSize int    // maxPart, but in tests

	src  []byte // the part of the input that has numbers
	base uint32 // the number of its first byte; what is in the tables from before has smaller ones
	used uint32 // how many numbers were given since

	first, second, third []uint32 // numbers of places by a hash; second may be a tree
	tags                 []uint8  // of rows: a few more bits of the hash
	heads                []uint8  // of rows: the latest place
	filled               int      // places before this one are in the tables

	seqs    []seq
	reps    recent // as the finder sees them
	decoded recent // as the decoder has them
	plan    planner

	litLengths, offsets, matchLengths field
	values                            []uint32 // what is stored for the distances of a block's sequences
	huffs                             [2]huffman
	huff                              int  // which of them the decoder has
	huffOK                            bool // whether it has one
	weights                           fse
	counts                            [256]uint32
	text                              []byte // the literals of a block
	room                              []byte // where a block is written
}

// New makes an encoder. Tables are made by the first inputs, as large as they need.
func New(o Options) *Encoder {
	o.Level = min(max(o.Level, minLevel), maxLevel)
	o.Window = 1 << highBit(uint32(min(max(o.Window, 1<<10), 8<<20)))
	e := &Encoder{o: o, partSize: maxPart, base: 1}
	e.litLengths = field{predefined: knownLitTable, most: 9, counts: make([]uint32, litCodes)}
	e.matchLengths = field{predefined: knownLenTable, most: 9, counts: make([]uint32, lenCodes)}
	e.offsets = field{predefined: knownBackTable, most: 8, counts: make([]uint32, backCodes)}
	return e
}

// Encode appends one frame that holds src to dst, with its length in the header.
func (e *Encoder) Encode(dst, src []byte) []byte {
	dst = e.header(dst, len(src))
	e.huffOK, e.litLengths.repeat, e.offsets.repeat, e.matchLengths.repeat = false, false, false, false
	e.decoded = recent{1, 4, 8}
	if len(src) == 0 {
		dst = append(dst, 1, 0, 0) // a last block of no bytes
	}
	for rest := src; len(rest) > 0; {
		n := min(len(rest), e.partSize)
		dst = e.part(dst, rest[:n], n == len(rest))
		rest = rest[n:]
	}
	e.src = nil
	return e.sum(dst, src)
}

// sum appends the checksum if there is to be one.
func (e *Encoder) sum(dst, src []byte) []byte {
	if !e.o.Checksum {
		return dst
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(xxh64(src)))
}

// header is that of a frame: RFC 8878, 3.1.1.1.
func (e *Encoder) header(dst []byte, n int) []byte {
	dst = append(dst, 0x28, 0xb5, 0x2f, 0xfd)
	flags := byte(0)
	if e.o.Checksum {
		flags |= 1 << 2
	}
	single := n <= e.o.Window
	if single {
		flags |= 1 << 5
	}
	size := 3
	switch {
	case n < 256 && single:
		size = 0
	case n < 256:
		size = 2 // a window is never so short
	case n < 1<<16+256:
		size = 1
	case uint64(n) < 1<<32:
		size = 2
	}
	dst = append(dst, flags|byte(size)<<6)
	if !single {
		dst = append(dst, byte(bits.Len(uint(e.o.Window))-1-10)<<3)
	}
	switch size {
	case 0:
		return append(dst, byte(n))
	case 1:
		return binary.LittleEndian.AppendUint16(dst, uint16(n-256))
	case 2:
		return binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(n))
}

// part appends the blocks of some input.
func (e *Encoder) part(dst, src []byte, last bool) []byte {
	e.restart(src)
	most := min(maxBlock, 1<<e.p.window)
	for at := 0; at < len(src); {
		end := min(at+most, len(src))
		e.seqs = e.seqs[:0]
		e.reps = e.decoded
		e.find(at, end)
		dst = e.block(dst, src[at:end], e.seqs, last && end == len(src))
		at = end
	}
	return dst
}

// restart chooses the parameters and makes the tables ready, which forget what was before by its
// numbers.
func (e *Encoder) restart(src []byte) {
	e.src, e.filled = src, 0
	e.p = paramsOf(e.o.Level, len(src), highBit(uint32(e.o.Window)))
	e.base += e.used
	e.used = uint32(len(src))
	if e.base >= 3<<30-1 { // the numbers would begin anew
		clear(e.first[:cap(e.first)])
		clear(e.second[:cap(e.second)])
		clear(e.third[:cap(e.third)])
		e.base = 1
	}
	e.first = grow(e.first, 1<<e.p.hash)
	switch e.p.kind {
	case fast:
	case double:
		e.second = grow(e.second, 1<<e.p.chain)
	case greedy, lazy, lazy2:
		e.tags = grow(e.tags, 1<<e.p.hash)
		e.heads = grow(e.heads, 1<<(e.p.hash-e.rowLog()))
	default:
		e.second = grow(e.second, 1<<e.p.chain)
		if e.p.min == 3 {
			e.third = grow(e.third, 1<<e.shortLog())
		}
		e.plan.known = false
	}
}

// find makes the sequences of a block.
func (e *Encoder) find(from, to int) {
	switch e.p.kind {
	case fast:
		e.findFast(from, to)
	case double:
		e.findDouble(from, to)
	case greedy, lazy, lazy2:
		e.findLazy(from, to)
	default:
		e.findOptimal(from, to)
	}
}

// grow gives a table of n entries. What it holds from before is left in it.
func grow[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n)
	}
	return b[:n]
}

// emit ends a sequence: the literals since from, and a match at a place.
func (e *Encoder) emit(from, at, n int, offset uint32) {
	s := seq{uint32(at - from), uint32(n), offset}
	e.reps.push(s.offset, s.litLength, e.reps.value(s.offset, s.litLength))
	e.seqs = append(e.seqs, s)
}
