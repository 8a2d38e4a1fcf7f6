package lzma

import (
	"encoding/binary"
	"fmt"
)

// Control bytes of LZMA2 chunks. 0 is the end of the stream. 1 and 2 precede uncompressed chunks,
// and 1 also resets the dictionary. Values from 128 on precede LZMA chunks: bits 0 to 4 are the
// highest bits of the decoded size, and bits 5 and 6 select the resets.
const (
	chunkEnd       = 0x00
	chunkPlainNew  = 0x01
	chunkPlain     = 0x02
	chunkLZMA      = 0x80
	chunkState     = 0x20 // state reset
	chunkProps     = 0x40 // state reset, new properties
	chunkAll       = 0x60 // state reset, new properties, dictionary reset
	maxChunk       = 1 << 21
	maxPlainChunk  = 1 << 16
	maxPackedChunk = 1 << 16
)

// decodeLZMA2 decodes one LZMA2 stream and returns the bytes after it.
func decodeLZMA2(o *output, src []byte) ([]byte, error) {
	d := &o.coder
	needDict, needProps, needState := true, true, true
	for {
		if len(src) == 0 {
			return nil, errCut
		}
		control := src[0]
		switch {
		case control == chunkEnd:
			return src[1:], nil
		case control == chunkPlainNew || control == chunkPlain:
			if len(src) < 3 {
				return nil, errCut
			}
			n := int(binary.BigEndian.Uint16(src[1:])) + 1
			if src = src[3:]; len(src) < n {
				return nil, errCut
			}
			if control == chunkPlainNew {
				o.start, needDict = o.n, false
			} else if needDict {
				return nil, errStart
			}
			needState = true
			if err := o.room(n); err != nil {
				return nil, err
			}
			o.n += copy(o.b[o.n:], src[:n])
			src = src[n:]
		case control < chunkLZMA:
			return nil, fmt.Errorf("invalid control byte %#x of a chunk", control)
		default:
			if len(src) < 5 {
				return nil, errCut
			}
			size := int(control&0x1f)<<16 + int(binary.BigEndian.Uint16(src[1:])) + 1
			packed := int(binary.BigEndian.Uint16(src[3:])) + 1
			src = src[5:]
			resets := control & chunkAll
			if resets == chunkAll {
				o.start, needDict = o.n, false
			}
			if needDict || needProps && resets < chunkProps || needState && resets < chunkState {
				return nil, errStart
			}
			if resets >= chunkProps {
				if len(src) == 0 {
					return nil, errCut
				}
				p, ok := propertiesOf(src[0])
				if !ok {
					return nil, fmt.Errorf("invalid properties %#x", src[0])
				}
				d.Properties, src, needProps = p, src[1:], false
			}
			if resets >= chunkState {
				d.reset(d.Properties)
				needState = false
			}
			if len(src) < packed {
				return nil, errCut
			}
			if size > o.most-o.n {
				return nil, errLimit
			}
			if !d.start(src[:packed]) {
				return nil, errStart
			}
			marked, err := d.run(o, o.n+size)
			if err != nil {
				return nil, err
			}
			if marked || d.code != 0 || d.at != packed {
				return nil, fmt.Errorf("a chunk does not end after its declared length")
			}
			src = src[packed:]
		}
	}
}
