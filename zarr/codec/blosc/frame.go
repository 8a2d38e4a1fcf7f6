package blosc

import "github.com/zargo-io/zargo/zarr/codec/internal/planes"

// Frame is a frame of which parts are decoded: only the blocks that they lie in, each once where
// parts are asked for in rising order. It belongs to one goroutine at a time.
type Frame struct {
	h      Header
	src    []byte
	block  int // that is held, in planes or, where it is not shuffled by bytes, in plain; -1 for none
	start  int // of its bytes in the frame
	planes planes.Block
	plain  []byte
	a, b   *scratch // for blocks; nil until they are needed
}

// Open reads the header of a frame, which is src and nothing else; more than limit bytes are
// fault.Corrupt. Close gives back the memory that reading takes, one or two blocks.
func Open(src []byte, limit int) (Frame, error) {
	h, err := openFrame(src, limit)
	return Frame{h: h, src: src, block: -1}, err
}

// Size is the number of bytes that the frame holds.
func (f *Frame) Size() int { return f.h.Size }

// Close ends the use of the Frame.
func (f *Frame) Close() {
	for _, s := range [...]*scratch{f.a, f.b} {
		if s != nil {
			buffers.Put(s)
		}
	}
	*f = Frame{}
}

// Copy fills dst with what the frame holds from at on, which is as much or more. A block that dst
// has all of is decoded there.
func (f *Frame) Copy(dst []byte, at int) error {
	h := &f.h
	if h.Stored {
		copy(dst, f.src[HeaderSize+at:])
		return nil
	}
	if f.block >= 0 && at >= f.start && at-f.start+len(dst) <= f.size() { // as most rows of a chunk are
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
			f.block = -1 // whose memory is used
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

// size is the length of the block that is held.
func (f *Frame) size() int {
	if f.h.Shuffle == ByteShuffle {
		return f.planes.Len()
	}
	return len(f.plain)
}

// part fills dst with what the block that is held has from at on.
func (f *Frame) part(dst []byte, at int) {
	if f.h.Shuffle == ByteShuffle {
		f.planes.JoinPart(dst, at)
	} else {
		copy(dst, f.plain[at:])
	}
}

// hold decodes a block; bytes that are shuffled stay so, for part.
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
