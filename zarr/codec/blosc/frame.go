package blosc

import "github.com/zargo-io/zargo/zarr/codec/internal/planes"

// Frame is a frame of which parts are decoded: only the blocks that they lie in, each once where parts are asked for in rising order.
// It belongs to one goroutine at a time.
type Frame struct {
	h     Header
	src   []byte
	block int // that is in held; -1 for none
	held  []byte
	a, b  *scratch // for blocks; nil until they are needed
}

// Open reads the header of a frame, which is src and nothing else; more than limit bytes are fault.Corrupt. Close gives back the memory that
// reading takes, one or two blocks.
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

// Copy fills dst with what the frame holds from at on, which is as much or more. A block that dst has all of is decoded there.
func (f *Frame) Copy(dst []byte, at int) error {
	h := &f.h
	if h.Stored {
		copy(dst, f.src[HeaderSize+at:])
		return nil
	}
	for len(dst) > 0 {
		i := at / h.BlockSize
		start := i * h.BlockSize
		size := min(h.BlockSize, h.Size-start)
		n := min(len(dst), start+size-at)
		switch {
		case n == size && i != f.block:
			if f.a == nil {
				f.a = buffers.Get().(*scratch)
			}
			f.block = -1 // whose memory is used
			if err := h.decodeBlock(dst[:n:n], f.src, i, f.a); err != nil {
				return err
			}
		default:
			if err := f.hold(i, size); err != nil {
				return err
			}
			if h.Shuffle == ByteShuffle {
				planes.JoinPart(dst[:n], f.held, h.TypeSize, at-start)
			} else {
				copy(dst[:n], f.held[at-start:])
			}
		}
		dst, at = dst[n:], at+n
	}
	return nil
}

// hold decodes a block, but leaves bytes shuffled.
func (f *Frame) hold(i, size int) error {
	if f.block == i {
		return nil
	}
	if f.a == nil {
		f.a = buffers.Get().(*scratch)
	}
	f.block = -1
	f.held = f.a.room(size)
	if err := f.h.decodePlanes(f.held, f.src, i); err != nil {
		return err
	}
	if f.h.Shuffle == BitShuffle {
		if f.b == nil {
			f.b = buffers.Get().(*scratch)
		}
		shuffled := f.held
		f.held = f.b.room(size)
		bitUnshuffle(f.held, shuffled, f.h.TypeSize)
	}
	f.block = i
	return nil
}
