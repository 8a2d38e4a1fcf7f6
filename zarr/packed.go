package zarr

import (
	"context"
	"encoding/binary"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
)

// Packed holds elements that vary in length, in C order. It takes 8 bytes for each element, plus
// the bytes of elements that are neither the fill value nor equal to the preceding element. It is
// immutable and safe for concurrent use.
type Packed struct {
	numbers []byte // 8 bytes each
	items   *pipeline.Items
}

// ReadPacked is like [Array.ReadItems], but returns the elements in one [Packed]. This saves the 24
// bytes of a slice header for each element. Errors are as for ReadItems.
func (a *Array) ReadPacked(ctx context.Context, sel ...Selection) (*Packed, error) {
	if err := a.varies(); err != nil {
		return nil, err
	}
	r, n, err := a.selected(sel, 8)
	if err != nil {
		return nil, err
	}
	return a.readPacked(ctx, n, r, 8)
}

// Len returns the number of elements.
func (p *Packed) Len() int { return len(p.numbers) / 8 }

// At returns the i-th element in memory form (see package dtype). The bytes must not be changed. i
// must be at least 0 and less than Len.
func (p *Packed) At(i int) []byte { return p.items.At(p.number(i)) }

func (p *Packed) number(i int) uint64 { return binary.LittleEndian.Uint64(p.numbers[8*i:]) }

// Bytes returns the size of the elements in memory.
func (p *Packed) Bytes() int64 { return int64(len(p.numbers)) + p.items.Kept() }

// Same reports whether the i-th element is known, without comparing bytes, to equal the one before.
func (p *Packed) Same(i int) bool { return i > 0 && p.number(i) == p.number(i-1) }

// readPacked reads the n elements of a region. The caller needs n*each bytes of memory for them,
// including the 8 bytes of each element in Packed.
func (a *Array) readPacked(ctx context.Context, n int, r grid.Selection, each int64) (*Packed, error) {
	if err := a.mayHold(n, each); err != nil {
		return nil, err
	}
	items, err := a.of.Pipe.Items(concurrency.Memory() - int64(n)*each)
	if err != nil {
		return nil, a.errf(err)
	}
	p := &Packed{make([]byte, 8*n), items}
	return p, a.of.Numbered(items).Read(ctx, p.numbers, r)
}

// dense reports whether most bytes of p.items are selected, so that results may share its memory.
func (p *Packed) dense() bool {
	var selected int64
	for i := range p.Len() {
		if !p.Same(i) {
			selected += int64(len(p.At(i)))
		}
	}
	return p.items.Dense(selected)
}

// slices sets dst to the elements of p. They may share memory with p.items and with each other.
func (p *Packed) slices(dst [][]byte) {
	fill, dense := append([]byte{}, p.items.At(0)...), p.dense()
	for i := range dst {
		switch number := p.number(i); {
		case p.Same(i):
			dst[i] = dst[i-1]
		case number == 0:
			dst[i] = fill[:len(fill):len(fill)]
		case dense:
			dst[i] = p.items.At(number)
		default:
			dst[i] = append([]byte{}, p.items.At(number)...)
		}
	}
}

// texts sets dst to the elements as strings. Several of them may share one longer string.
func (p *Packed) texts(dst []string) {
	text, dense := p.items.Texts(), p.dense()
	for i := range dst {
		switch number := p.number(i); {
		case p.Same(i):
			dst[i] = dst[i-1]
		case dense || number == 0:
			dst[i] = text(number)
		default:
			dst[i] = string(p.items.At(number))
		}
	}
}
