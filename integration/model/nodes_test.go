package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// nodesWorld has paths below each other. Actors create nodes of both formats and kinds there,
// migrate and remove them, and change them through handles that they opened earlier.
//
// Each created node has the attribute "by" with the number of the operation that created it, and
// each change of attributes sets "set" to its number.
type nodesWorld struct {
	h       *history
	limits  *concurrency.Limits
	places  map[string]*place
	truths  map[int]*truth // elements of the array that an operation created
	removal []*op          // removals of nodes
	shrinks bool           // some operations make arrays shorter
	hides   bool           // an acknowledged node remains hidden; see covered
}

// place is one path.
type place struct {
	path      string
	docs      map[string]*founder // stored documents that make the path a node, by name
	made      []*op               // acknowledged creations
	sets      map[int]int         // step at which the attribute "set" was first stored, by value
	set       []*op               // acknowledged changes of attributes
	shapes    []shapedBy          // shapes that changes of the shape have stored
	resized   []*op               // acknowledged changes of the shape
	doomed    int                 // step at which a creator withdrew a document
	withdrawn int                 // step at which a creator withdrew a document because its look failed
	withdrew  *op                 // the last creator that withdrew a document
	// anonymous means that another process opened the node or set its attributes before the creator
	// had stored its own ones, so that handles lack the attribute "by".
	anonymous bool
}

// founder is a document that makes a path a node.
type founder struct {
	by      *op // the operation that stored it first
	shape   []int
	changed bool     // another operation replaced it before its creator had ended
	from    *founder // for a migration, the document that it replaces
}

// shapedBy is a shape that an operation stored.
type shapedBy struct {
	step  int
	by    *op
	shape []int
}

var nodePaths = []string{"n", "n/a", "n/a/b"}

// nodes sets up the histories of nodes of two formats at the same paths.
func nodes(h *history) {
	w := &nodesWorld{h: h, places: map[string]*place{}, truths: map[int]*truth{}}
	w.limits = &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(1 << 20)}
	h.world = w
	for _, p := range nodePaths {
		w.places[p] = &place{path: p, docs: map[string]*founder{}, sets: map[int]int{}}
	}
	h.removes, w.shrinks = h.rng.IntN(4) == 0, h.rng.IntN(4) == 0
	if err := w.create(context.Background()); err != nil {
		h.fail("create: %v", err)
		return
	}
	for range 2 + h.rng.IntN(2) {
		h.actor(false, w.actor)
	}
	h.loop()
	w.look("when all actors have ended")
	if h.bad != "" {
		return
	}
	h.flush()
	w.look("after the last late request")
	if h.bad == "" {
		h.actor(true, w.recover)
		h.loop()
		w.look("after the recovery")
	}
	if w.hides {
		h.count("histories that end with a hidden node")
	}
}

// create creates a v2 group and a v2 array in it, in half of the histories.
func (w *nodesWorld) create(ctx context.Context) error {
	if w.h.rng.IntN(2) == 0 {
		return nil
	}
	limit := zarr.Limit(zarr.Limits{Shared: w.limits, InFlight: 1})
	for i, p := range nodePaths[:2] {
		o := &op{id: i + 1, by: &actor{h: w.h, id: 99}, kind: doCreate, text: p, over: true}
		w.h.ops[o.id] = o
		pl, name := w.places[p], ".zgroup"
		var err error
		if i == 0 {
			_, err = zarr.CreateGroup(ctx, w.h.raw, p, zarr.Spec{Format: 2, Attrs: map[string]any{"by": o.id}}, limit)
		} else {
			s := w.spec(o, 2, 3)
			name = ".zarray"
			_, err = zarr.Create(ctx, w.h.raw, p, s, limit)
		}
		if err != nil {
			return err
		}
		pl.docs[name] = &founder{by: o, shape: []int{3}}
		pl.made = append(pl.made, o)
	}
	return nil
}

