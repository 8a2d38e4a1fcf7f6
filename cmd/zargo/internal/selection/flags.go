package selection

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Flags are the flags that select elements of an array. Chosen applies them.
type Flags struct {
	Sel  string `help:"The selected elements, in NumPy's notation: 0:10,5,::-2 or ...,[4,0]. Items with the name of a dimension select by the labels of its coordinate: time=2020-01,lat=50:40,lon=nearest::7.3. Without a coordinate they select by position: y=0:10. The default is the whole array." placeholder:"SELECTION"`
	Isel string `name:"isel" help:"The same as --sel, but always by position: time=0:10,lat=3." placeholder:"SELECTION"`
	LabelFlags
}

// Given reports whether one of the flags is set.
func (f Flags) Given() bool { return f.Sel != "" || f.Isel != "" }

// Items parses the flags and returns items without a name first.
func (f Flags) Items() ([]Item, error) {
	sel, err := parseSel(f.Sel)
	if err == nil {
		err = f.apply(sel)
	}
	if err != nil {
		return nil, err
	}
	isel, err := parseItems("--isel", f.Isel)
	switch {
	case err != nil:
		return nil, err
	case len(sel) == 0 || len(isel) == 0 || sel[0].Name == "" && isel[0].Name != "":
		return append(sel, isel...), nil
	case sel[0].Name == "":
		return nil, exit.Usagef("--sel and --isel cannot both have items without a name")
	}
	return append(isel, sel...), nil
}

// Item is an item of --sel or --isel: "...", an index, a slice, a list or, for a named item of
// --sel, labels. It may name an axis.
type Item struct {
	Flag           string
	dots           bool
	Name           string // name of the axis; "" for the next axis in order
	index          bool   // the item is the index lo
	lo, hi, step   int
	hasLo, hasHigh bool
	list           []int // if not nil, the item is a list

	// The fields below are set for named items of --sel.

	label    string // the text after the name
	bad      error  // the error of label as a position; or nil
	ways     ways   // of label
	labelled *Axis  // the elements with the label; nil if the axis has no coordinate
}

// parseSel parses --sel: a selection in the notation of NumPy, such as "0:10,5,::2", "...,-1" or
// "[4,0],::-1", or with names of dimensions, such as "time=2020-01,lat=50:40". "" selects all
// elements.
func parseSel(text string) ([]Item, error) { return parseItems("--sel", text) }

