package compute

import (
	"context"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr/fault"
)

// tile is the state of one task: the cells of the groups that are not complete. A group is a group
// along the streamed axis; without such an axis there is one.
type tile[S cf.Number] struct {
	d     *reduced[S]
	p     *Plan
	task  walk.Box
	emit  Emit
	cells walk.Box // the results of a group; the streamed axis and dropped axes have the length 1

	slabs []int             // ends of the parts of the streamed axis that are read together
	ends  []int             // position after the last element of each group
	open  map[int]*cells[S] // cells of groups that are not complete
	next  int               // first group that is not complete
	batch []*cells[S]       // complete groups of the next chunk of results; nil for one without elements
	sizes [][]int64         // elements of the groups along each axis, for Reduction.KeepMissing

	buffers walk.Buffers[S]
}

// partial is the result of a box of elements.
type partial[S cf.Number] struct {
	box    walk.Box
	first  int         // the first group
	groups []*cells[S] // nil for a group without elements
	cells  walk.Box    // of each group, among those of the tile
}

func (d *reduced[S]) tile(ctx context.Context, p *Plan, task walk.Box, emit Emit) error {
	t := &tile[S]{d: d, p: p, task: task, emit: emit, open: map[int]*cells[S]{}}
	t.cells = t.area(task)
	t.ends = []int{math.MaxInt}
	if k := p.stream; k >= 0 {
		g := p.r.Groups[k]
		t.ends = make([]int, g.N)
		for i := range p.r.Axes[k].Count {
			for j, last := g.Of(i); j <= last; j++ {
				t.ends[j] = i + 1
			}
		}
		for from := 0; from < p.r.Axes[k].Count; {
			from = p.slab(from)
			t.slabs = append(t.slabs, from)
		}
	}
	if p.r.KeepMissing {
		t.sizes = make([][]int64, len(p.r.Groups))
		for k, g := range p.r.Groups {
			if g != nil {
				t.sizes[k] = g.sizes(p.r.Axes[k].Count)
			}
		}
	}
	o := walk.Options{Ahead: ahead, Budget: p.r.Array.Limits().Shared.Bytes, Bytes: aheadBytes, Need: t.need}
	for part, err := range walk.Read(ctx, o, t.boxes(), t.read) {
		if err != nil {
			return err
		}
		if k := p.stream; k >= 0 {
			slab := sort.SearchInts(t.slabs, part.box.At[k]+1)
			if slab > 0 {
				if err := t.complete(t.slabs[slab-1]); err != nil {
					return err
				}
			}
		}
		t.merge(part)
	}
	return t.complete(math.MaxInt)
}

const (
	// ahead is the maximum number of boxes that are read at a time.
	ahead = 16
	// aheadBytes is the memory of these boxes: enough for two of the usual size. A process runs
	// several tasks.
	aheadBytes = 12 << 20
	// longest is the maximum number of elements of a box of chunks that are read in ranges.
	longest = 1 << 23
)

// area returns the results that a box of elements contributes to, without the streamed axis.
func (t *tile[S]) area(b walk.Box) walk.Box {
	a := walk.Box{At: make([]int, len(b.At)), Shape: make([]int, len(b.At))}
	for k, g := range t.p.r.Groups {
		switch {
		case k == t.p.stream:
			a.Shape[k] = 1
		case g == nil:
			a.At[k], a.Shape[k] = b.At[k], b.Shape[k]
		default:
			lo, hi := g.span(b.At[k], b.At[k]+b.Shape[k])
			if b.Shape[k] == t.p.r.Axes[k].Count { // groups without elements too
				lo, hi = 0, g.N
			}
			a.At[k], a.Shape[k] = lo, hi-lo
		}
	}
	return a
}

