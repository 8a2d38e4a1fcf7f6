package compute

import (
	"math"
	"slices"

	"github.com/zargo-io/zargo/cf"
)

// segments summarizes chunks segment by segment.
type segments[S cf.Number] struct {
	c     *cf.Coding
	l     cf.Loop[S]
	parts []located[part[S]]

	unified []S
	decoded []float64
}

// loopOf returns the loop of a coding, which may be nil.
func loopOf[S cf.Number](c *cf.Coding) (cf.Loop[S], error) {
	if c == nil {
		return cf.Loop[S]{Scale: 1}, nil
	}
	return cf.LoopOf[S](c)
}

func (s *segments[S]) add(at []int, values []S) {
	var p part[S]
	for x := range slices.Chunk(values, segment) {
		p.merge(s.of(x))
	}
	s.parts = append(s.parts, located[part[S]]{slices.Clone(at), p})
}

func (s *segments[S]) repeat(at []int, value S, n int) {
	p := s.of([]S{value})
	for _, count := range []*int64{&p.elements, &p.missing, &p.nan, &p.infinite, &p.count} {
		*count *= int64(n)
	}
	s.parts = append(s.parts, located[part[S]]{slices.Clone(at), p})
}

// of returns the summary of the decoded elements of a segment.
func (s *segments[S]) of(x []S) part[S] {
	if !s.l.Flipped {
		unified := x
		if s.l.Several {
			s.unified = slices.Grow(s.unified[:0], len(x))[:len(x)]
			unified = s.unified
			_ = cf.Unify(s.c, s.l, unified, x) // the lengths and the type are right
		}
		if p := summarized(unified, s.l); p.scale(s.l) {
			if s.l.Several {
				p.nan = nans(x)
			}
			return p
		}
	}
	s.decoded = slices.Grow(s.decoded[:0], len(x))[:len(x)]
	_ = cf.Decode(s.c, s.decoded, x)
	d := summarized(s.decoded, cf.Loop[float64]{Scale: 1})
	return part[S]{elements: d.elements, missing: d.missing, nan: nans(x), infinite: d.infinite, count: d.count, min: d.min, max: d.max, mean: d.mean, square: d.square}
}

func nans[S cf.Number](x []S) (n int64) {
	for _, v := range x {
		if v != v {
			n++
		}
	}
	return n
}

// scale changes the summary of stored elements to that of decoded ones. It reports false if a
// decoded element may be infinite although the stored one is not.
func (p *part[S]) scale(l cf.Loop[S]) bool {
	if p.count == 0 || l.Scale == 1 && l.Offset == 0 {
		return true
	}
	p.min, p.max = float64(p.min*l.Scale)+l.Offset, float64(p.max*l.Scale)+l.Offset
	if l.Scale < 0 {
		p.min, p.max = p.max, p.min
	}
	p.mean = float64(p.mean*l.Scale) + l.Offset
	p.square *= l.Scale * l.Scale
	return !math.IsInf(p.min, 0) && !math.IsInf(p.max, 0)
}

// tile merges the results of the chunks of a tile, in their order.
func (p *part[S]) tile(of []*segments[S]) {
	var all []located[part[S]]
	for _, s := range of {
		all = append(all, s.parts...)
	}
	inOrder(all)
	for _, r := range all {
		p.merge(r.of)
	}
}
