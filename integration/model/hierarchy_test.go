package model

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// hierarchy is one array, or a group with two arrays, and the metadata that may be stored for them.
type hierarchy struct {
	h      *history
	arrays []*truth
	spec   []zarr.Spec
	group  string // path of the group, or ""
	format int
	limits *concurrency.Limits // limits for look

	claims map[string]string // claims in documents, by key
	owners map[string]*op    // operations that own the claims, by claim ID
	from   int               // start of the rows of the append whose claim is in the group's document
	copied map[string][]int  // shapes in the group's consolidated metadata; nil without it
	log    map[*truth][]shaped
	behind bool        // consolidated metadata may be older than the arrays
	fresh  bool        // the last document of the group found no consolidated metadata
	done   map[int]*op // acknowledged appends at a row, by row
	labels *truth      // the coordinate time of a dataset, whose labels are 1, 2, …; or nil
}

// shaped is a shape that is stored from a step on.
type shaped struct {
	step  int
	shape []int
}

// newHierarchy creates the initial state of the history.
func newHierarchy(h *history, group bool) *hierarchy {
	w := &hierarchy{h: h, format: 3, claims: map[string]string{}, owners: map[string]*op{}, log: map[*truth][]shaped{}}
	w.limits = &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(1 << 20)}
	h.world = w
	r := h.rng
	if r.IntN(3) == 0 {
		w.format = 2
	}
	paths := []string{"a"}
	if group {
		w.group = "g"
		paths = []string{"g/d", "g/t"}
	}
	from := r.IntN(7)
	for i, path := range paths {
		s := zarr.Spec{Format: w.format, DType: dtype.Int32, Codecs: []codec.Spec{}, Shape: []int{from}, Chunks: []int{2 + r.IntN(3)}}
		dims := []string{"time"}
		if i == 0 && r.IntN(2) == 0 {
			s.Shape = append(s.Shape, 1+r.IntN(4))
			s.Chunks = append(s.Chunks, 1+r.IntN(3))
			dims = append(dims, "x")
			if group && r.IntN(2) == 0 {
				slices.Reverse(s.Shape)
				slices.Reverse(s.Chunks)
				slices.Reverse(dims)
			}
		}
		object := s.Chunks
		if w.format == 3 {
			s.Dims = dims
			if r.IntN(3) == 0 {
				object = nil
				for _, n := range s.Chunks {
					object = append(object, n*(1+r.IntN(2)))
				}
				s.Shards = object
			}
		} else {
			s.Attrs = map[string]any{"_ARRAY_DIMENSIONS": dims}
		}
		t := newTruth(path, w.format, s.Shape, object)
		w.arrays = append(w.arrays, t)
		w.spec = append(w.spec, s)
		w.log[t] = []shaped{{0, s.Shape}}
	}
	return w
}

// create writes the initial state to the store.
func (w *hierarchy) create(ctx context.Context) error {
	o := zarr.Limit(zarr.Limits{Shared: w.limits})
	if w.group != "" {
		if _, err := zarr.CreateGroup(ctx, w.h.raw, w.group, zarr.Spec{Format: w.format}, o); err != nil {
			return err
		}
	}
	for i, t := range w.arrays {
		// One request is sent at a time, so that versions are the same in each run.
		a, err := zarr.Create(ctx, w.h.raw, t.path, w.spec[i], o, zarr.Limit(zarr.Limits{InFlight: 1}))
		if err != nil {
			return err
		}
		// Some of the elements have values.
		first := &op{id: i + 1, by: &actor{h: w.h, id: 99}, kind: doWrite, text: t.path}
		w.h.ops[first.id] = first
		if n := all(t.shape).len(); n > 0 && (w.h.rng.IntN(4) > 0 || t == w.labels) {
			v := make([]int32, 0, n)
			t.set(first, all(t.shape), 1, 1, func(c [2]int) int32 {
				v = append(v, first.value(len(v)))
				if t == w.labels {
					v[len(v)-1] = label(c[0])
				}
				return v[len(v)-1]
			})
			if err := zarr.Write(ctx, a, v); err != nil {
				return err
			}
		}
	}
	if w.group != "" && w.h.rng.IntN(3) > 0 {
		g, err := zarr.OpenGroup(ctx, w.h.raw, w.group, o)
		if err != nil {
			return err
		}
		if _, err := g.Consolidate(ctx); err != nil {
			return err
		}
		w.copied = map[string][]int{}
		for _, t := range w.arrays {
			w.copied[strings.TrimPrefix(t.path, w.group+"/")] = slices.Clone(t.shape)
		}
	}
	return nil
}

// document is the part of a metadata document that the model reads.
type document struct {
	Shape      []int
	Claim      identity `json:"zargo_claim"`
	Attributes struct {
		Claim identity `json:"zargo_claim"`
	}
	Consolidated *struct {
		Metadata map[string]struct{ Shape []int }
	} `json:"consolidated_metadata"`
	Metadata map[string]struct{ Shape []int } // shapes in .zmetadata
}