// boxes yields the boxes of elements of the task, slab by slab.
func (t *tile[S]) boxes() iter.Seq[walk.Box] {
	k, axes := t.p.stream, make([]walk.Axis, len(t.p.r.Axes))
	for i, x := range t.p.r.Axes {
		axes[i] = x.Part(t.task.At[i], t.task.Shape[i])
	}
	elements, most := want/max(t.d.size, 1), math.MaxInt
	if a := t.p.r.Array; !a.Sharded() && InRanges(a) {
		most = longest
	}
	return func(yield func(walk.Box) bool) {
		from, ends := 0, t.slabs
		if k < 0 {
			ends = []int{0}
		}
		for _, end := range ends {
			part := axes
			if k >= 0 {
				part = slices.Clone(axes)
				part[k] = axes[k].Part(from, end-from)
			}
			for b := range walk.Tiles(part, elements, most) {
				for i, at := range t.task.At {
					b.At[i] += at
				}
				if k >= 0 {
					b.At[k] += from
				}
				if !yield(b) {
					return
				}
			}
			from = end
		}
	}
}

// groupsOf returns the groups [lo, hi) along the streamed axis of a box.
func (t *tile[S]) groupsOf(b walk.Box) (lo, hi int) {
	k := t.p.stream
	if k < 0 {
		return 0, 1
	}
	return t.p.r.Groups[k].span(b.At[k], b.At[k]+b.Shape[k])
}

// need returns the memory of a box: its elements and its results.
func (t *tile[S]) need(b walk.Box) int64 {
	lo, hi := t.groupsOf(b)
	return b.Bytes(int64(t.d.size)) + t.area(b).Bytes(t.d.cellBytes())*int64(hi-lo)
}

// read reads and reduces a box.
func (t *tile[S]) read(ctx context.Context, b walk.Box) (partial[S], error) {
	r, n := t.p.r, b.Len()
	part := partial[S]{box: b, cells: t.area(b)}
	first, end := t.groupsOf(b)
	part.first = first
	buf := t.buffers.Make(n)
	defer t.buffers.Put(buf)
	x, err := t.d.read(ctx, buf, n, r.Select(b))
	if err != nil {
		return part, err
	}
	slot, err := core(ctx, r.Array)
	if err != nil {
		return part, err
	}
	defer slot.Release()
	m := part.cells.Len()
	part.groups = make([]*cells[S], end-first)
	for i := range part.groups {
		part.groups[i] = t.d.k.make(m)
	}
	s := nest[S]{k: &t.d.k, row: t.d.k.row, run: t.d.k.run, groups: part.groups, x: x}
	s.outer, s.inner = levels(t.levels(b, part))
	if r.Weights != nil {
		at := 0
		for k, i := range b.At {
			at += i * r.Strides[k]
		}
		s.w = r.Weights[at:]
	}
	if end > first && m > 0 && n > 0 {
		s.add()
	}
	if r.Op == Std {
		for _, c := range part.groups {
			t.d.k.settle(c)
		}
		s.row, s.run = t.d.k.squareRow, t.d.k.squareRun
		if end > first && m > 0 && n > 0 {
			s.add()
		}
	}
	return part, nil
}

// levels returns the axes of a box for nest.
func (t *tile[S]) levels(b walk.Box, part partial[S]) []level {
	rank := len(b.At)
	all := make([]level, rank)
	stride, cell := 1, 1
	for k := rank - 1; k >= 0; k-- {
		l := level{n: b.Shape[k], stride: stride}
		if t.p.r.Weights != nil {
			l.weight = t.p.r.Strides[k]
		}
		stride *= b.Shape[k]
		switch g := t.p.r.Groups[k]; {
		case g == nil:
			l.cell = cell
		case g.Drop:
		default:
			from, base := b.At[k], part.cells.At[k]
			if l.streamed = k == t.p.stream; l.streamed {
				base = part.first
			}
			l.cell = cell
			l.first, l.last = make([]int32, l.n), make([]int32, l.n)
			for i := range l.n {
				first, last := g.Of(from + i)
				l.first[i], l.last[i] = int32(first-base), int32(last-base) //nolint:gosec // groups of the box
			}
		}
		cell *= part.cells.Shape[k]
		all[k] = l
	}
	return all
}

// merge adds the results of a box.
func (t *tile[S]) merge(part partial[S]) {
	whole := slices.Equal(part.cells.At, t.cells.At) && slices.Equal(part.cells.Shape, t.cells.Shape)
	at := make([]int, len(part.cells.At))
	for k := range at {
		at[k] = part.cells.At[k] - t.cells.At[k]
	}
	n := run(part.cells.Shape, t.cells.Shape)
	for i, c := range part.groups {
		g := part.first + i
		have := t.open[g]
		if have == nil && whole {
			t.open[g] = c
			continue
		}
		if have == nil {
			have = t.d.k.make(t.cells.Len())
			t.open[g] = have
		}
		for to, from := range rows(at, part.cells.Shape, t.cells.Shape) {
			t.d.k.merge(have, to, c, from, n)
		}
	}
}

