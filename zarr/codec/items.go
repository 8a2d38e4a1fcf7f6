package codec

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
)

// DecodeItems decodes a chunk of elements of varying length. It calls do with each element and the
// index of the element in the chunk in C order. The calls may be in any order. An element is valid
// until do returns, and do must not modify it. DecodeItems stops at the first error of do and
// returns that error. Other errors are those of [Chain.DecodeTo]. DecodeItems takes less memory
// than a Block of items, which has 24 bytes per element.
func (c *Chain) DecodeItems(src []byte, s *Scratch, do func(i int, item []byte) error) error {
	if !c.whole.items {
		return fault.Newf(fault.Selection, "elements must vary in length, have %d bytes each", c.whole.size)
	}
	if s == nil {
		s = &Scratch{}
	}
	s.steps = s.steps[:0]
	return c.decodeItems(s.whole(Block{}, c.whole), src, s, do)
}

// decodeItems is DecodeItems with positions instead of indexes. The first argument of do is the
// position of an element in the memory of box. The box contains all elements of the chunk.
func (c *Chain) decodeItems(box Strided, src []byte, s *Scratch, do func(at int, item []byte) error) error {
	inner, moved := box, true
	for i := range c.arrays {
		var ok bool
		inner, ok = through(c.arrays[i].codec, inner, s)
		moved = moved && ok
	}
	shards, sharded := c.array.(*sharding)
	d, streams := c.array.(ItemDecoder)
	if !moved || !streams && !sharded {
		items := s.block(2, c.whole)
		if err := c.decodeArray(0, 0, s.whole(items, c.whole), src, s); err != nil {
			return err
		}
		w := newItemWalk(box, do)
		for _, item := range items.Items {
			if err := w.next(item); err != nil {
				return c.wrap(err)
			}
		}
		return nil
	}
	b, flip := src, 0
	var err error
	for i := len(c.bytes) - 1; i >= 0; i-- {
		if b, err = c.undo(i, b, &flip, s); err != nil {
			return err
		}
	}
	if sharded {
		return c.wrap(shards.decodeItems(inner, b, s, do))
	}
	if m, ok := c.array.(MinEncoder); ok && int64(len(b)) < m.MinEncoded() {
		return c.wrap(fault.Newf(fault.Corrupt, "a chunk of %d elements must have at least %d bytes, has %d", c.packed.elems, m.MinEncoded(), len(b)))
	}
	w := newItemWalk(inner, do)
	if err := d.DecodeItems(b, w.next); err != nil {
		return c.wrap(err)
	}
	if w.left > 0 {
		return c.wrap(fault.Newf(fault.Corrupt, "decoded to %d elements, want %d", c.packed.elems-w.left, c.packed.elems))
	}
	return nil
}

// decodeItems is [Chain.decodeItems] for a shard.
func (s *sharding) decodeItems(of Strided, src []byte, sc *Scratch, do func(at int, item []byte) error) error {
	x, err := s.indexOf(src)
	if err != nil {
		return err
	}
	box := of
	box.Axes = make([]Step, len(of.Axes))
	inner := sc.within()
	return s.touched(of, func(at []int) error {
		stored, ok, err := s.stored(x, src, at)
		if err != nil {
			return err
		}
		s.cut(&box, of, at)
		if !ok {
			w := newItemWalk(box, do)
			for range s.inner.whole.elems {
				if err := w.next(s.inner.in.Fill); err != nil {
					return err
				}
			}
			return nil
		}
		inner.steps = inner.steps[:0]
		if err := s.inner.decodeItems(box, stored, inner, do); err != nil {
			return fmt.Errorf("inner chunk %v: %w", at, err)
		}
		return nil
	})
}

// itemWalk calls do with consecutive elements and their positions in a box, in the order of the
// box's axes.
type itemWalk struct {
	axes []Step
	at   []int
	pos  int
	left int
	do   func(at int, item []byte) error
}

func newItemWalk(box Strided, do func(at int, item []byte) error) *itemWalk {
	w := &itemWalk{axes: box.Axes, at: make([]int, len(box.Axes)), pos: box.At, left: 1, do: do}
	for _, a := range box.Axes {
		w.left *= a.N
	}
	return w
}

func (w *itemWalk) next(item []byte) error {
	if w.left--; w.left < 0 {
		return fault.Newf(fault.Corrupt, "decoded to more elements than the chunk has")
	}
	err := w.do(w.pos, item)
	for k := len(w.axes) - 1; k >= 0; k-- {
		a := &w.axes[k]
		w.pos += a.Stride
		if w.at[k]++; w.at[k] < a.N {
			break
		}
		w.pos, w.at[k] = w.pos-a.N*a.Stride, 0
	}
	return err
}
