package dataset

import (
	"math"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// chosen is the selection along one dimension that results from a query.
type chosen struct {
	positions
	one bool // the dimension is dropped
}

// choose resolves a query for a dimension of length n. x is the index of the dimension, or nil if
// the dimension has no coordinate.
func (q Query) choose(x index, n int) (chosen, error) {
	if q.kind == byText {
		var err error
		if q, err = q.parseText(x); err != nil {
			return chosen{}, err
		}
	}
	if err := q.check(x); err != nil {
		return chosen{}, err
	}
	switch q.kind {
	case byPoints:
		return chosen{}, fault.Newf(fault.Selection, "points %q select along several dimensions", q.dim)
	case byLabel:
		return q.byLabel(x, n, q.label)
	case byLabels:
		if x != nil && q.method == exact && q.period == 0 {
			list, err := x.each(q.labels)
			return chosen{positions: positions{list: list}}, err
		}
		list := make([]int, len(q.labels))
		for i, label := range q.labels {
			c, err := q.byLabel(x, n, label)
			if err != nil {
				return chosen{}, err
			}
			list[i] = c.at(0)
		}
		return chosen{positions: positions{list: list}}, nil
	case byRange:
		return q.byRange(x, n)
	case byPosition, byPositions:
		list := make([]int, len(q.list))
		for i, p := range q.list {
			if p < -n || p >= n {
				return chosen{}, fault.Newf(fault.Selection, "dimension %q has the length %d, position %d is outside", q.dim, n, p)
			}
			if list[i] = p; p < 0 {
				list[i] += n
			}
		}
		if q.kind == byPosition {
			return chosen{positions{lo: list[0], n: 1, step: 1}, true}, nil
		}
		return chosen{positions: positions{list: list}}, nil
	}
	if q.step < 1 {
		return chosen{}, fault.Newf(fault.Selection, "dimension %q: the step must be at least 1, is %d", q.dim, q.step)
	}
	lo, hi := clip(q.from, n), clip(q.to, n)
	p := positions{lo: lo, step: q.step}
	if hi > lo {
		p.n = (hi-lo-1)/q.step + 1
	}
	if p.n <= 1 { // pick multiplies steps, which may be large
		p.step = 1
	}
	return chosen{positions: p}, nil
}

// labelled reports whether the query selects by label.
func (q Query) labelled() bool {
	switch q.kind {
	case byLabel, byLabels, byText:
		return true
	case byRange:
		return q.lo != nil || q.hi != nil
	}
	return false
}

// check returns an error for a tolerance, a period or a step that the query cannot observe.
func (q Query) check(x index) error {
	bad := func(text string) error { return fault.Newf(fault.Selection, "dimension %q: %s", q.dim, text) }
	switch {
	case math.IsNaN(q.period) || math.IsInf(q.period, 0) || q.period < 0:
		return fault.Newf(fault.Selection, "dimension %q: the period must be positive, is %v", q.dim, q.period)
	case q.period != 0 && !q.labelled():
		return bad("a selection by position has no period")
	case q.limit != nil && !q.labelled():
		return bad("a selection by position has no tolerance")
	case q.method != exact && (!q.labelled() || q.kind == byRange):
		return bad("only labels have a method")
	case q.step != 0 && q.kind != bySlice:
		return bad("only a Slice has a step")
	case x == nil && q.period != 0:
		return bad("without a coordinate, labels have no period")
	case x == nil && q.limit != nil:
		return bad("without a coordinate, labels have no tolerance")
	}
	return nil
}

// clip returns a position of a slice between 0 and n.
func clip(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

func (q Query) byLabel(x index, n int, label any) (chosen, error) {
	switch {
	case x == nil && q.method != exact:
		return chosen{}, fault.Newf(fault.Selection, "dimension %q has no coordinate, so labels have no nearest one", q.dim)
	case x == nil:
		i, err := position(label)
		if err != nil {
			return chosen{}, err
		}
		return At(q.dim, i).choose(nil, n)
	case q.method == exact && q.limit != nil:
		return chosen{}, fault.Newf(fault.Selection, "dimension %q: an exact label has no tolerance", q.dim)
	case q.method == exact && q.period == 0:
		p, one, err := x.find(label)
		return chosen{p, one}, err
	}
	m, limit := q.method, q.limit
	if m == exact { // of a cyclic coordinate
		m, limit = nearest, 0.0
	}
	i, err := x.near(m, label, limit, q.period)
	return chosen{positions{lo: i, n: 1, step: 1}, true}, err
}

// position converts a label to a position, for a dimension without a coordinate.
func position(label any) (int, error) {
	f, err := number(label)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, fault.Newf(fault.Selection, "%v is not a position", label)
	}
	return int(f), nil
}

func (q Query) byRange(x index, n int) (chosen, error) {
	if q.method != exact || q.limit != nil {
		return chosen{}, fault.Newf(fault.Selection, "dimension %q: a range has no method and no tolerance", q.dim)
	}
	if x == nil {
		s := Slice(q.dim, 0, n)
		for _, end := range []struct {
			label any
			to    *int
		}{{q.lo, &s.from}, {q.hi, &s.to}} {
			if end.label == nil {
				continue
			}
			i, err := position(end.label)
			if err != nil {
				return chosen{}, err
			}
			*end.to = i
		}
		return s.choose(nil, n)
	}
	lo, hi := q.lo, q.hi
	if n == 0 || lo == nil && hi == nil {
		return chosen{positions: all(n)}, nil
	}
	var p positions
	var err error
	switch {
	case hi == nil:
		p, err = x.open(lo, true, q.period)
	case lo == nil:
		p, err = x.open(hi, false, q.period)
	default:
		p, err = x.between(lo, hi, q.period)
	}
	return chosen{positions: p}, err
}

// parseText returns the query of a text. Colons separate the ends of a range, but may also be part
// of a time, so parseText uses the first interpretation whose labels have the type of the index.
func (q Query) parseText(x index) (Query, error) {
	text := q.label.(string)
	out := q
	out.kind = byLabel
	if x != nil && x.has(text) { // a text may contain colons and commas
		return out, nil
	}
	if name, label, ok := strings.Cut(text, "::"); ok {
		m, known := methods[name]
		if !known {
			return q, fault.Newf(fault.Selection, "dimension %q: unknown method %q; the methods are exact, nearest, pad and backfill", q.dim, name)
		}
		out.method, text = m, label
	}
	if strings.Contains(text, ",") {
		out.kind = byLabels
		for label := range strings.SplitSeq(text, ",") {
			out.labels = append(out.labels, label)
		}
		return out, nil
	}
	out.label = text
	if !strings.Contains(text, ":") || x != nil && x.has(text) {
		return out, nil
	}
	for i, r := range text {
		lo, hi := text[:i], text[min(i+1, len(text)):]
		if r != ':' || lo != "" && !q.isLabel(x, lo) || hi != "" && !q.isLabel(x, hi) {
			continue
		}
		out.kind, out.label = byRange, nil
		if lo != "" {
			out.lo = lo
		}
		if hi != "" {
			out.hi = hi
		}
		return out, nil
	}
	return out, nil
}

// isLabel reports whether a text can be a label of an index.
func (q Query) isLabel(x index, text string) bool {
	if x == nil {
		_, err := position(text)
		return err == nil
	}
	return x.parses(text)
}