// spec returns the Spec of an array, and begins to track its elements.
func (w *nodesWorld) spec(o *op, format, length int) zarr.Spec {
	w.truths[o.id] = newTruth("", format, []int{length}, []int{2})
	return zarr.Spec{Format: format, DType: dtype.Int32, Codecs: []codec.Spec{}, Shape: []int{length}, Chunks: []int{2}, Attrs: map[string]any{"by": o.id}}
}

// actor runs a few operations. It keeps the nodes that it opened and created.
func (w *nodesWorld) actor(ctx context.Context, a *actor) {
	var held []zarr.Node
	k := weights{doCreate: 5, doOpen: 4, doAppend: 3, doResize: 2, doAttrs: 3, doWrite: 2, doMigrate: 2}
	if w.h.removes {
		k[doRemove] = 2
	}
	for range 3 + a.rng.IntN(4) {
		if a.gone() {
			return
		}
		p := nodePaths[min(a.rng.IntN(4), a.rng.IntN(3))]
		var n zarr.Node
		if len(held) > 0 {
			n = held[a.rng.IntN(len(held))]
		}
		var out zarr.Node
		switch k.pick(a) {
		case doCreate:
			out = w.make(ctx, a, p, n)
		case doOpen:
			out = w.open(ctx, a, p)
		case doAppend:
			out = w.append(ctx, a, n, zarr.AppendOptions{})
		case doResize:
			out = w.resize(ctx, a, n)
		case doAttrs:
			out = w.setAttrs(ctx, a, n)
		case doWrite:
			w.write(ctx, a, n)
		case doMigrate:
			w.migrate(ctx, a, p)
		case doRemove:
			w.remove(ctx, a, p)
		}
		if out != nil && a.rng.IntN(3) > 0 {
			held = append(held, out)
		}
	}
}

// recover changes every node that is stored, as a healthy actor.
func (w *nodesWorld) recover(ctx context.Context, a *actor) {
	for _, p := range nodePaths {
		n := w.open(ctx, a, p)
		if n == nil {
			continue
		}
		if out := w.setAttrs(ctx, a, n); out != nil {
			n = out
		}
		if x, ok := n.(*zarr.Array); ok {
			w.append(ctx, a, x, zarr.AppendOptions{TakeOver: -1})
		}
	}
}

// do runs one operation, and checks that its error is one of those that meetings cause.
func (w *nodesWorld) do(ctx context.Context, a *actor, o *op, call func(context.Context) error, end func()) {
	o.tolerant = true
	a.do(ctx, o, call, func(err error) {
		switch {
		case err == nil && end != nil:
			end()
		case err == nil, o.faults > 0, errors.Is(err, fault.Exists), errors.Is(err, fault.Conflict), errors.Is(err, fault.NotFound):
		default:
			w.h.fail("%v: unexpected error: %v", o, err)
		}
		if w.h.bad == "" {
			w.look("after " + o.String())
		}
	})
}

func (w *nodesWorld) make(ctx context.Context, a *actor, p string, n zarr.Node) (out zarr.Node) {
	format, array := 2+a.rng.IntN(2), a.rng.IntN(2) == 0
	o := &op{kind: doCreate}
	parent, member := n.(*zarr.Group)
	if member = member && a.rng.IntN(2) == 0; member {
		p = map[string]string{"n": "n/a", "n/a": "n/a/b"}[parent.Path()]
		format = parent.Format()
	}
	if p == "" {
		return nil
	}
	length := 1 + a.rng.IntN(3)
	o.text = fmt.Sprintf("%s v%d array %v, in a group %v", p, format, array, member)
	w.do(ctx, a, o, func(ctx context.Context) (err error) {
		a.h.mu.Lock()
		s := w.spec(o, format, length)
		a.h.mu.Unlock()
		var x *zarr.Array
		var g *zarr.Group
		switch {
		case array && member:
			x, err = parent.CreateArray(ctx, path.Base(p), s)
		case array:
			x, err = zarr.Create(ctx, a.store(), p, s, a.options()...)
		case member:
			g, err = parent.CreateGroup(ctx, path.Base(p), s.Attrs)
		default:
			g, err = zarr.CreateGroup(ctx, a.store(), p, zarr.Spec{Format: format, Attrs: s.Attrs}, a.options()...)
		}
		if out = g; array {
			out = x
		}
		return err
	}, func() { w.created(o, p) })
	if o.err != nil || !o.over {
		return nil
	}
	return out
}