// complete emits the groups all of whose elements are before a position of the streamed axis.
func (t *tile[S]) complete(position int) error {
	for t.next < len(t.ends) && (t.ends[t.next] <= position || position == math.MaxInt) {
		t.batch = append(t.batch, t.open[t.next])
		delete(t.open, t.next)
		if t.next++; t.next%t.p.batch == 0 || t.next == len(t.ends) {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush emits the groups of t.batch.
func (t *tile[S]) flush() error {
	first, n, k := t.next-len(t.batch), len(t.batch), t.p.stream
	before, after := 1, 1 // cells along the axes before and after the streamed one
	var at, shape []int
	for i, g := range t.p.r.Groups {
		switch {
		case i == k:
			at, shape = append(at, first), append(shape, n)
			continue
		case g == nil || !g.Drop:
			at, shape = append(at, t.cells.At[i]), append(shape, t.cells.Shape[i])
		}
		if i < k || k < 0 {
			before *= t.cells.Shape[i]
		} else {
			after *= t.cells.Shape[i]
		}
	}
	m := before * after
	v := t.d.values(t.p, n*m)
	for j, c := range t.batch {
		totals := t.totals(first + j)
		for i := range m {
			if err := t.d.set(v, (i/after*n+j)*after+i%after, t.p, c, i, totals); err != nil {
				return err
			}
		}
	}
	t.batch = t.batch[:0]
	if n*m == 0 {
		return nil
	}
	return t.emit(at, shape, t.d.results(v))
}

// totals returns the number of elements of each cell of a group, if it matters.
func (t *tile[S]) totals(group int) []int64 {
	if !t.p.r.KeepMissing {
		return nil
	}
	totals := make([]int64, 0, t.cells.Len())
	for at := range (walk.Box{At: make([]int, len(t.cells.At)), Shape: t.cells.Shape}).Positions() {
		n := int64(1)
		for k, g := range t.p.r.Groups {
			switch {
			case g == nil:
			case k == t.p.stream:
				n *= t.sizes[k][group]
			default:
				n *= t.sizes[k][t.cells.At[k]+at[k]]
			}
		}
		totals = append(totals, n)
	}
	return totals
}

// values returns room for n results.
func (d *reduced[S]) values(p *Plan, n int) *results[S] {
	switch {
	case p.r.Op == Count || d.k.whole && !p.Float && p.r.Op == Sum:
		return &results[S]{whole: make([]int64, n)}
	case d.stored:
		return &results[S]{moved: make([]S, n)}
	}
	return &results[S]{floats: make([]float64, n)}
}

// set sets result at to that of cell i of c, which is nil if no element was read.
func (d *reduced[S]) set(v *results[S], at int, p *Plan, c *cells[S], i int, totals []int64) error {
	n := int64(0)
	if c != nil {
		n = c.n[i]
	}
	op := p.r.Op
	missing := n < max(p.r.Least, 1) && op != Count && !(op == Sum && p.r.Least == 0) || totals != nil && n != totals[i] && op != Count ||
		d.k.raw && n > 0 && !d.k.present(c.best[i])
	switch {
	case v.whole != nil && c == nil:
	case v.whole != nil && op == Count:
		v.whole[at] = n
	case v.whole != nil:
		if d.k.wide && math.Abs(c.sum[i]) >= d.most {
			return fault.Newf(fault.Type, "array %q: a sum of integers overflows 64 bits", p.r.Array.Path())
		}
		v.whole[at] = c.isum[i]
	case v.moved != nil && missing:
		v.moved[at] = d.none
	case v.moved != nil:
		v.moved[at] = c.best[i]
	case missing:
		v.floats[at] = math.NaN()
	case c != nil && n > 0:
		v.floats[at] = d.k.value(c, i, d.l)
	}
	return nil
}
