package rechunk

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// bruteForce counts the requests and elements of a stage by a loop over its blocks and the chunks
// that each of them overlaps.
func bruteForce(shape []int, st Stage, rows int) (requests, elements int64) {
	each(shape, st.Block, func(from, to []int) {
		each(shape, st.Read, func(f, t []int) {
			touches, size := true, int64(1)
			for a := range shape {
				touches = touches && f[a] < to[a] && from[a] < t[a]
				if a == rows {
					size *= int64(min(t[a], to[a]) - max(f[a], from[a]))
				} else {
					size *= int64(t[a] - f[a])
				}
			}
			if touches {
				requests++
				elements += size
			}
		})
	})
	each(shape, st.Write, func(f, t []int) {
		requests++
		size := int64(1)
		for a := range shape {
			size *= int64(t[a] - f[a])
		}
		elements += size
	})
	return requests, elements
}

// each calls f for each box of a regular grid.
func each(shape, chunk []int, f func(from, to []int)) {
	from := make([]int, len(shape))
	if slices.Contains(shape, 0) {
		return
	}
	for {
		to := make([]int, len(shape))
		for a := range shape {
			to[a] = min(from[a]+chunk[a], shape[a])
		}
		f(from, to)
		a := len(shape) - 1
		for ; a >= 0; a-- {
			if from[a] += chunk[a]; from[a] < shape[a] {
				break
			}
			from[a] = 0
		}
		if a < 0 {
			return
		}
	}
}

// wantStages checks that each stage reads the array of the previous one, writes whole objects, and
// fits in memory.
func wantStages(t *testing.T, p Problem, s Solution) {
	t.Helper()
	if len(s.Stages) == 0 {
		t.Fatal("no stages")
	}
	read := p.From
	for i, st := range s.Stages {
		if !slices.Equal(st.Read, read) {
			t.Errorf("stage %d reads %v, not %v", i, st.Read, read)
		}
		read = st.Write
		block, unit := int64(p.ItemSize), max(size(st.Read, p.ItemSize), size(st.Write, p.ItemSize))
		for a, n := range p.Shape {
			switch b := st.Block[a]; {
			case st.Write[a] < 1 || b < 0 || b > n || b == 0 && n > 0:
				t.Errorf("stage %d, axis %d of %d: chunks of %d, blocks of %d", i, a, n, st.Write[a], b)
			case b != n && b%st.Write[a] != 0:
				t.Errorf("stage %d: a block %v cuts chunks %v of %v", i, st.Block, st.Write, p.Shape)
			}
			block *= int64(st.Block[a])
		}
		if i < len(s.Stages)-1 {
			for a, n := range st.Write {
				if n > p.Shape[a] {
					t.Errorf("intermediate %d: chunks of %v in %v", i, st.Write, p.Shape)
				}
			}
		}
		if block > 0 && block+2*unit > p.Memory {
			t.Errorf("stage %d: block %d, chunk %d, memory %d", i, block, unit, p.Memory)
		}
	}
	if !slices.Equal(read, p.To) {
		t.Errorf("ends with %v, not %v", read, p.To)
	}
}

func size(shape []int, item int) int64 {
	out := int64(item)
	for _, n := range shape {
		out *= int64(n)
	}
	return out
}

// random returns a small problem, whose memory may be too small.
func random(r *rand.Rand) Problem {
	p := Problem{Parts: r.IntN(4) == 0, ItemSize: 1 + r.IntN(8), MinIntermediate: int64(r.IntN(3) * r.IntN(100))}
	for range r.IntN(4) {
		n := r.IntN(24)
		from, to := 1+r.IntN(n+2), 1+r.IntN(n+2)
		switch r.IntN(4) { // chunks that are long along different axes need several stages
		case 0:
			from, to = 1, n+1
		case 1:
			from, to = n+1, 1
		}
		p.Shape, p.From, p.To = append(p.Shape, n), append(p.From, from), append(p.To, to)
	}
	p.Memory = 3*max(size(p.From, p.ItemSize), size(p.To, p.ItemSize)) + int64(r.IntN(64))
	if r.IntN(2) == 0 {
		p.Memory = p.Memory*3/4 + 100
	}
	return p
}