// parseItems parses the value of --sel or --isel.
func parseItems(flag, text string) ([]Item, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var items []Item
	dots := false
	for _, part := range splitSel(text) {
		it, err := parseNamed(flag, strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if it.dots && dots {
			return nil, exit.Usagef("%s must not contain ... more than once", flag)
		}
		if it.Name == "" && len(items) > 0 && items[len(items)-1].Name != "" {
			return nil, exit.Usagef("%s: the item %q without a name follows an item with a name; a list must be in brackets", flag, strings.TrimSpace(part))
		}
		dots = dots || it.dots
		items = append(items, it)
	}
	return items, nil
}

// splitSel splits text at the commas outside brackets.
func splitSel(text string) []string {
	var parts []string
	from, in := 0, false
	for i, c := range text {
		switch c {
		case '[', ']':
			in = c == '['
		case ',':
			if !in {
				parts = append(parts, text[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, text[from:])
}

// parseNamed parses an item with or without a name. A named item of --sel may be a label instead of
// a position.
func parseNamed(flag, part string) (Item, error) {
	labels := flag == "--sel"
	i := strings.LastIndexByte(part, '=')
	if labels {
		i = strings.IndexByte(part, '=') // a label may contain "=" too
	}
	if i < 0 {
		return parseItem(flag, part)
	}
	name, text := strings.TrimSpace(part[:i]), strings.TrimSpace(part[i+1:])
	if name == "" || text == "" || text == "..." {
		return Item{}, exit.Usagef("%s: items with a name must be DIMENSION=SELECTION, is %q", flag, part)
	}
	it, err := parseItem(flag, text)
	if labels {
		it.label, it.Flag = text, flag
		if err != nil {
			it.bad = exit.Usagef("--sel: dimension %q has no coordinate, so %q must be a position: an index, a slice such as 2:8:3 or a list such as [5,0]", name, text)
		}
		err = nil
	}
	it.Name = name
	return it, err
}

func parseItem(flag, part string) (Item, error) {
	if part == "..." {
		return Item{Flag: flag, dots: true}, nil
	}
	bad := func() (Item, error) {
		return Item{}, exit.Usagef("%s: an item must be an index, a slice such as 2:8:3, a list such as [5,0] or ..., is %q", flag, part)
	}
	if inner, ok := strings.CutPrefix(part, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); !ok {
			return bad()
		}
		it := Item{Flag: flag, list: []int{}}
		if strings.TrimSpace(inner) == "" {
			return it, nil
		}
		for f := range strings.SplitSeq(inner, ",") {
			v, ok := parseInt(strings.TrimSpace(f))
			if !ok {
				return bad()
			}
			it.list = append(it.list, v)
		}
		return it, nil
	}
	fields := strings.Split(part, ":")
	if len(fields) > 3 || part == "" {
		return bad()
	}
	var n [3]int
	var has [3]bool
	for i, f := range fields {
		if f = strings.TrimSpace(f); f == "" {
			continue
		}
		var ok bool
		if n[i], ok = parseInt(f); !ok {
			return bad()
		}
		has[i] = true
	}
	it := Item{Flag: flag, index: len(fields) == 1, lo: n[0], hi: n[1], step: 1, hasLo: has[0], hasHigh: has[1]}
	if has[2] {
		if it.step = n[2]; it.step == 0 {
			return Item{}, exit.Usagef("%s: the step of %q must not be 0", flag, part)
		}
	}
	return it, nil
}

// parseInt parses an integer. It reports false for the minimum int, whose negation overflows.
func parseInt(s string) (int, bool) {
	v, err := strconv.Atoi(s)
	return v, err == nil && v != math.MinInt
}

// Resolve applies a selection to an array with the given shape and axis names; names may be nil.
// Negative numbers count from the end, as in Python. Unlike Python, resolve returns an error for
// numbers out of bounds.
func Resolve(items []Item, shape []int, names []string) (Region, error) {
	r := make(Region, len(shape))
	for k, n := range shape {
		r[k] = Axis{Step: 1, Count: n}
	}
	n := 0 // number of items without a name
	for _, it := range items {
		if !it.dots && it.Name == "" {
			n++
		}
	}
	if n > len(shape) {
		return nil, fault.Newf(fault.Selection, "%[4]s has %[3]d items, but the array has %[1]d dimensions (shape %[2]v)", len(shape), shape, n, items[0].Flag)
	}
	taken := make([]bool, len(shape))
	next := 0
	for _, it := range items {
		if it.dots {
			next += len(shape) - n
			continue
		}
		k := next
		if it.Name == "" {
			next++
		} else {
			var err error
			if k, err = axisOf(it.Flag, it.Name, names); err != nil {
				return nil, err
			}
		}
		if taken[k] {
			return nil, fault.Newf(fault.Selection, "%s selects axis %d, %q, twice", it.Flag, k, it.Name)
		}
		taken[k] = true
		a, err := it.resolve(shape[k])
		if err != nil {
			return nil, fault.Newf(fault.Selection, "axis %d of shape %v: %w", k, shape, err)
		}
		r[k] = a
	}
	return r, nil
}

// axisOf returns the index of the axis name.
func axisOf(flag, name string, names []string) (int, error) {
	k := slices.Index(names, name)
	switch {
	case len(names) == 0:
		return 0, fault.Newf(fault.Selection, "%s names the dimension %q, but the array has no dimension names", flag, name)
	case k < 0:
		return 0, fault.Newf(fault.Selection, "%[3]s names the dimension %[2]q, but the dimensions are %[1]q", names, name, flag)
	case slices.Contains(names[k+1:], name):
		return 0, fault.Newf(fault.Selection, "dimension name %q is ambiguous: more than one axis has it", name)
	}
	return k, nil
}

func (it Item) resolve(n int) (Axis, error) {
	switch {
	case it.labelled != nil:
		return *it.labelled, nil
	case it.bad != nil:
		return Axis{}, it.bad
	case it.list != nil:
		a := Axis{Step: 1, Count: len(it.list), List: make([]int, len(it.list))}
		for i, v := range it.list {
			var err error
			if a.List[i], err = inAxis(v, n); err != nil {
				return Axis{}, err
			}
		}
		return a, nil
	case it.index:
		i, err := inAxis(it.lo, n)
		return Axis{Start: i, Step: 1, Count: 1, Drop: true}, err
	case it.step < 0:
		return it.descending(n)
	}
	lo, hi := fromEnd(it.lo, n), fromEnd(it.hi, n)
	if !it.hasHigh {
		hi = n
	}
	if lo < 0 || hi > n || hi < 0 {
		return Axis{}, exit.Usagef("the slice %v is out of bounds for an axis of length %d", it, n)
	}
	if lo > hi {
		return Axis{}, exit.Usagef("the slice %v ends before its start", it)
	}
	a := Axis{Start: lo, Step: min(it.step, max(n, 1))} // min prevents overflow
	if hi > lo {
		a.Count = (hi-lo-1)/a.Step + 1
	}
	return a, nil
}

// descending resolves a slice with a negative step. It selects elements from lo down to hi,
// excluding hi. The default of lo is the last element. Without hi, the selection includes the first
// element.
func (it Item) descending(n int) (Axis, error) {
	lo, hi := n-1, -1
	if it.hasLo {
		lo = fromEnd(it.lo, n)
	}
	if it.hasHigh {
		hi = fromEnd(it.hi, n)
	}
	if it.hasLo && (lo < 0 || lo >= n) || it.hasHigh && (hi < 0 || hi >= n) {
		return Axis{}, exit.Usagef("the slice %v is out of bounds for an axis of length %d", it, n)
	}
	if lo < hi {
		return Axis{}, exit.Usagef("the slice %v ends before its start", it)
	}
	a := Axis{Start: max(lo, 0), Step: max(it.step, -max(n, 1))}
	if lo > hi {
		a.Count = (lo-hi-1)/-a.Step + 1
	}
	return a, nil
}

// fromEnd returns i, or i+n if i is negative: a negative i counts from the end of an axis of length
// n.
func fromEnd(i, n int) int {
	if i < 0 {
		return i + n
	}
	return i
}

// inAxis returns the index of an element of an axis of length n. A negative i counts from the end.
func inAxis(i, n int) (int, error) {
	if k := fromEnd(i, n); k >= 0 && k < n {
		return k, nil
	}
	return 0, exit.Usagef("index %d is out of bounds for an axis of length %d", i, n)
}

func (it Item) String() string {
	s := ""
	if it.hasLo {
		s = strconv.Itoa(it.lo)
	}
	s += ":"
	if it.hasHigh {
		s += strconv.Itoa(it.hi)
	}
	if it.step != 1 {
		s += ":" + strconv.Itoa(it.step)
	}
	return s
}
