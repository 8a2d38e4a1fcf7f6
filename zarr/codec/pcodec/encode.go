package pcodec

import "math/bits"

// encode appends a standalone file with the numbers in src to dst.
func (e *encoder) encode(dst, src []byte, n number, o options) []byte {
	size := n.size()
	count := len(src) / size
	w := &e.w
	*w = writer{dst: append(dst, magic...)}
	w.bits(writtenStandalone, 8)
	hint := max(bits.Len(uint(count)), 1)
	w.bits(uint64(hint-1), 6)
	w.bits(uint64(count), uint(hint))
	w.align()
	w.bits(writtenFormat, 8)
	most := o.chunk
	for chunks := (count + most - 1) / most; chunks > 0; chunks-- {
		part := (count + chunks - 1) / chunks // of nearly the same size
		w.bits(uint64(n.code), 8)
		w.bits(uint64(part-1), 24)
		e.chunk(src[:part*size], n, o)
		src, count = src[part*size:], count-part
	}
	w.bits(0, 8)
	w.align()
	out := w.dst
	w.dst = nil
	e.trim()
	return out
}

// encoder has the memory for the encoding of files. It is for one file at a time.
type encoder struct {
	logs    logs
	w       writer
	latents []uint64 // of a chunk
	sorted  []uint64 // differences, sorted
	spare   []uint64 // for sorting
	sample  []uint64
	bins16  []uint16 // index of the bin of each latent
	symbols []uint16 // tANS bits of each latent
	lengths []uint8  // number of these bits
}

// The encoder writes the oldest versions of the format that have all of its features.
const (
	writtenStandalone = 2
	writtenFormat     = 2
)

// chunk writes the metadata and the page of a chunk.
func (e *encoder) chunk(src []byte, n number, o options) {
	count := len(src) / n.size()
	e.latents = sized(e.latents, count)
	n.load(e.latents, src)
	level := levelFor(o.level, count)
	order := o.order
	if order == autoOrder {
		order = e.chooseOrder(n.width, level)
	}
	order = min(order, max(count-1, 0))
	var moments [maxOrder]uint64
	body := difference(e.latents, moments[:order], n.width)
	bins, log, cost := e.train(body, n.width, level)
	if plain := int64(count) * int64(n.width); cost > plain+int64(binBits(n.width)) {
		n.load(e.latents, src)
		order, body, log = 0, e.latents, 0
		bins = []binOf{{width: uint8(n.width), count: count, weight: 1}}
	}

	w := &e.w
	w.bits(uint64(classic), 4)
	w.bits(uint64(order), 3)
	writeBins(w, bins, log, n.width)
	w.align()
	states := e.assign(body, bins, log)
	for _, m := range moments[:order] {
		w.bits(m, n.width)
	}
	for _, s := range states {
		w.bits(uint64(s), log)
	}
	w.align()
	e.writeLatents(body, bins, log)
	w.align()
}

// binBits returns the number of bits of a bin in metadata, without its weight.
func binBits(width uint) int { return int(width) + bits.Len(width) }

// levelFor reduces the level for chunks of few numbers. Many bins are not worth their size there.
func levelFor(level, count int) int {
	fast := max(bits.Len(uint(count))-5, 0)
	if level <= fast {
		return level
	}
	return fast + (level-fast)/2
}

func writeBins(w *writer, bins []binOf, log, width uint) {
	w.bits(uint64(log), 4)
	w.bits(uint64(len(bins)), 15)
	for _, b := range bins {
		w.bits(uint64(b.weight-1), log)
		w.bits(b.lower, width)
		w.bits(uint64(b.width), uint(bits.Len(width)))
	}
}

// writeLatents writes the latents of a page: for each batch the tANS bits, then the offsets.
func (e *encoder) writeLatents(latents []uint64, bins []binOf, log uint) {
	w := &e.w
	for start := 0; start < len(latents); start += batchSize {
		end := min(start+batchSize, len(latents))
		if log > 0 {
			for i := start; i < end; i++ {
				w.bits(uint64(e.symbols[i]), uint(e.lengths[i]))
			}
		}
		for i := start; i < end; i++ {
			b := &bins[e.bins16[i]]
			w.bits(latents[i]-b.lower, uint(b.width))
		}
	}
}

// sized returns a slice of n elements, in the memory of s if that is large enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// trim drops the buffers of a large file.
func (e *encoder) trim() {
	if cap(e.latents) > maxKept*16 {
		e.latents, e.sorted, e.spare, e.symbols, e.lengths, e.bins16 = nil, nil, nil, nil, nil, nil
	}
}

func newEncoder() *encoder {
	e := &encoder{}
	e.logs.fill()
	return e
}
