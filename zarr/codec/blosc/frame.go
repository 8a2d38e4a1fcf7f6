package blosc

import "github.com/zargo-io/zargo/zarr/codec/internal/planes"

// Frame decodes parts of a frame. It decodes only the blocks that a part overlaps, and each block
// once if parts are read in ascending order. A Frame must be used by one goroutine at a time.
type Frame struct {
	h      Header
	src    []byte
	block  int // index of the block in planes or, unless byte-shuffled, in plain; -1 for none
	start  int // decoded offset of that block
	planes planes.Block
	plain  []byte
	a, b   *scratch // buffers; nil until needed
}

// Open parses the header of a frame. src must be exactly one frame. Open returns fault.Corrupt if
// the decoded size exceeds limit bytes. The caller must call Close, which releases the buffers of
// one or two blocks.
func Open(src []byte, limit int) (Frame, error) {
	h, err := openFrame(src, limit)
	return Frame{h: h, src: src, block: -1}, err
}

// Size returns the decoded size of the frame.
func (f *Frame) Size() int { return f.h.Size }

// Close releases the buffers of the Frame.
func (f *Frame) Close() {
	for _, s := range [...]*scratch{f.a, f.b} {
		if s != nil {
			buffers.Put(s)
		}
	}
	*f = Frame{}
}

// Copy fills dst with decoded bytes. The parameter at is the offset of the first byte in the
// decoded frame. All bytes must be within the frame. Copy decodes a block directly into dst if dst
// contains the whole block.
func (f *Frame) Copy(dst []byte, at int) error {
	h := &f.h
	if h.Stored {
		copy(dst, f.src[HeaderSize+at:])
		return nil
	}
	// Most rows of a chunk are in the current block.
	if f.block >= 0 && at >= f.start && at-f.start+len(dst) <= f.size() {
		f.part(dst, at-f.start)
		return nil
	}
	for len(dst) > 0 {
		i := at / h.BlockSize
		start := i * h.BlockSize
		size := min(h.BlockSize, h.Size-start)
		n := min(len(dst), start+size-at)
		if n == size && i != f.block {
			if f.a == nil {
				f.a = buffers.Get().(*scratch)
			}
			f.block = -1 // its memory is reused
			if err := h.decodeBlock(dst[:n:n], f.src, i, f.a); err != nil {
				return err
			}
		} else {
			if err := f.hold(i, size); err != nil {
				return err
			}
			f.part(dst[:n], at-start)
		}
		dst, at = dst[n:], at+n
	}
	return nil
}

// size returns the size of the current block.
func (f *Frame) size() int {
	if f.h.Shuffle == ByteShuffle {
		return f.planes.Len()
	}
	return len(f.plain)
}

// part fills dst with the bytes of the current block that begin at offset off of the block.
func (f *Frame) part(dst []byte, off int) {
	if f.h.Shuffle == ByteShuffle {
		f.planes.JoinPart(dst, off)
	} else {
		copy(dst, f.plain[off:])
	}
}

// hold decodes block i and makes it the current block. It leaves a byte-shuffled block shuffled,
// because part joins only the bytes that are needed.
func (f *Frame) hold(i, size int) error {
	if f.block == i {
		return nil
	}
	if f.a == nil {
		f.a = buffers.Get().(*scratch)
	}
	f.block = -1
	held := f.a.room(size)
	if err := f.h.decodePlanes(held, f.src, i); err != nil {
		return err
	}
	switch f.h.Shuffle {
	case ByteShuffle:
		f.planes = planes.BlockOf(held, f.h.TypeSize)
	case BitShuffle:
		if f.b == nil {
			f.b = buffers.Get().(*scratch)
		}
		f.plain = f.b.room(size)
		bitUnshuffle(f.plain, held, f.h.TypeSize)
	default:
		f.plain = held
	}
	f.block, f.start = i, i*f.h.BlockSize
	return nil
}
