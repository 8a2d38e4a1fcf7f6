package lzma

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Encoder encodes streams of one configuration. It is immutable and safe for concurrent use.
type Encoder struct {
	c    Config
	pool sync.Pool
}

// NewEncoder returns an encoder. It returns the error of [Config.Validate] for an invalid
// configuration. The format Auto is also an error, because it is only for decoding.
func NewEncoder(c Config) (*Encoder, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Format == Auto {
		return nil, fault.Newf(fault.Metadata, "lzma format 0 can only be read")
	}
	if c.Format == XZ && c.Check == Unsaid {
		c.Check = CRC64
	}
	return &Encoder{c: c}, nil
}

// MaxInput is the maximum length in bytes of the input of an Encoder.
const MaxInput = math.MaxInt32 - 1

// Encode appends one stream with the content src. The output depends only on src and the
// configuration. It returns fault.Limit if src has more than about 2 GiB.
func (e *Encoder) Encode(dst, src []byte) ([]byte, error) {
	if int64(len(src)) > MaxInput {
		return dst, fault.Newf(fault.Limit, "lzma input must have at most %d bytes, has %d", MaxInput, len(src))
	}
	w, ok := e.pool.Get().(*encoder)
	if !ok {
		w = &encoder{}
	}
	defer e.pool.Put(w)
	chain := e.c.chain()
	packed := apply(chain, src)
	defer func() { w.src = nil }()
	last := chain[len(chain)-1]
	switch e.c.Format {
	case Raw:
		return w.encode(dst, packed, last), nil
	case Alone:
		dst = append(dst, last.Coder.byte())
		dst = binary.LittleEndian.AppendUint32(dst, uint32(last.Coder.DictSize))
		// The size is unknown, and the stream has an end marker.
		dst = append(dst, 255, 255, 255, 255, 255, 255, 255, 255)
		return w.encode(dst, packed, last), nil
	}
	return w.encodeXZ(dst, src, packed, e.c.Check, chain), nil
}

// encodeXZ appends a stream of one block. If src is empty, the stream does not contain blocks, like
// the streams of liblzma.
func (w *encoder) encodeXZ(dst, src, packed []byte, kind Check, chain []Filter) []byte {
	flags := []byte{0, byte(kind)}
	dst = append(append(dst, magic...), flags...)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(flags))
	var records []record
	if len(src) > 0 {
		from := len(dst)
		dst = append(dst, 0, byte(len(chain)-1))
		for _, f := range chain {
			p := f.properties()
			dst = binary.AppendUvarint(dst, uint64(f.ID))
			dst = append(binary.AppendUvarint(dst, uint64(len(p))), p...)
		}
		for (len(dst)-from)%4 != 0 {
			dst = append(dst, 0)
		}
		dst[from] = byte((len(dst) - from) / 4)
		dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[from:]))
		dst = w.encode(dst, packed, chain[len(chain)-1])
		n := len(dst) - from
		for k := n; k%4 != 0; k++ {
			dst = append(dst, 0)
		}
		dst = appendSum(dst, kind, src)
		records = []record{{uint64(n + sumSize(kind)), uint64(len(src))}}
	}
	from := len(dst)
	dst = appendIndex(dst, records)
	footer := append(binary.LittleEndian.AppendUint32(nil, uint32((len(dst)-from)/4-1)), flags...)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(footer))
	return append(append(dst, footer...), 'Y', 'Z')
}

// encoder is the state of one encoding.
type encoder struct {
	rangeEncoder
	chooser
}

// encode appends an LZMA1 or LZMA2 stream with the settings of f.
func (w *encoder) encode(dst, src []byte, f Filter) []byte {
	w.finder.reset(src, f.Coder)
	w.ahead = false
	w.model.reset(f.Coder.Properties)
	if f.ID == LZMA2 {
		return w.encodeLZMA2(dst)
	}
	w.start(dst)
	for pos := 0; pos < len(src); {
		pos = w.step(pos)
	}
	w.matched(w.state, len(src), symbol{minMatch, literal}) // the end marker
	return w.finish()
}

// step writes the next symbol and returns the position after it.
func (w *encoder) step(pos int) int {
	s := w.choose(pos)
	w.write(pos, s)
	return pos + int(s.n)
}