// created records an acknowledged creation. At most one creation of a path is acknowledged until
// the node is removed, and the groups above the node are no arrays.
func (w *nodesWorld) created(o *op, p string) {
	pl := w.places[p]
	for _, other := range pl.made {
		if !w.removed(p, other) && !w.removed(p, o) {
			w.h.fail("%v and %v are both acknowledged", other, o)
		}
	}
	pl.made = append(pl.made, o)
	w.h.count("acknowledged creations")
	for q := p; q != "n" && !w.removed("n/a", o); {
		q = path.Dir(q)
		_, err := zarr.OpenGroup(context.Background(), w.h.raw, q, zarr.Limit(zarr.Limits{Shared: w.limits}))
		if err != nil && w.places[q].withdrawn >= o.began {
			w.h.count("group withdrawn after a failed look")
			err = nil
		}
		if by := w.places[q].withdrew; err != nil && by != nil && (!by.over || by.faults > 0 || by.by.dead) {
			w.h.count("group withdrawn by a creator that runs or was killed")
			err = nil // it creates the group again if it finds a member
		}
		if err != nil && w.revived(q) {
			w.h.count("group above a node that was removed during its migration")
			err = nil
		}
		if err != nil && !w.covered(q) {
			w.h.fail("%v is acknowledged, and the group %q cannot be opened: %v", o, q, err)
		}
	}
}

// removed reports whether a removal of the path, or of a node above or below it, ran after an
// operation began.
func (w *nodesWorld) removed(p string, o *op) bool {
	return slices.ContainsFunc(w.removal, func(r *op) bool {
		return (r.text == p || strings.HasPrefix(p, r.text+"/") || strings.HasPrefix(r.text, p+"/")) && (!r.over || r.ended >= o.began)
	})
}

// revived reports whether a migration has put the document of a node that was removed in the
// meantime. Removals have no conditions; see docs/adr/005-claim-first.md.
func (w *nodesWorld) revived(p string) bool {
	d := w.places[p].docs["zarr.json"]
	return d != nil && d.by.kind == doMigrate && w.removed(p, d.by)
}

// covered reports whether the path has documents of several nodes because a creator was killed or
// failed before its second look, still runs, or could not withdraw because another process had
// changed or migrated its document; see docs/adr/005-claim-first.md.
func (w *nodesWorld) covered(p string) bool {
	pl := w.places[p]
	if len(pl.docs) < 2 {
		return false
	}
	for _, d := range pl.docs {
		if d.by.kind == doCreate && (!d.by.over || d.by.faults > 0 || d.by.by.dead || d.changed) {
			return true
		}
		if d.from != nil && d.from.by.kind == doCreate && d.from.changed {
			return true
		}
	}
	return false
}

func (w *nodesWorld) open(ctx context.Context, a *actor, p string) (n zarr.Node) {
	opts := a.options()
	o := &op{kind: doOpen, text: p}
	if a.rng.IntN(5) == 0 {
		opts, o.text = append(opts, zarr.Format(2)), p+" as v2"
	}
	w.do(ctx, a, o, func(ctx context.Context) (err error) {
		n, err = zarr.Open(ctx, a.store(), p, opts...)
		return err
	}, func() {
		if w.places[p].docs["zarr.json"] != nil && n.Format() == 2 {
			n = nil // who asks for the hidden node gets it
		}
	})
	return n
}

// of returns the elements of the array of a handle, and whether they are tracked. They are not if
// the array was opened before its creator had stored its attributes.
func (w *nodesWorld) of(x *zarr.Array) (*truth, bool) {
	t, ok := w.truths[number(x.Attrs()["by"])]
	if !ok {
		w.places[x.Path()].anonymous = true
	}
	return t, ok
}