type identity struct {
	ID      string
	From    int
	Ends    []int
	Pending bool
	Done    bool // the mark of a migration, which is not a claim
}

// first returns the first row of an append from which arrays may be longer.
func (i identity) first() int {
	if i.Pending && len(i.Ends) == 0 {
		return never
	}
	return i.From
}

func (w *hierarchy) applied(r *request) {
	if r.verb == del {
		for key := range strings.SplitSeq(r.key, " ") {
			w.deleted(r.op, key)
		}
	}
	if r.verb == put && isDocument(r.key) {
		w.put(r.op, r.key, r.value)
	}
}

// put records a document that an operation stored.
func (w *hierarchy) put(o *op, key string, text []byte) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		w.h.fail("%v stores %s, which is no JSON: %v", o, key, err)
		return
	}
	path, name := "", key
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		path, name = key[:i], key[i+1:]
	}
	if name != ".zmetadata" && (w.format == 3 || name == "zarr.json" || w.arrays[0].format == 2) {
		id := d.Claim.ID + d.Attributes.Claim.ID
		if d.Claim.Done {
			id = ""
		}
		w.claims[key] = id
		if path == w.group {
			w.from = d.Claim.first()
			if d.Attributes.Claim.ID != "" {
				w.from = d.Attributes.Claim.first()
			}
		}
		if id != "" && w.owners[id] == nil {
			w.owners[id] = o
		}
	}
	if path == w.group && w.group != "" {
		w.groupPut(o, name, d)
	}
	for _, t := range w.arrays {
		if t.path == path && (name == "zarr.json" || name == ".zarray" && t.format == 2) {
			if name == "zarr.json" {
				t.format = 3
			}
			if t.shape == nil && o.kind == doCreate {
				o.made = key
			}
			w.arrayPut(o, t, d.Shape)
		}
	}
	w.agree(o)
}

// groupPut records a document of the group.
func (w *hierarchy) groupPut(o *op, name string, d document) {
	w.fresh = w.copied == nil
	switch {
	case name == ".zmetadata":
		w.copied = map[string][]int{}
		for k, m := range d.Metadata {
			if path, ok := strings.CutSuffix(k, "/.zarray"); ok {
				w.copied[path] = m.Shape
			}
		}
	case name == "zarr.json" && d.Consolidated != nil:
		w.copied = map[string][]int{}
		for path, m := range d.Consolidated.Metadata {
			w.copied[path] = m.Shape
		}
	case name == "zarr.json":
		w.copied = nil
	}
	if o != nil && o.kind == doAppend && !o.labelled {
		w.complete(o, o.targets...)
	}
}

// complete records that an append that finds arrays of different lengths completes the append of
// another actor: it writes the rows of the arrays again. An append to a dataset completes another
// one only if it claims the arrays. Otherwise it ends the claim of rows that all arrays have.
func (w *hierarchy) complete(o *op, arrays ...*truth) {
	low, high := w.lengths()
	if o.n != high-low {
		return
	}
	for _, t := range arrays {
		p := o.part(t)
		if n := t.shape[w.axis(t)]; n == high && n > low && p.done == 0 && (!p.completes || p.first != low) {
			p.completes, p.first, p.claimed = true, low, w.h.step
			t.issue(o, w.rows(t, o, low, high), w.h.step, func(c [2]int) int32 { return w.rowValue(t, o, low, c) })
		}
	}
}

// lengths returns the minimum and the maximum length along the group's dimension. An append that
// must be completed starts at the minimum. Without a claim, the length in consolidated metadata
// counts too: it may be older than an append whose claim was dropped.
func (w *hierarchy) lengths() (low, high int) {
	low = never
	for _, t := range w.arrays {
		n := t.shape[w.axis(t)]
		low, high = min(low, n), max(high, n)
		if s := w.copied[strings.TrimPrefix(t.path, w.group+"/")]; s != nil && w.claimed() == "" {
			low = min(low, s[w.axis(t)])
		}
	}
	if w.claimed() != "" {
		low = min(low, w.from)
	}
	return low, high
}

// claimed returns the group's claim.
func (w *hierarchy) claimed() string {
	return w.claims[w.group+"/zarr.json"] + w.claims[w.group+"/.zattrs"]
}

// axis returns the axis named time.
func (w *hierarchy) axis(t *truth) int {
	s := w.spec[slices.Index(w.arrays, t)]
	dims := s.Dims
	if w.format == 2 {
		dims = s.Attrs["_ARRAY_DIMENSIONS"].([]string)
	}
	return slices.Index(dims, "time")
}

// axisOf returns the axis along which an operation appends to an array.
func (w *hierarchy) axisOf(t *truth, o *op) int {
	if w.group != "" {
		return w.axis(t)
	}
	return o.axis
}

// rows returns the box of the rows of an append.
func (w *hierarchy) rows(t *truth, o *op, lo, hi int) box {
	b := all(t.shape)
	axis := w.axisOf(t, o)
	b.lo[axis], b.hi[axis] = lo, hi
	return b
}