// write encodes one symbol.
func (w *encoder) write(pos int, s symbol) {
	m := &w.model
	posState := pos & (1<<m.PB - 1)
	if s.what == literal {
		w.bit(&m.match[m.state][posState], 0)
		w.literalByte(pos)
		m.state = afterLiteral(m.state)
		return
	}
	state := m.state
	m.state, m.reps = after(s, m.state, m.reps)
	if s.what >= 4 {
		w.matched(state, pos, symbol{s.n, s.what - 4})
		return
	}
	w.bit(&m.match[state][posState], 1)
	w.bit(&m.rep[state], 1)
	if s.what == 0 {
		w.bit(&m.repNot0[state], 0)
		long := uint32(1)
		if s.n == 1 {
			long = 0
		}
		w.bit(&m.repLong[state][posState], long)
		if s.n == 1 {
			return
		}
	} else {
		w.bit(&m.repNot0[state], 1)
		if s.what == 1 {
			w.bit(&m.repNot1[state], 0)
		} else {
			w.bit(&m.repNot1[state], 1)
			w.bit(&m.repNot2[state], s.what-2)
		}
	}
	w.length(&m.repeated, int(s.n), posState)
}

// matched encodes a match. The distance is s.what+1.
func (w *encoder) matched(state, pos int, s symbol) {
	m := &w.model
	posState := pos & (1<<m.PB - 1)
	w.bit(&m.match[state][posState], 1)
	w.bit(&m.rep[state], 0)
	w.length(&m.length, int(s.n), posState)
	slot := slotOf(s.what)
	w.tree(m.slot[lengthState(int(s.n))][:], slot)
	if slot < firstSpecial {
		return
	}
	n := slot>>1 - 1
	low := s.what - uint32(2|slot&1)<<n
	if slot < firstDirect {
		w.reverse(m.special[slot-firstSpecial][:], low, n)
		return
	}
	w.direct(low>>alignBits, n-alignBits)
	w.reverse(m.align[:], low&(1<<alignBits-1), alignBits)
}

func (w *encoder) literalByte(pos int) {
	m := &w.model
	prev := byte(0)
	if pos > 0 {
		prev = w.src[pos-1]
	}
	probs := m.literalProbs(pos, prev)
	c := uint32(w.src[pos])
	if m.state < literals {
		w.tree(probs[:0x100], int(c))
		return
	}
	not, same, at := uint32(w.src[pos-int(m.reps[0])-1])<<1, uint32(0x100), uint32(1)
	for k := 7; k >= 0; k-- {
		b := c >> k & 1
		w.bit(&probs[same+not&same+at], b)
		at = at<<1 | b
		if not&same != b<<8 {
			same = 0
		}
		not <<= 1
	}
}

// encodeLZMA2 appends LZMA2 chunks. A chunk that would not become smaller is stored uncompressed
// and resets the state.
func (w *encoder) encodeLZMA2(dst []byte) []byte {
	forget := byte(chunkAll)
	newDict := true
	for pos := 0; pos < len(w.src); {
		from, head := pos, len(dst)
		dst = append(dst, 0, 0, 0, 0, 0)
		if forget >= chunkProps {
			dst = append(dst, w.byte())
		}
		begin := len(dst)
		w.start(dst)
		// A symbol covers at most maxMatch bytes of the input and takes at most 20 bytes: it has 26
		// direct bits and 22 others, and the minimum probability of a bit is 31/2048.
		for pos < len(w.src) && pos-from <= maxChunk-maxMatch && w.size(begin) <= maxPackedChunk-20 {
			pos = w.step(pos)
		}
		dst = w.finish()
		size, packed := pos-from, len(dst)-begin
		if packed >= size {
			dst = append(dst[:head], chunkPlain, byte((size-1)>>8), byte(size-1))
			if newDict {
				dst[head] = chunkPlainNew
				forget = chunkProps
			} else {
				forget = max(forget, chunkState)
			}
			dst = append(dst, w.src[from:pos]...)
			w.model.reset(w.Properties)
		} else {
			dst[head] = chunkLZMA | forget | byte((size-1)>>16)
			binary.BigEndian.PutUint16(dst[head+1:], uint16(size-1))
			binary.BigEndian.PutUint16(dst[head+3:], uint16(packed-1))
			forget = 0
		}
		newDict = false
	}
	return append(dst, chunkEnd)
}