func number(v any) int {
	switch v := v.(type) {
	case int:
		return v
	case float64:
		return int(v)
	case int64:
		return int(v)
	case json.Number:
		n, _ := v.Int64()
		return int(n)
	}
	return 0
}

func (w *nodesWorld) append(ctx context.Context, a *actor, n zarr.Node, opts zarr.AppendOptions) zarr.Node {
	x, ok := n.(*zarr.Array)
	if !ok || x.Shape()[0] > most {
		return nil
	}
	o := &op{kind: doAppend, n: 1 + a.rng.IntN(3), text: fmt.Sprintf("%s v%d of %v", x.Path(), x.Format(), x.Shape())}
	pl := w.places[x.Path()]
	first := 0
	var out *zarr.Array
	w.do(ctx, a, o, func(ctx context.Context) (err error) {
		out, err = x.AppendFunc(ctx, 0, o.n, func(ctx context.Context, b *zarr.Array, from int) error {
			first = from
			v := make([]int32, o.n)
			for i := range v {
				v[i] = o.value(i)
			}
			a.h.mu.Lock()
			if t, ok := w.of(x); ok && from+o.n < width {
				t.issue(o, rowsOf(from, from+o.n), a.h.step, func(c [2]int) int32 { return v[c[0]-from] })
			}
			a.h.mu.Unlock()
			return zarr.Write(ctx, b, v, zarr.Range(from, from+o.n))
		}, opts)
		return err
	}, func() {
		pl.resized = append(pl.resized, o)
		w.h.count("acknowledged appends")
		if t, ok := w.of(x); ok && first+o.n < width {
			t.acknowledge(o, rowsOf(first, first+o.n), o.began, w.h.step)
		}
	})
	if o.err != nil || out == nil {
		return nil
	}
	return out
}

func rowsOf(lo, hi int) box { return box{[2]int{lo, 0}, [2]int{hi, 1}} }

func (w *nodesWorld) resize(ctx context.Context, a *actor, n zarr.Node) zarr.Node {
	x, ok := n.(*zarr.Array)
	if !ok {
		return nil
	}
	to := x.Shape()[0] + 1 + a.rng.IntN(3)
	if w.shrinks && a.rng.IntN(2) == 0 {
		to = a.rng.IntN(x.Shape()[0] + 1)
	}
	if to > most || to == x.Shape()[0] {
		return nil
	}
	o := &op{kind: doResize, text: fmt.Sprintf("%s v%d from %v to %d", x.Path(), x.Format(), x.Shape(), to)}
	pl := w.places[x.Path()]
	var out *zarr.Array
	w.do(ctx, a, o, func(ctx context.Context) (err error) {
		out, err = x.Resize(ctx, []int{to}, zarr.ResizeOptions{MetadataOnly: o.id%2 == 0})
		return err
	}, func() {
		pl.resized = append(pl.resized, o)
		w.h.count("acknowledged resizes")
	})
	if o.err != nil || out == nil {
		return nil
	}
	return out
}

func (w *nodesWorld) setAttrs(ctx context.Context, a *actor, n zarr.Node) (out zarr.Node) {
	if n == nil {
		return nil
	}
	o := &op{kind: doAttrs, text: fmt.Sprintf("of %s v%d", n.Path(), n.Format())}
	pl := w.places[n.Path()]
	w.do(ctx, a, o, func(ctx context.Context) (err error) {
		m := n.Attrs()
		m["set"] = o.id
		switch n := n.(type) {
		case *zarr.Array:
			out, err = n.SetAttrs(ctx, m)
		case *zarr.Group:
			out, err = n.SetAttrs(ctx, m)
		}
		return err
	}, func() {
		if _, ok := pl.sets[o.id]; !ok {
			w.h.fail("%v is acknowledged, and its attributes were not stored", o)
		}
		pl.set = append(pl.set, o)
		w.h.count("acknowledged attributes")
	})
	if o.err != nil {
		return nil
	}
	return out
}

