package metamorphic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// world is a hierarchy in a store and its model.
type world struct {
	*testing.T
	rng    *rand.Rand
	st     *place
	format int
	arrays map[string]*array
	groups map[string]map[string]any // attributes by path; "" is the root
	// consolidated has the texts of all nodes at the time of the last Consolidate. It is nil if the
	// root does not have consolidated metadata or if its contents are not modelled.
	consolidated map[string]string
	immutable    bool // see options
	v2left       bool // v2 documents remain next to the v3 documents
	steps        []string
}

// note records a step before it runs.
func (w *world) note(format string, args ...any) {
	w.steps = append(w.steps, fmt.Sprintf(format, args...))
}

// must fails the sequence on an error.
func (w *world) must(err error) {
	if err != nil {
		w.Helper()
		w.Fatal(err)
	}
}

// options returns random options of a node. It sets w.immutable if the cache does not notice
// changes by other processes.
func (w *world) options() (out []zarr.Option) {
	w.immutable = false
	if w.st.single || w.rng.IntN(6) == 0 {
		out = append(out, zarr.SingleWriter())
	}
	if w.rng.IntN(6) == 0 {
		out = append(out, zarr.StoreFill())
	}
	if w.rng.IntN(4) == 0 {
		caches := []*cache.Cache{cache.New(1<<16, cache.Immutable()), cache.New(256, cache.Immutable()), cache.New(1<<16, cache.Revalidate(0))}
		k := w.rng.IntN(len(caches))
		out, w.immutable = append(out, zarr.Cache(caches[k])), k < 2
	}
	if w.rng.IntN(4) == 0 {
		out = append(out, zarr.Limit(zarr.Limits{InFlight: 1}))
	}
	if w.rng.IntN(6) == 0 {
		out = append(out, zarr.Strict())
	}
	return out
}

// pick returns a random array and its handle, which it opens if necessary.
func (w *world) pick(ctx context.Context) (string, *array) {
	if len(w.arrays) == 0 {
		w.create(ctx)
	}
	paths := slices.Sorted(maps.Keys(w.arrays))
	p := paths[w.rng.IntN(len(paths))]
	m := w.arrays[p]
	if m.open == nil || w.rng.IntN(4) == 0 {
		opts := w.options()
		m.immutable = w.immutable
		w.note("open %s %v", p, opts)
		if w.rng.IntN(2) == 0 {
			g, err := zarr.OpenGroup(ctx, w.st, "", append(opts, zarr.IgnoreConsolidated())...)
			w.must(err)
			m.open, err = g.OpenArray(ctx, p)
			w.must(err)
		} else {
			var err error
			m.open, err = zarr.OpenArray(ctx, w.st, p, opts...)
			w.must(err)
		}
	}
	return p, m
}

// free returns a path without a node, or "" if there is none.
func (w *world) free() string {
	for range 20 {
		p := []string{"a", "b", "c", "d", "e"}[w.rng.IntN(5)]
		if groups := slices.Sorted(maps.Keys(w.groups)); w.rng.IntN(2) == 0 {
			p = path.Join(groups[w.rng.IntN(len(groups))], p)
		}
		_, group := w.groups[p]
		if w.arrays[p] == nil && !group && strings.Count(p, "/") < 3 {
			return p
		}
	}
	return ""
}

func (w *world) create(ctx context.Context) {
	p := w.free()
	if len(w.arrays) > 4 || p == "" {
		return
	}
	m, spec := newArray(w.rng, w.format)
	opts := w.options()
	m.immutable = w.immutable
	w.note("create %s %s %v chunks %v%v shards %v%v codecs %v order %q separator %q %v", p, m.elems.name, spec.Shape, spec.Chunks, spec.ChunkEdges, spec.Shards, spec.ShardEdges, spec.Codecs, spec.Order, spec.Separator, opts)
	a, err := zarr.Create(ctx, w.st, p, spec, opts...)
	w.must(err)
	m.open = a
	w.arrays[p] = m
}

func (w *world) createGroup(ctx context.Context) {
	p := w.free()
	if len(w.groups) > 3 || p == "" {
		return
	}
	attrs := randomAttrs(w.rng)
	w.note("create group %s", p)
	_, err := zarr.CreateGroup(ctx, w.st, p, zarr.Spec{Format: w.format, Attrs: attrs}, w.options()...)
	w.must(err)
	w.groups[p] = attrs
}

func (w *world) write(ctx context.Context) {
	p, m := w.pick(ctx)
	if m == nil || slices.Contains(m.shape, 0) {
		return
	}
	sel, at := w.selection(m)
	v := m.elems.numbers(w.rng, len(at))
	a := m.open
	if w.rng.IntN(5) == 0 {
		a = w.elsewhere(ctx, p, m)
	}
	w.note("write %s %v %v", p, sel, v)
	w.must(m.elems.write(ctx, a, v, sel...))
	m.set(at, v)
}

