package rechunk

import (
	"math"
	"slices"
)

// search returns the cheapest chain with n intermediate arrays that it finds by hill climbing from
// several guesses.
func (s *solver) search(n int) (best [][]int64, ok bool) {
	least := math.Inf(1)
	for _, guess := range s.guesses(n) {
		h := climb{s: s, chain: guess, left: steps / 2}
		h.cost = h.of(guess)
		h.run()
		if h.cost < least {
			best, least = h.chain, h.cost
		}
	}
	return best, !math.IsInf(least, 1)
}

// steps is the maximum number of steps of the search for each number of intermediate arrays. One
// step computes the length of a block along one axis. A block that must be fitted into memory takes
// about fittingSteps steps for each axis.
const (
	steps        = 1 << 20
	fittingSteps = 256
)

// guesses returns the two initial chains of the search. One is a geometric series between the
// source chunks and the target chunks. The other has the intersections of a geometric series of
// blocks. The first and the last of these blocks take half of the memory.
func (s *solver) guesses(n int) [][][]int64 {
	plain, shared := [][]int64{s.from}, [][]int64{s.from}
	first, last := s.grown(s.from), s.grown(s.to)
	for i := 1; i <= n; i++ {
		p, q := make([]int64, len(s.shape)), make([]int64, len(s.shape))
		for a := range s.shape {
			p[a] = between(s.from[a], s.to[a], float64(i)/float64(n+1))
			left := between(first[a], last[a], float64(i-1)/float64(n))
			right := between(first[a], last[a], float64(i)/float64(n))
			q[a] = min(left, right)
		}
		plain, shared = append(plain, p), append(shared, q)
	}
	plain, shared = append(plain, s.to), append(shared, s.to)
	for a := range s.shape {
		s.align(plain, a, 1)
		s.align(shared, a, 1)
	}
	return [][][]int64{plain, shared}
}

// grown returns a chunk that is extended along the last axes first, to at most half of the memory.
func (s *solver) grown(chunk []int64) []int64 {
	out := slices.Clone(chunk)
	for a := len(out) - 1; a >= 0; a-- {
		more := s.memory / 2 / times(volume(out), s.item)
		if more < 2 {
			break
		}
		out[a] = min(times(out[a], more), s.shape[a])
	}
	return out
}

// between interpolates geometrically between two lengths. part is from 0 to 1.
func between(from, to int64, part float64) int64 {
	return min(max(from, to), max(1, int64(float64(from)*math.Pow(float64(to)/float64(from), part)+0.5)))
}

// align rounds the lengths of intermediate arrays along axis a. The length of an array becomes a
// multiple or a divisor of the length of the next array, so that blocks need not cut the chunks
// that they read. Arrays are rounded in turn, from the end of the chain that has the shorter chunk,
// beginning with intermediate array keep.
func (s *solver) align(chain [][]int64, a, keep int) {
	last := len(chain) - 1
	if s.from[a] <= s.to[a] {
		for i := min(keep, last); i < last; i++ {
			chain[i][a] = fit(chain[i][a], chain[i-1][a], s.shape[a])
		}
		return
	}
	for i := min(last-1, max(keep, 1)); i > 0; i-- {
		chain[i][a] = fit(chain[i][a], chain[i+1][a], s.shape[a])
	}
}

// fit rounds a length down to a multiple of neighbour. If the length is shorter than neighbour, it
// is rounded so that it divides neighbour into equal parts, except for the last part. n is the
// length of the axis.
func fit(length, neighbour, n int64) int64 {
	switch {
	case length >= n:
		return n
	case length >= neighbour:
		return length - length%neighbour
	}
	return ceil(neighbour, ceil(neighbour, max(length, 1)))
}

// climb is the state of a hill climb.
type climb struct {
	s     *solver
	chain [][]int64
	cost  float64
	left  int // remaining steps
}

// of returns the cost of a chain in bytes. The cost is infinite if a chunk does not fit in memory.
func (h *climb) of(chain [][]int64) float64 {
	var cost float64
	for i := range chain[1:] {
		st, ok := h.s.stage(chain, i, coarse)
		if h.left -= len(h.s.shape); st.fitted {
			h.left -= len(h.s.shape) * fittingSteps
		}
		if !ok {
			return math.Inf(1)
		}
		get := h.s.request
		if i == 0 {
			get = h.s.get
		}
		cost += float64(st.gets)*float64(get) + float64(st.puts)*float64(h.s.request) + float64(st.read)
	}
	return cost + float64(len(chain)-1)*float64(volume(h.s.shape))*float64(h.s.item)
}

// ratios returns the factors that multiply and divide lengths. The factor 1 changes a length to the
// next multiple of step.
func ratios() [6]float64 { return [...]float64{2, 1.5, 1.25, 1.125, 1.0625, 1} }