func (w *nodesWorld) write(ctx context.Context, a *actor, n zarr.Node) {
	x, ok := n.(*zarr.Array)
	if !ok || x.Shape()[0] == 0 {
		return
	}
	lo := a.rng.IntN(x.Shape()[0])
	hi := lo + 1 + a.rng.IntN(x.Shape()[0]-lo)
	o := &op{kind: doWrite, text: fmt.Sprintf("%s v%d %d to %d", x.Path(), x.Format(), lo, hi)}
	w.do(ctx, a, o, func(ctx context.Context) error {
		v := make([]int32, hi-lo)
		for i := range v {
			v[i] = o.value(i)
		}
		a.h.mu.Lock()
		if t, ok := w.of(x); ok && hi < width {
			t.issue(o, rowsOf(lo, hi), o.began, func(c [2]int) int32 { return v[c[0]-lo] })
		}
		a.h.mu.Unlock()
		return zarr.Write(ctx, x, v, zarr.Range(lo, hi))
	}, func() {
		if t, ok := w.of(x); ok && hi < width {
			t.acknowledge(o, rowsOf(lo, hi), o.began, w.h.step)
		}
	})
}

func (w *nodesWorld) migrate(ctx context.Context, a *actor, p string) {
	remove := a.rng.IntN(2) == 0
	o := &op{kind: doMigrate, text: fmt.Sprintf("%s remove %v", p, remove)}
	w.do(ctx, a, o, func(ctx context.Context) error {
		n, err := zarr.Open(ctx, a.store(), p, a.options()...)
		if err == nil {
			_, err = upkeep.Migrate(ctx, n, upkeep.MigrateOptions{Remove: remove})
		}
		return err
	}, func() {
		w.h.count("acknowledged migrations")
		n, err := zarr.Open(context.Background(), w.h.raw, p, zarr.Limit(zarr.Limits{Shared: w.limits}))
		// A migration that saw only a v3 document that was withdrawn later has nothing to do.
		if err == nil && n.Format() != 3 && !w.removed(p, o) && w.places[p].doomed < o.began {
			w.h.fail("%v is acknowledged, and the node has format %d", o, n.Format())
		}
	})
}

func (w *nodesWorld) remove(ctx context.Context, a *actor, p string) {
	o := &op{kind: doRemove, text: p}
	w.do(ctx, a, o, func(ctx context.Context) error {
		a.h.mu.Lock()
		w.removal = append(w.removal, o)
		a.h.mu.Unlock()
		n, err := zarr.Open(ctx, a.store(), p, a.options()...)
		if err != nil {
			return err
		}
		r, err := upkeep.PlanRemove(ctx, n, upkeep.RemoveOptions{})
		if err != nil {
			return err
		}
		return r.Run(ctx)
	}, nil)
}

// attrsIn is the part of the attributes that the model reads.
type attrsIn struct{ By, Set int }

func (w *nodesWorld) applied(r *request) {
	for key := range strings.SplitSeq(r.key, " ") {
		pl, name := w.places[path.Dir(key)], path.Base(key)
		if pl == nil || !isDocument(key) {
			continue
		}
		if r.verb == del {
			if r.op != nil && r.op.kind == doCreate {
				pl.doomed, pl.withdrew = w.h.step, r.op
			}
			if r.op != nil && r.op.kind == doCreate && r.op.faults > 0 {
				pl.withdrawn = w.h.step
			}
			delete(pl.docs, name)
			continue
		}
		var d struct {
			attrsIn
			Shape      []int
			Attributes attrsIn
		}
		if err := json.Unmarshal(r.value, &d); err != nil {
			w.h.fail("%v is no JSON: %v", r, err)
			return
		}
		set := d.Attributes.Set
		if name == ".zattrs" {
			set = d.Set
		}
		if _, ok := pl.sets[set]; !ok && set != 0 {
			pl.sets[set] = w.h.step
		}
		if name != "zarr.json" && name != ".zarray" && name != ".zgroup" {
			continue
		}
		f := pl.docs[name]
		if f == nil {
			f = &founder{by: r.op, shape: d.Shape}
			if r.op.kind == doMigrate {
				f.from = cmp.Or(pl.docs[".zarray"], pl.docs[".zgroup"]) // readers prefer .zarray
			}
			pl.docs[name] = f
			continue
		}
		if r.op != f.by && (!f.by.over || f.by.faults > 0 || f.by.by.dead) {
			f.changed = true
		}
		if !slices.Equal(f.shape, d.Shape) {
			f.shape = d.Shape
			pl.shapes = append(pl.shapes, shapedBy{w.h.step, r.op, d.Shape})
		}
	}
}