// elsewhere opens an array as another process does.
func (w *world) elsewhere(ctx context.Context, p string, m *array) *zarr.Array {
	var opts []zarr.Option
	if w.st.single {
		opts = append(opts, zarr.SingleWriter())
	}
	w.note("another process opens %s %v", p, opts)
	a, err := zarr.OpenArray(ctx, foreign{w.st}, p, opts...)
	w.must(err)
	if m.immutable {
		m.open = nil
	}
	return a
}

// selection returns a random selection of an array, and the indexes of its cells in order.
func (w *world) selection(m *array) (sel []zarr.Selection, at []int) {
	r := w.rng
	switch r.IntN(6) {
	case 0: // all
		at = m.inside(m.shape)
	case 1: // points
		coords := make([][]int, len(m.shape))
		for _, i := range repeated(r, r.Perm(len(m.cells))[:1+r.IntN(min(9, len(m.cells)))]) {
			c, rest, in := make([]int, len(m.shape)), i, true
			for d := len(m.shape) - 1; d >= 0; d-- {
				c[d], rest = rest%m.extent()[d], rest/m.extent()[d]
				in = in && c[d] < m.shape[d]
			}
			if !in {
				continue
			}
			at = append(at, i)
			for d := range c {
				coords[d] = append(coords[d], c[d])
			}
		}
		sel = []zarr.Selection{zarr.Points(coords...)}
	default:
		lists := make([][]int, len(m.shape))
		for d, n := range m.shape {
			if r.IntN(4) == 0 {
				lists[d] = repeated(r, r.Perm(n)[:1+r.IntN(n)])
				sel = append(sel, zarr.Index(lists[d]...))
				continue
			}
			lo := r.IntN(n)
			hi, step := lo+min(r.IntN(4*(n-lo)), n-lo), 1+r.IntN(2)*r.IntN(3)
			for i := lo; i < hi; i += step {
				lists[d] = append(lists[d], i)
			}
			sel = append(sel, zarr.Range(lo, hi).By(step))
		}
		at = m.at(lists)
	}
	return sel, at
}

// repeated repeats one of the numbers, or none.
func repeated(r *rand.Rand, list []int) []int {
	if r.IntN(2) == 0 {
		list[r.IntN(len(list))] = list[r.IntN(len(list))]
	}
	return list
}

func (w *world) append(ctx context.Context) {
	p, m := w.pick(ctx)
	if m == nil {
		return
	}
	axis := w.rng.IntN(len(m.shape))
	n := w.rng.IntN(m.extent()[axis] - m.shape[axis] + 1)
	shape := slices.Clone(m.shape)
	shape[axis] = n
	lists := make([][]int, len(shape))
	for d := range shape {
		for i := range shape[d] {
			if d == axis {
				i += m.shape[d]
			}
			lists[d] = append(lists[d], i)
		}
	}
	at := m.at(lists)
	if len(at) == 0 {
		return // a block without elements does not show its number of rows
	}
	v := m.elems.numbers(w.rng, len(at))
	var err error
	if w.rng.IntN(3) == 0 && axis == 0 {
		rows := 1 + w.rng.IntN(n)
		w.note("stream %d rows along axis %d to %s, %d at once: %v", n, axis, p, rows, v)
		m.open, err = m.elems.stream(ctx, m.open, axis, rows, v)
	} else {
		w.note("append %d rows along axis %d to %s: %v", n, axis, p, v)
		m.open, err = m.elems.append(ctx, m.open, axis, v)
	}
	w.must(err)
	m.fade()
	m.shape[axis] += n
	m.set(at, v)
}

func (w *world) resize(ctx context.Context) {
	p, m := w.pick(ctx)
	if m == nil {
		return
	}
	shape := slices.Clone(m.shape)
	for d, n := range m.extent() {
		if w.rng.IntN(2) == 0 {
			shape[d] = w.rng.IntN(n + 1)
		}
	}
	o := zarr.ResizeOptions{MetadataOnly: w.rng.IntN(4) == 0}
	o.Clear = !o.MetadataOnly && w.rng.IntN(2) == 0
	w.note("resize %s from %v to %v %+v", p, m.shape, shape, o)
	var err error
	m.open, err = m.open.Resize(ctx, shape, o)
	w.must(err)
	if o.MetadataOnly {
		m.loose = true
		m.shape = shape
		return
	}
	// Objects that are wholly outside the new shape are deleted if they were inside the old shape.
	// Elements may remain in objects that no shape has included since then.
	kept, in := map[int]bool{}, map[int]bool{}
	for _, i := range m.inside(shape) {
		in[i] = true
	}
	if !o.Clear {
		for g := range m.open.ObjectRegions() {
			lists := make([][]int, len(shape))
			for d, i := range g.Coord {
				lo, n := m.open.Edge(d, i)
				for i := lo; i < min(lo+n, m.extent()[d]); i++ {
					lists[d] = append(lists[d], i)
				}
			}
			for _, i := range m.at(lists) {
				kept[i] = true
			}
		}
	}
	for i := range m.cells {
		switch {
		case in[i] || kept[i]:
		case m.loose:
			m.cells[i].faded = m.cells[i].value != 0
		default:
			m.cells[i] = cell{}
		}
	}
	m.shape = shape
}