// rowValue returns the value that an append writes to an element if its rows start at from.
func (w *hierarchy) rowValue(t *truth, o *op, from int, c [2]int) int32 {
	axis := w.axisOf(t, o)
	if t == w.labels && o.labelled {
		return label(c[axis])
	}
	return o.row(c[axis]-from, c[1-axis])
}

// arrayPut records a document of an array.
func (w *hierarchy) arrayPut(o *op, t *truth, shape []int) {
	h := w.h
	switch {
	case t.shape == nil:
		if o.kind != doCreate {
			h.fail("%v makes the array %s again", o, t.path)
		}
		t.shape = shape
	case slices.Equal(t.shape, shape):
		p := o.part(t)
		p.touched = true
		if !p.completes { // otherwise this may be the end of its claim, which does not change the shape either
			p.claimed = h.step
		}
		if o.labelled {
			w.complete(o, t)
		}
		return
	case o.kind == doAppend || o.kind == doWriter:
		w.longer(o, t, shape)
	case o.kind == doResize:
		p := o.part(t)
		if !p.touched || p.was == nil {
			p.was = slices.Clone(t.shape)
		}
		p.touched = true
		old := all(t.shape)
		for axis, n := range shape {
			if n < t.shape[axis] {
				b := old
				b.lo[axis] = n
				t.hide(b, h.step)
			}
		}
		p.shape = shape
		t.shape = shape
	default:
		h.fail("%v changes the shape of %s from %v to %v", o, t.path, t.shape, shape)
		t.shape = shape
	}
	w.log[t] = append(w.log[t], shaped{h.step, slices.Clone(shape)})
	if h.bad == "" {
		w.lookAt(t, fmt.Sprintf("after %v set the shape", o))
	}
}

// longer records the shape that an append sets. Its rows are visible from now on.
func (w *hierarchy) longer(o *op, t *truth, shape []int) {
	p := o.part(t)
	axis := w.axisOf(t, o)
	k := shape[axis] - t.shape[axis]
	want := slices.Clone(t.shape)
	want[axis] += k
	if k < 0 || !slices.Equal(want, shape) || p.done+k > o.n {
		w.h.fail("%v changes the shape of %s from %v to %v, after %d rows", o, t.path, t.shape, shape, p.done)
		t.shape = shape
		return
	}
	from := t.shape[axis]
	if p.done == 0 {
		p.first = from
	}
	if at := o.appends.At; at != nil && p.first != *at {
		w.h.fail("%v shows its rows of %s from row %d on", o, t.path, p.first)
	}
	t.shape = shape
	first := from - p.done
	t.set(o, w.rows(t, o, from, from+k), p.claimed, w.h.step, func(c [2]int) int32 { return w.rowValue(t, o, first, c) })
	p.done += k
	p.touched = true
	p.shape = slices.Clone(shape)
	p.claimed = w.h.step
}

func (w *hierarchy) deleted(o *op, key string) {
	if !isDocument(key) {
		o.deleted = append(o.deleted, key)
		if o.opened != nil {
			w.unknowing(o, key)
		}
		return
	}
	delete(w.claims, key)
	for _, t := range w.arrays {
		if name := strings.TrimPrefix(key, t.path+"/"); name == "zarr.json" || name == ".zarray" && t.format == 2 {
			switch {
			case o.kind == doRemove:
			case o.made == key: // a creator withdraws only its own document
				o.made, o.withdrew = "", true
			default:
				w.h.fail("%v deletes %s", o, key)
			}
			t.shape = nil
			w.log[t] = append(w.log[t], shaped{w.h.step, []int{0, 0}[:t.rank]})
		}
	}
}

// agree checks the lengths of a group's arrays.
func (w *hierarchy) agree(o *op) {
	if w.group == "" || w.h.bad != "" {
		return
	}
	claimed := w.claimed()
	n, m := -1, -1
	for _, t := range w.arrays {
		is := t.shape[w.axis(t)]
		if n >= 0 && n != is && claimed == "" {
			w.h.fail("after %v the group has no claim, and its arrays have %d and %d rows", o, n, is)
		}
		n = is
		s := w.copied[strings.TrimPrefix(t.path, w.group+"/")]
		if s == nil {
			if w.copied != nil {
				w.h.fail("after %v consolidated metadata lacks %s", o, t.path)
			}
			continue
		}
		says := s[w.axis(t)]
		if m >= 0 && m != says {
			w.h.fail("after %v consolidated metadata says %d and %d rows", o, m, says)
		}
		if m = says; says > is {
			w.h.fail("after %v consolidated metadata says %d rows of %s, which has %d", o, says, t.path, is)
		}
	}
	if o.kind == doDrop {
		// The dropped append may be in all arrays but not in consolidated metadata.
		w.behind = true
	}
	if o.kind == doConsolidate && w.fresh {
		// An append that started without consolidated metadata does not update it.
		w.behind = true
	}
	if m == n {
		w.behind = false
	}
	if claimed == "" && m >= 0 && m != n && w.h.bad == "" && !w.behind {
		w.h.fail("after %v the group has no claim, its arrays have %d rows, and consolidated metadata says %d", o, n, m)
	}
}