// look opens each path, and compares the node with what was acknowledged.
func (w *nodesWorld) look(what string) {
	for _, p := range nodePaths {
		if w.h.bad == "" {
			w.lookAt(w.places[p], what)
		}
	}
}

func (w *nodesWorld) lookAt(pl *place, what string) {
	var made *op
	for _, o := range pl.made {
		if !w.removed(pl.path, o) {
			made = o
		}
	}
	if made == nil {
		return
	}
	if w.covered(pl.path) {
		w.h.count("looks at a hidden node")
		if w.h.running == 0 {
			w.hides = true
		}
		return
	}
	n, err := zarr.Open(context.Background(), w.h.raw, pl.path, zarr.Limit(zarr.Limits{Shared: w.limits}))
	if err != nil {
		w.h.fail("%s: %v is acknowledged, and the node cannot be opened: %v", what, made, err)
		return
	}
	by := number(n.Attrs()["by"])
	if at, ok := pl.sets[number(n.Attrs()["set"])]; by == 0 && ok && at > made.began {
		// The attributes were set after the creator had put .zarray or .zgroup, and before .zattrs.
		by, pl.anonymous = made.id, true
	}
	if by != made.id && w.revived(pl.path) {
		w.h.count("looks at a node that was removed during its migration")
		return
	}
	if o := w.h.ops[by]; by != made.id && o != nil && w.removed(pl.path, o) {
		w.h.count("looks at a node that was removed during its creation")
		return
	}
	if by != made.id {
		w.h.fail("%s: %v is acknowledged, and the node of %d is stored", what, made, by)
		return
	}
	set := pl.sets[number(n.Attrs()["set"])]
	for _, o := range pl.set {
		if pl.sets[o.id] > set && !w.removed(pl.path, o) {
			w.h.fail("%s: %v is acknowledged, and the attributes are %v", what, o, n.Attrs())
		}
	}
	x, ok := n.(*zarr.Array)
	if !ok || w.h.bad != "" {
		return
	}
	w.shape(pl, what, x)
	if w.shrinks || w.h.removes || pl.anonymous || w.h.bad != "" {
		return
	}
	t := w.truths[made.id]
	v, err := zarr.Read[int32](context.Background(), x)
	if err != nil {
		w.h.fail("%s: %v", what, err)
		return
	}
	w.h.note("%s: %s is %v", what, pl.path, v)
	for i := range v {
		if c := [2]int{i, 0}; i < width && w.h.bad == "" && !t.may(c, v[i], w.h.step, w.h.step) {
			w.h.fail("%s: element %d of %s is %d (%s), and may be%s", what, i, pl.path, v[i], whence(w.h, v[i]), t.explain(c, w.h.step, w.h.step))
		}
	}
}

// shape checks that an array has the shape of the last acknowledged change, or of a later one.
func (w *nodesWorld) shape(pl *place, what string, x *zarr.Array) {
	var last *op
	step := -1
	for _, s := range pl.shapes {
		if slices.Contains(pl.resized, s.by) && !w.removed(pl.path, s.by) {
			last, step = s.by, s.step
		}
	}
	if last == nil {
		return
	}
	for _, s := range pl.shapes {
		if s.step >= step && slices.Equal(s.shape, x.Shape()) {
			return
		}
	}
	w.h.fail("%s: %v is acknowledged, and the shape of %s is %v", what, last, pl.path, x.Shape())
}