func (w *world) attrs(ctx context.Context) {
	attrs := randomAttrs(w.rng)
	if w.rng.IntN(3) == 0 {
		groups := slices.Sorted(maps.Keys(w.groups))
		p := groups[w.rng.IntN(len(groups))]
		w.note("attributes of group %q: %v", p, attrs)
		g, err := zarr.OpenGroup(ctx, w.st, p, w.options()...)
		if w.consolidated != nil && p == "" && w.rng.IntN(2) == 0 {
			g, err = zarr.OpenGroup(ctx, w.st, p, append(w.options(), zarr.IgnoreConsolidated())...)
		}
		w.must(err)
		_, err = g.SetAttrs(ctx, attrs)
		w.must(err)
		w.groups[p] = attrs
		if p == "" {
			w.consolidated = nil // the consolidated metadata includes the root in v2 but not in v3
		}
		return
	}
	p, m := w.pick(ctx)
	if m == nil {
		return
	}
	w.note("attributes of %s: %v", p, attrs)
	all := maps.Clone(attrs)
	for name, v := range m.open.Attrs() {
		if reserved[name] {
			all[name] = v
		}
	}
	var err error
	m.open, err = m.open.SetAttrs(ctx, all)
	w.must(err)
	m.attrs = attrs
}

// reserved are attributes that represent other metadata. Migrate and transfer change them.
var reserved = map[string]bool{"_ARRAY_DIMENSIONS": true, "_FillValue": true}

func (w *world) consolidate(ctx context.Context) {
	w.note("consolidate")
	g, err := zarr.OpenGroup(ctx, w.st, "", w.options()...)
	w.must(err)
	_, err = g.Consolidate(ctx)
	w.must(err)
	w.consolidated = w.texts()
	g, err = zarr.OpenGroup(ctx, w.st, "", w.options()...)
	w.must(err)
	different, err := upkeep.CheckConsolidated(ctx, g)
	w.must(err)
	if len(different) > 0 {
		w.Fatalf("consolidated metadata differs: %v", different)
	}
}

func (w *world) migrate(ctx context.Context) {
	if w.format == 3 {
		return
	}
	o := upkeep.MigrateOptions{Remove: w.rng.IntN(2) == 0}
	w.note("migrate %+v", o)
	g, err := zarr.OpenGroup(ctx, w.st, "", w.options()...)
	w.must(err)
	_, err = upkeep.Migrate(ctx, g, o)
	w.must(err)
	w.format, w.consolidated = 3, nil
	w.v2left = !o.Remove
	w.reopen()
}

// reopen drops all handles.
func (w *world) reopen() {
	for _, m := range w.arrays {
		m.open = nil
	}
}

func (w *world) remove(ctx context.Context) {
	p, m := w.pick(ctx)
	if m == nil {
		return
	}
	w.note("remove %s", p)
	r, err := upkeep.PlanRemove(ctx, m.open, upkeep.RemoveOptions{})
	w.must(err)
	w.must(r.Run(ctx))
	delete(w.arrays, p)
}

func (w *world) orphans(ctx context.Context) {
	p, m := w.pick(ctx)
	if m == nil {
		return
	}
	w.note("delete orphans of %s", p)
	o, err := upkeep.FindOrphans(ctx, m.open)
	w.must(err)
	if o.Elsewhere != 0 || o.Beyond != 0 && !m.loose {
		w.Fatalf("%+v", o)
	}
	w.must(o.Delete(ctx))
	m.loose = false
	for i := range m.cells {
		m.cells[i].faded = m.cells[i].value != 0
	}
	for _, i := range m.inside(m.shape) {
		m.cells[i].faded = false
	}
	m.open = nil // the document has had a claim in between
}

// texts returns one line for each node below the root.
func (w *world) texts() map[string]string {
	out := map[string]string{}
	for p, m := range w.arrays {
		out[p] = arrayText(m.elems.dtype.String(), m.shape, m.names, m.attrs)
	}
	for p, attrs := range w.groups {
		if p != "" {
			out[p] = groupText(attrs)
		}
	}
	return out
}