// run changes the chain until no change makes it cheaper or no steps remain.
func (h *climb) run() {
	n := len(h.chain) - 2
	for better := true; better && h.left > 0; {
		better = false
		for a := range h.s.shape {
			if h.s.shape[a] == 1 {
				continue
			}
			for i := 1; i <= n; i++ {
				better = h.lengths(i, a) || better
			}
			for _, r := range ratios() {
				better = h.scaled(a, r) || h.scaled(a, 1/r) || better
			}
			for b := range h.s.shape {
				for pair := 0; a != b && h.s.shape[b] > 1 && pair < n*n; pair++ {
					better = h.traded(1+pair/n, a, 1+pair%n, b) || better
				}
			}
		}
	}
}

// accept replaces the chain of h by the given chain if that chain is cheaper. It reports whether it
// has replaced the chain.
func (h *climb) accept(changed [][]int64) bool {
	if h.left <= 0 {
		return false
	}
	if c := h.of(changed); c < h.cost {
		h.chain, h.cost = changed, c
		return true
	}
	return false
}

// with returns a copy of chain. In the copy, intermediate array i has the given length along axis
// a, and the other intermediate arrays are aligned to it.
func (h *climb) with(chain [][]int64, i, a int, length int64) [][]int64 {
	out := make([][]int64, len(chain))
	for j, c := range chain {
		out[j] = c
		if j > 0 && j < len(chain)-1 {
			out[j] = slices.Clone(c)
		}
	}
	out[i][a] = min(max(length, 1), h.s.shape[a])
	h.s.align(out, a, i)
	return out
}

// lengths tries other lengths of one intermediate array along one axis.
func (h *climb) lengths(i, a int) (better bool) {
	now := h.chain[i][a]
	others := []int64{h.s.shape[a], h.s.from[a], h.s.to[a], h.chain[i-1][a], h.chain[i+1][a], divisor(h.chain[i+1][a], now), divisor(h.chain[i-1][a], now)}
	for _, r := range ratios() {
		others = append(others, h.moved(now, a, r), h.moved(now, a, 1/r))
	}
	for d := int64(1); d <= 4; d++ {
		others = append(others, h.cut(now, a, d), h.cut(now, a, -d))
	}
	for _, t := range others {
		if t != h.chain[i][a] && t > 0 {
			better = h.accept(h.with(h.chain, i, a, t)) || better
		}
	}
	return better
}

// step returns the preferred divisor of lengths along axis a: the shorter of the chunks of source
// and target.
func (h *climb) step(a int) int64 { return min(h.s.from[a], h.s.to[a]) }

// moved returns length times ratio. If the result is longer than step, it is rounded down to a
// multiple of step. If ratio is at least 1, the result is at least the next multiple of step.
func (h *climb) moved(length int64, a int, ratio float64) int64 {
	step := h.step(a)
	to := min(float64(length)*ratio, float64(h.s.shape[a]))
	out := int64(to)
	if length >= step && out >= step {
		out -= out % step
		if out <= length && ratio >= 1 {
			out = plus(length-length%step, step)
		}
	}
	return min(max(out, 1), h.s.shape[a])
}

// divisor returns a divisor of whole that is near length. If it finds no such divisor, it returns
// length.
func divisor(whole, length int64) int64 {
	for count, i := max(1, whole/length), 0; i < 32 && count+int64(i) <= whole; i++ {
		if c := count + int64(i); whole%c == 0 {
			return whole / c
		}
	}
	return length
}

// scaled tries to multiply the lengths of all intermediate arrays along axis a by ratio.
func (h *climb) scaled(a int, ratio float64) bool {
	if len(h.chain) < 4 || ratio == 1 {
		return false
	}
	out := h.chain
	for i := 1; i < len(h.chain)-1; i++ {
		out = h.with(out, i, a, h.moved(h.chain[i][a], a, ratio))
	}
	return h.accept(out)
}

// traded tries to extend intermediate array i along axis a and to shorten intermediate array j
// along axis b.
func (h *climb) traded(i, a, j, b int) (better bool) {
	for _, r := range ratios() {
		longer := h.moved(h.chain[i][a], a, r)
		if longer == h.chain[i][a] {
			continue
		}
		now := h.chain[j][b]
		shorter := []int64{h.moved(now, b, float64(h.chain[i][a])/float64(longer)), h.cut(now, b, 1), h.cut(now, b, 2), h.cut(now, b, 3)}
		for _, t := range shorter {
			better = h.accept(h.with(h.with(h.chain, i, a, longer), j, b, t)) || better
		}
	}
	return better
}

// cut returns a chunk length that divides axis a into more chunks than length does. The parameter
// more is the number of additional chunks, and may be negative. A result of at least step is
// rounded up to a multiple of step.
func (h *climb) cut(length int64, a int, more int64) int64 {
	n := h.s.shape[a]
	count := ceil(n, length) + more
	if count < 1 || count > n {
		return length
	}
	out := ceil(n, count)
	if out >= h.step(a) {
		out = roundUp(out, h.step(a), n)
	}
	return out
}
