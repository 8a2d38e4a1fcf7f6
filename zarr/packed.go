package zarr

import (
	"context"
	"encoding/binary"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
)

// Packed holds elements that vary in length, in C order: 8 bytes for each, and the bytes of those
// that are neither the fill value nor equal to the one before. It is immutable and safe for any
// number of goroutines.
type Packed struct {
	numbers []byte // 8 bytes each
	items   *pipeline.Items
}

// ReadPacked is [Array.ReadItems] for many short elements: a slice of them would take 24 bytes for
// each. Errors are as for ReadItems.
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

// Len is the number of elements.
func (p *Packed) Len() int { return len(p.numbers) / 8 }

// At is the i-th element in memory form (see package dtype), not to be changed. i is at least 0 and
// less than Len.
func (p *Packed) At(i int) []byte { return p.items.At(p.number(i)) }

func (p *Packed) number(i int) uint64 { return binary.LittleEndian.Uint64(p.numbers[8*i:]) }

// Bytes is the memory that the elements take.
func (p *Packed) Bytes() int64 { return int64(len(p.numbers)) + p.items.Kept() }

// Same reports whether the i-th element is known, without a look at its bytes, to be equal to the
// one before it.
func (p *Packed) Same(i int) bool { return i > 0 && p.number(i) == p.number(i-1) }

// readPacked reads the n elements of a region. each is how many bytes of memory the caller needs
// for one, of which 8 are here.
func (a *Array) readPacked(ctx context.Context, n int, r grid.Selection, each int64) (*Packed, error) {
	if err := a.mayHold(n, each); err != nil {
		return nil, err
	}
	items, err := a.pipe.Items(concurrency.Memory() - int64(n)*each)
	if err != nil {
		return nil, a.errf(err)
	}
	p := &Packed{make([]byte, 8*n), items}
	return p, a.numbered(items).read(ctx, p.numbers, r)
}

// dense reports whether the blocks hold little but what was selected, so that elements may as well
// lie in them.
func (p *Packed) dense() bool {
	var selected int64
	for i := range p.Len() {
		if !p.Same(i) {
			selected += int64(len(p.At(i)))
		}
	}
	return p.items.Dense(selected)
}

// slices sets dst to the elements. They lie in the blocks, and those that are equal may be the same
// memory.
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

// texts sets dst to the elements as strings. Those of one block are parts of one string.
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