func arrayText(dtype string, shape []int, names []string, attrs map[string]any) string {
	own := map[string]any{}
	for name, v := range attrs {
		if !reserved[name] {
			own[name] = v
		}
	}
	return fmt.Sprintf("array %s %v %v %s", dtype, shape, names, groupText(own))
}

func groupText(attrs map[string]any) string {
	if len(attrs) == 0 {
		return "{}"
	}
	b, err := json.Marshal(attrs)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// nodes returns the text of each node that a walk yields.
func (w *world) nodes(ctx context.Context, g *zarr.Group) map[string]string {
	out := map[string]string{}
	for n, err := range g.Walk(ctx) {
		w.must(err)
		p := n.Path()
		if a, ok := n.(*zarr.Array); ok {
			out[p] = arrayText(a.DType().String(), a.Shape(), a.Dims(), a.Attrs())
		} else {
			out[p] = groupText(n.Attrs())
		}
		if n.Format() != w.format {
			w.Errorf("%s has format %d, want %d", p, n.Format(), w.format)
		}
	}
	return out
}

// check compares all stored data with the model.
func (w *world) check(ctx context.Context) {
	root, err := zarr.OpenGroup(ctx, w.st, "", zarr.IgnoreConsolidated())
	w.must(err)
	if got, want := w.nodes(ctx, root), w.texts(); !reflect.DeepEqual(got, want) {
		w.Fatalf("the nodes are\n%v, want\n%v", got, want)
	}
	if got, want := groupText(root.Attrs()), groupText(w.groups[""]); got != want {
		w.Fatalf("the attributes of the root are %s, want %s", got, want)
	}
	if w.consolidated != nil {
		root, err := zarr.OpenGroup(ctx, w.st, "")
		w.must(err)
		if got := w.nodes(ctx, root); !reflect.DeepEqual(got, w.consolidated) {
			w.Fatalf("the consolidated nodes are\n%v, want\n%v", got, w.consolidated)
		}
	}
	keys := map[string]bool{}
	for p := range w.groups {
		for _, name := range []string{"zarr.json", ".zgroup", ".zattrs", ".zmetadata"} {
			keys[path.Join(p, name)] = true
		}
	}
	for _, p := range slices.Sorted(maps.Keys(w.arrays)) {
		m := w.arrays[p]
		for _, name := range []string{"zarr.json", ".zarray", ".zattrs"} {
			keys[path.Join(p, name)] = true
		}
		a, err := zarr.OpenArray(ctx, w.st, p)
		w.must(err)
		docs, err := a.Documents()
		w.must(err)
		for key, doc := range docs {
			if strings.Contains(string(doc), "zargo_claim") {
				w.Fatalf("%s still has a claim: %s", key, doc)
			}
		}
		got, err := m.elems.read(ctx, a, w.rng.IntN(4) == 0)
		w.must(err)
		if err := m.compare(got); err != nil {
			w.Fatalf("%s: %v", p, err)
		}
		handle := cmp.Or(m.open, a) // with its options and its cache
		if !slices.Contains(m.shape, 0) {
			sel, at := w.selection(m)
			got, err = m.elems.read(ctx, handle, false, sel...)
			w.must(err)
			if want := m.values(at); !slices.Equal(got, want) {
				w.Fatalf("%s: %v is %v, want %v", p, sel, got, want)
			}
		}
		got, err = m.elems.read(ctx, handle, false)
		w.must(err)
		if err := m.compare(got); err != nil {
			w.Fatalf("%s through its handle: %v", p, err)
		}
		for g := range a.ObjectRegions() {
			keys[a.ChunkKey(g.Coord...)] = true
		}
	}
	for e, err := range w.st.List(ctx, "", store.ListOptions{}) {
		w.must(err)
		if !keys[e.Key] && !w.loose(e.Key) {
			w.Fatalf("the key %s is stored", e.Key)
		}
		if !w.v2left && w.format == 3 && strings.HasPrefix(path.Base(e.Key), ".z") {
			w.Fatalf("the key %s of v2 is stored", e.Key)
		}
	}
	for _, p := range []string{"none", "a/none"} {
		if _, err := zarr.Open(ctx, w.st, p); !errors.Is(err, fault.NotFound) {
			w.Fatalf("open %s: %v", p, err)
		}
	}
}

// loose reports whether a key may be a chunk outside the shape of an array.
func (w *world) loose(key string) bool {
	for p, m := range w.arrays {
		if m.loose && strings.HasPrefix(key, p+"/") {
			return true
		}
	}
	return false
}
