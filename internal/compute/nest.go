package compute

import (
	"slices"

	"github.com/zargo-io/zargo/cf"
)

// nest adds the elements of a box to cells by loops over its axes. Axes whose elements belong to
// different cells are outside, and axes that are reduced inside, so that few cells are in use at a
// time.
type nest[S cf.Number] struct {
	k      *kernel[S]
	row    func(c *cells[S], at int, x []S, w []float64)
	run    func(c *cells[S], at int, x []S, w []float64)
	outer  []level
	inner  level
	groups []*cells[S] // of each group along the streamed axis
	x      []S
	w      []float64 // nil, or the weights
	room   []float64 // equal weights along the inner axis
	runs   []int     // ends of the elements along the inner axis that are in the same groups
}

// level is an axis of a box, or consecutive axes.
type level struct {
	n      int
	stride int // elements of the box from one position to the next
	weight int // weights from one position to the next
	cell   int // cells from one position, or one group, to the next
	// first and last are the groups of each position, counted from the first group of the box, or nil
	// if each position is a cell (cell > 0) or all are in one.
	first, last []int32
	streamed    bool // groups select elements of nest.groups
}

func (l *level) class() int {
	switch {
	case l.first != nil:
		return 1
	case l.cell > 0:
		return 0
	}
	return 2
}

// levels returns the outer axes and the inner axis of a box. Neighbors of one kind are one axis.
func levels(all []level) (outer []level, inner level) {
	inner = level{n: 1, stride: 1}
	var merged []level
	for _, l := range slices.Backward(all) {
		if l.n == 1 && l.first == nil {
			continue
		}
		if len(merged) == 0 {
			merged = append(merged, l)
			continue
		}
		last := &merged[len(merged)-1]
		if l.first == nil && last.first == nil && l.stride == last.n*last.stride && l.cell == last.n*last.cell && l.weight == last.n*last.weight {
			last.n *= l.n
			continue
		}
		merged = append(merged, l)
	}
	if len(merged) > 0 {
		inner, outer = merged[0], merged[1:]
		slices.Reverse(outer)
		slices.SortStableFunc(outer, func(a, b level) int { return a.class() - b.class() })
	}
	return outer, inner
}

// add adds all elements of the box.
func (s *nest[S]) add() {
	if l := &s.inner; l.first != nil && s.runs == nil {
		for i := range l.n {
			if i+1 == l.n || l.first[i+1] != l.first[i] || l.last[i+1] != l.last[i] {
				s.runs = append(s.runs, i+1)
			}
		}
	}
	s.descend(0, 0, 0, 0, 0)
}

func (s *nest[S]) descend(k, x, w, cell, group int) {
	if k == len(s.outer) {
		s.innermost(x, w, cell, group)
		return
	}
	l := &s.outer[k]
	for i := range l.n {
		switch {
		case l.first == nil:
			s.descend(k+1, x, w, cell+i*l.cell, group)
		case l.streamed:
			for g := l.first[i]; g <= l.last[i]; g++ {
				s.descend(k+1, x, w, cell, int(g))
			}
		default:
			for g := l.first[i]; g <= l.last[i]; g++ {
				s.descend(k+1, x, w, cell+int(g)*l.cell, group)
			}
		}
		x += l.stride
		w += l.weight
	}
}

func (s *nest[S]) innermost(x, w, cell, group int) {
	l := &s.inner
	values := s.x[x : x+l.n]
	var weights []float64
	if s.w != nil {
		switch l.weight {
		case 0:
			weights = s.equal(s.w[w], l.n)
		case 1:
			weights = s.w[w : w+l.n]
		default: // the axes inside have one position
			weights = make([]float64, l.n)
			for i := range weights {
				weights[i] = s.w[w+i*l.weight]
			}
		}
	}
	switch {
	case l.first == nil && l.cell > 0:
		s.row(s.groups[group], cell, values, weights)
	case l.first == nil:
		s.run(s.groups[group], cell, values, weights)
	default:
		i := 0
		for _, j := range s.runs {
			of := weights
			if of != nil {
				of = of[i:j]
			}
			for g := l.first[i]; g <= l.last[i]; g++ {
				if l.streamed {
					s.run(s.groups[g], cell, values[i:j], of)
				} else {
					s.run(s.groups[group], cell+int(g)*l.cell, values[i:j], of)
				}
			}
			i = j
		}
	}
}

// equal returns n equal weights.
func (s *nest[S]) equal(w float64, n int) []float64 {
	if len(s.room) != n || n > 0 && s.room[0] != w {
		s.room = slices.Grow(s.room[:0], n)[:n]
		for i := range s.room {
			s.room[i] = w
		}
	}
	return s.room
}
