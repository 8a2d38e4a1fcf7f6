package zstdenc

import (
	"encoding/binary"
	"math/bits"
)

const (
	maxBlock = 128 << 10 // maximum bytes of a block
	// maxPart is the maximum number of input bytes with distinct position numbers. Longer inputs
	// are encoded in parts, and matches do not reach back into an earlier part.
	maxPart = 1 << 30
)

// Options configures an encoder.
type Options struct {
	Level    int  // libzstd's scale, -131072 to 22; values outside are clamped, and 0 means 3
	Window   int  // maximum offset of a match; a power of two from 1 KiB to 8 MiB
	Checksum bool // append the XXH64 checksum of the content to each frame
}

// Encoder encodes frames. It must be used by one goroutine at a time.
type Encoder struct {
	o        Options
	p        params // for the current part
	partSize int    // maxPart, or less in tests

	src  []byte // the current part of the input
	base uint32 // number of the first byte of src; smaller numbers in the tables are stale
	used uint32 // count of numbers that the current part uses

	first, second, third []uint32 // position numbers by hash; second may be a tree
	tags                 []uint8  // of rows: 8 additional bits of the hash of each entry
	heads                []uint8  // of rows: the index of the latest entry
	filled               int      // all earlier positions are in the tables

	seqs    []seq
	reps    recent // repeat offsets as the match finder sees them
	decoded recent // repeat offsets of the decoder
	plan    planner

	litLengths, offsets, matchLengths field
	values                            []uint32 // offset values of the block's sequences
	huffs                             [2]huffman
	huff                              int  // index of the decoder's Huffman table
	huffOK                            bool // the decoder has a Huffman table
	weights                           fse
	counts                            [256]uint32
	lits                              []byte // the literals of a block
	buf                               []byte // buffer for a compressed block
}

// New returns an encoder. The tables of the encoder are allocated by Encode, with the size that the
// inputs need.
func New(o Options) *Encoder {
	o.Level = min(max(o.Level, minLevel), maxLevel)
	o.Window = 1 << highBit(uint32(min(max(o.Window, 1<<10), 8<<20)))
	e := &Encoder{o: o, partSize: maxPart, base: 1}
	e.litLengths = field{predefined: predefinedLits, most: 9, counts: make([]uint32, litCodes)}
	e.matchLengths = field{predefined: predefinedLens, most: 9, counts: make([]uint32, lenCodes)}
	e.offsets = field{predefined: predefinedOffsets, most: 8, counts: make([]uint32, offsetCodes)}
	return e
}

// Encode appends one frame with the content src to dst. The frame header declares the content size.
func (e *Encoder) Encode(dst, src []byte) []byte {
	dst = e.header(dst, len(src))
	e.huffOK, e.litLengths.repeat, e.offsets.repeat, e.matchLengths.repeat = false, false, false, false
	e.decoded = recent{1, 4, 8}
	if len(src) == 0 {
		dst = append(dst, 1, 0, 0) // an empty last block
	}
	for rest := src; len(rest) > 0; {
		n := min(len(rest), e.partSize)
		dst = e.part(dst, rest[:n], n == len(rest))
		rest = rest[n:]
	}
	e.src = nil
	return e.sum(dst, src)
}

// sum appends the checksum of src if the options request a checksum.
func (e *Encoder) sum(dst, src []byte) []byte {
	if !e.o.Checksum {
		return dst
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(xxh64(src)))
}

// header appends the frame header for n bytes of content (RFC 8878, section 3.1.1.1).
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
		size = 2 // no window is this short
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

// part appends the blocks of one part of the input.
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

// restart chooses the parameters for src and prepares the tables. Table entries of earlier inputs
// do not have to be cleared, because their position numbers are less than e.base.
func (e *Encoder) restart(src []byte) {
	e.src, e.filled = src, 0
	e.p = paramsOf(e.o.Level, len(src), highBit(uint32(e.o.Window)))
	e.base += e.used
	e.used = uint32(len(src))
	if e.base >= 3<<30-1 { // before the numbers overflow
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

// find appends the sequences of the block src[from:to] to e.seqs.
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

// grow returns b with length n. The contents of b are not cleared, and they are lost if b is too
// small and a new slice is allocated.
func grow[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n)
	}
	return b[:n]
}

// emit appends a sequence: the literals src[from:at], then a match of n bytes that starts at
// src[at].
func (e *Encoder) emit(from, at, n int, offset uint32) {
	s := seq{uint32(at - from), uint32(n), offset}
	e.reps.push(s.offset, s.litLength, e.reps.value(s.offset, s.litLength))
	e.seqs = append(e.seqs, s)
}
