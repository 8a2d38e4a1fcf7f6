package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestChangedAfterSave changes the only array of a source between Save and Run of one worker, which
// then compares its metadata once. The plan fails with the change, whatever the first error was,
// and the target is not published.
func TestChangedAfterSave(t *testing.T) {
	for name, o := range map[string]transfer.Options{"as it is": {}, "decoded": {Codecs: []codec.Spec{codec.Zstd(1)}}} {
		for change, f := range map[string]func(spec zarr.Spec, st store.Store) error{
			"nothing": func(zarr.Spec, store.Store) error { return nil },
			"codecs": func(spec zarr.Spec, st store.Store) error {
				spec.Codecs = []codec.Spec{codec.Zstd(1)}
				a, err := zarr.Replace(t.Context(), st, "a", spec)
				if err == nil {
					err = zarr.Write(t.Context(), a, make([]int16, 40), zarr.Range(0, 10), zarr.Range(0, 4))
				}
				return err
			},
			"gone": func(_ zarr.Spec, st store.Store) error { return store.DeleteBelow(t.Context(), st, "a") },
		} {
			src := &counted{Store: mem.New()}
			spec := zarr.Spec{Shape: []int{10, 4}, Chunks: []int{4, 4}, DType: dtype.Int16, Codecs: []codec.Spec{codec.Gzip(1)}, Fill: int16(7)}
			a := must(zarr.Create(t.Context(), src.Store, "a", spec))
			check(t, zarr.Write(t.Context(), a, make([]int16, 40)))
			dst := mem.New()
			o.Source.Store, o.Target.Store = "src", "dst"
			p := must(transfer.NewPlan(t.Context(), a, dst, o))
			documents := 0
			open := stores(map[string]store.Store{"dst": dst, "src": store.Observe(src.Store, func(_ context.Context, e store.Event) {
				if e.Key == "a/zarr.json" {
					documents++
				}
			})})
			w := must(transfer.Start(t.Context(), p, open, transfer.RunOptions{}))
			check(t, w.Save(t.Context()))
			check(t, f(spec, src.Store))
			err := w.Run(t.Context(), transfer.RunOptions{Parallel: 1})
			if (change == "nothing") != (err == nil) || err != nil && !errors.As(err, new(*transfer.ChangedError)) {
				t.Errorf("%s, %s: %v", name, change, err)
			}
			if documents != 1 {
				t.Errorf("%s, %s: %d documents were read", name, change, documents)
			}
			if _, none := zarr.OpenArray(t.Context(), dst, ""); err != nil && !errors.Is(none, fault.NotFound) {
				t.Errorf("%s, %s: published: %v", name, change, none)
			}
		}
	}
}

// TestChangedSource checks the errors of runs whose source is changed before the first task or
// before the last task.
func TestChangedSource(t *testing.T) {
	spec := zarr.Spec{Shape: []int{10, 4}, Chunks: []int{4, 4}, DType: dtype.Int16, Attrs: map[string]any{"units": "K"}}
	replace := func(change func(*zarr.Spec)) func(context.Context, store.Store) error {
		return func(ctx context.Context, st store.Store) error {
			other := spec
			change(&other)
			_, err := zarr.Replace(ctx, st, "a", other)
			return err
		}
	}
	resize := func(shape ...int) func(context.Context, store.Store) error {
		return func(ctx context.Context, st store.Store) error {
			a, err := zarr.OpenArray(ctx, st, "a")
			if err == nil {
				_, err = a.Resize(ctx, shape, zarr.ResizeOptions{})
			}
			return err
		}
	}
	gzip := []codec.Spec{codec.Gzip(1)}
	chunks := func(shape ...int) func(*zarr.Array) ([]int, []int, error) {
		return func(*zarr.Array) ([]int, []int, error) { return shape, nil, nil }
	}
	for _, c := range []struct {
		name   string
		o      transfer.Options
		change func(context.Context, store.Store) error
		says   string // in the error; "" if the copy succeeds
	}{
		{"nothing", transfer.Options{}, func(context.Context, store.Store) error { return nil }, ""},
		{"shorter", transfer.Options{}, resize(8, 4), "its shape was [10 4] and is [8 4]"},
		{"longer, decoded", transfer.Options{Codecs: gzip}, resize(12, 4), ""},
		{"longer, as it is, the last chunk partly new", transfer.Options{}, resize(12, 4), "its shape was [10 4] and is [12 4]"},
		{"longer, as it is, without the last chunk", transfer.Options{Ranges: func(*zarr.Array) ([][2]int, error) { return [][2]int{{0, 8}, {0, 4}}, nil }}, resize(12, 4), ""},
		{"longer and shorter", transfer.Options{Codecs: gzip}, resize(12, 3), "its shape was"},
		{"codecs", transfer.Options{}, replace(func(s *zarr.Spec) { s.Codecs = gzip }), "another codecs"},
		{"chunks", transfer.Options{Codecs: gzip, Grid: chunks(5, 4)}, replace(func(s *zarr.Spec) { s.Chunks = []int{2, 4} }), "another chunk shape"},
		{"fill value", transfer.Options{}, replace(func(s *zarr.Spec) { s.Fill = int16(7) }), "another fill value"},
		{"data type", transfer.Options{}, replace(func(s *zarr.Spec) { s.DType = dtype.Uint16 }), "another data type"},
		{"attributes", transfer.Options{}, replace(func(s *zarr.Spec) { s.Attrs = map[string]any{"units": "C"} }), "other attributes"},
		{"no attributes", transfer.Options{}, replace(func(s *zarr.Spec) { s.Attrs = nil }), "other attributes"},
		{"rank", transfer.Options{}, replace(func(s *zarr.Spec) { s.Shape, s.Chunks = []int{10}, []int{4} }), "another shape"},
		{"gone", transfer.Options{}, func(ctx context.Context, st store.Store) error { return store.DeleteBelow(ctx, st, "a") }, "it is gone"},
	} {
		for _, format := range []int{2, 3} {
			for _, late := range []bool{false, true} {
				w := newWorld(t, mem.New(), mem.New())
				s := spec
				s.Format = format
				a := must(zarr.Create(t.Context(), w.src, "a", s))
				values := make([]int16, 40)
				for i := range values {
					values[i] = int16(i + 1)
				}
				check(t, zarr.Write(t.Context(), a, values))
				p := w.plan(a, c.o)
				last := p.Tasks() - 1
				if late {
					for i := range last {
						check(t, transfer.RunTask(t.Context(), p, i, w.open))
					}
				}
				was := spec.Format
				spec.Format = format
				check(t, c.change(t.Context(), w.src))
				spec.Format = was
				for _, count := range []int{0, 2} { // alone, and as one of two processes
					err := transfer.Run(t.Context(), p, w.open, transfer.RunOptions{Index: count / 2, Count: count})
					if c.says == "" && err == nil {
						continue
					}
					if !errors.Is(err, fault.Conflict) || c.says == "" || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "new plan") {
						t.Errorf("%s, v%d, late %v: %v", c.name, format, late, err)
					}
					if missing := must(transfer.Verify(t.Context(), p, w.open)); !late && count == 0 && len(missing) != p.Tasks() {
						t.Errorf("%s, v%d: tasks were run, left are %v", c.name, format, missing)
					}
					if _, err := zarr.OpenArray(t.Context(), w.dst, ""); !errors.Is(err, fault.NotFound) {
						t.Errorf("%s, v%d, late %v: it is published, %v", c.name, format, late, err)
					}
				}
				if c.says == "" {
					check(t, transfer.Run(t.Context(), p, w.open, transfer.RunOptions{}))
					n := []int{10, 4}
					if c.o.Ranges != nil {
						n[0] = 8
					}
					b := must(zarr.OpenArray(t.Context(), w.dst, ""))
					for i, v := range must(zarr.Read[int16](t.Context(), b)) {
						if v != values[i] || b.Len() != n[0]*n[1] {
							t.Fatalf("%s: element %d of %v is %d", c.name, i, b.Shape(), v)
						}
					}
				}
			}
		}
	}
}

// TestWatchCosts checks the number of requests that compare the source with the plan.
func TestWatchCosts(t *testing.T) {
	for _, c := range []struct {
		name         string
		format       int
		consolidated bool
		gets         int64
	}{
		{"v3", 3, false, 4},              // one for each array
		{"v2", 2, false, 8},              // one more for attributes
		{"v3, consolidated", 3, true, 4}, // the copy is not evidence of the arrays
		{"v2, consolidated", 2, true, 8},
	} {
		w := newWorld(t, mem.New(), mem.New())
		g := forest(t, w.src, c.format)
		if c.consolidated {
			must(g.Consolidate(t.Context()))
			g = must(zarr.OpenGroup(t.Context(), w.src, "in", zarr.Format(c.format)))
		}
		p := w.plan(g, transfer.Options{})
		var gets atomic.Int64
		open := func(ctx context.Context, name string) (store.Store, error) {
			st, err := w.open(ctx, name)
			return store.Observe(st, func(_ context.Context, e store.Event) {
				for _, doc := range []string{"zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata"} {
					if name == "src" && e.Op == store.OpGet && strings.HasSuffix(e.Key, doc) {
						gets.Add(1)
					}
				}
			}), err
		}
		check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{}))
		if got := gets.Load(); got != 2*c.gets { // before the first task and before the last one
			t.Errorf("%s: %d documents were read, not %d", c.name, got, 2*c.gets)
		}
	}
}

// TestChangedConsolidated checks that a plan of a source with consolidated metadata is compared
// with the documents of the arrays, also if the consolidated metadata is unchanged.
func TestChangedConsolidated(t *testing.T) {
	for _, format := range []int{2, 3} {
		w := newWorld(t, mem.New(), mem.New())
		must(forest(t, w.src, format).Consolidate(t.Context()))
		g := must(zarr.OpenGroup(t.Context(), w.src, "in"))
		p, q := w.plan(g, transfer.Options{Target: transfer.Place{Path: "p"}}), w.plan(g, transfer.Options{Target: transfer.Place{Path: "q"}})
		w.run(p)
		same(t, g, must(zarr.OpenGroup(t.Context(), w.dst, "p")))
		a := must(zarr.OpenArray(t.Context(), w.src, "in/t2m"))
		must(a.SetAttrs(t.Context(), map[string]any{"units": "C"}))
		if err := transfer.Run(t.Context(), q, w.open, transfer.RunOptions{}); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "in/t2m") {
			t.Errorf("v%d: %v", format, err)
		}
	}
}

// TestReplacedWhileMoved checks that a task does not mix two versions of an object that is replaced
// between the two requests that copy it. The task needs two requests because the object is longer
// than expected.
func TestReplacedWhileMoved(t *testing.T) {
	w := newWorld(t, mem.New(), mem.New())
	a := must(zarr.Create(t.Context(), w.src, "a", zarr.Spec{Shape: []int{4}, Chunks: []int{4}, DType: dtype.Uint8, Codecs: []codec.Spec{}}))
	long := func(b byte) []byte { return bytes.Repeat([]byte{b}, 1<<20) } // longer than any encoded chunk
	must(w.src.Put(t.Context(), "a/c/0", long(1), store.PutOptions{}))
	p := w.plan(a, transfer.Options{})
	var gets atomic.Int64
	open := func(ctx context.Context, name string) (store.Store, error) {
		st, err := w.open(ctx, name)
		if name == "src" {
			st = store.Observe(st, func(ctx context.Context, e store.Event) {
				if e.Op == store.OpGet && e.Key == "a/c/0" && gets.Add(1) == 1 {
					must(w.src.Put(ctx, "a/c/0", long(2), store.PutOptions{}))
				}
			})
		}
		return st, err
	}
	if err := transfer.RunTask(t.Context(), p, 0, open); !errors.Is(err, fault.Conflict) || gets.Load() != 2 {
		t.Errorf("after %d requests: %v", gets.Load(), err)
	}
	if n := len(copied(t, w.dst)); n != 0 {
		t.Errorf("%d objects are stored", n)
	}
	check(t, transfer.RunTask(t.Context(), p, 0, open))
	if got := must(w.dst.Get(t.Context(), "c/0", store.GetOptions{}, nil)); !bytes.Equal(got.Bytes, long(2)) {
		t.Error("another value is stored")
	}
}

// stale stores a group whose consolidated metadata is out of date in every way: an array has grown,
// one has other attributes, one was added, one was deleted, and one became a group.
func stale(t *testing.T, st store.Store, format int) {
	ctx := t.Context()
	g := must(zarr.CreateGroup(ctx, st, "in", zarr.Spec{Format: format}))
	sub := must(g.CreateGroup(ctx, "sub", nil))
	spec := zarr.Spec{Format: format, Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32}
	for _, name := range []string{"grown", "attrs", "gone", "group"} {
		a := must(g.CreateArray(ctx, name, spec))
		check(t, zarr.Write(ctx, a, []int32{1, 2, 3, 4}))
	}
	must(sub.CreateArray(ctx, "kept", spec))
	must(sub.Consolidate(ctx))
	must(g.Consolidate(ctx))
	grown := must(zarr.OpenArray(ctx, st, "in/grown"))
	must(zarr.Append(ctx, grown, 0, []int32{5, 6}, zarr.AppendOptions{}))
	must(must(zarr.OpenArray(ctx, st, "in/attrs")).SetAttrs(ctx, map[string]any{"units": "K"}))
	for _, name := range []string{"in/gone", "in/group"} {
		check(t, store.DeleteBelow(ctx, st, name))
	}
	must(zarr.CreateGroup(ctx, st, "in/group", zarr.Spec{Format: format}))
	must(zarr.Create(ctx, st, "in/group/below", spec))
	must(zarr.Create(ctx, st, "in/sub/new", spec))
}

// TestStaleSource checks that a plan is made from the stored documents, however the source was
// opened, and that the nodes whose consolidated metadata differs are named.
func TestStaleSource(t *testing.T) {
	want := []string{"attrs array [4]", "group group", "group/below array [4]", "grown array [6]", "sub group", "sub/kept array [4]", "sub/new array [4]"}
	for _, format := range []int{2, 3} {
		for name, opts := range map[string][]zarr.Option{"any format": nil, "of the format": {zarr.Format(format)}} {
			t.Run(fmt.Sprintf("v%d/%s", format, name), func(t *testing.T) {
				ctx := t.Context()
				w := newWorld(t, mem.New(), mem.New())
				stale(t, w.src, format)
				var found []string
				opts = append(opts, zarr.OnFinding(func(f rule.Finding) {
					if f.Rule == rule.Stale {
						found = append(found, f.Text)
					}
				}))
				w.run(w.plan(must(zarr.OpenGroup(ctx, w.src, "in", opts...)), transfer.Options{Target: transfer.Place{Path: "out"}}))
				if got := nodes(t, w.dst, "out"); !slices.Equal(got, want) {
					t.Errorf("copied %q, want %q", got, want)
				}
				if got := must(zarr.OpenArray(ctx, w.dst, "out/attrs")).Attrs()["units"]; got != "K" {
					t.Errorf("units %v", got)
				}
				text := `"attrs" has changed, "gone" is gone from the store, "group" has changed, "group/below" is missing, "grown" has changed, "sub/new" is missing`
				if len(found) != 1 || !strings.HasPrefix(found[0], text) {
					t.Errorf("found %q", found)
				}
			})
		}
	}
}

// nodes returns the paths and shapes of the nodes below a group, without consolidated metadata.
func nodes(t *testing.T, st store.Store, path string) (all []string) {
	for n, err := range must(zarr.OpenGroup(t.Context(), st, path, zarr.IgnoreConsolidated())).Walk(t.Context()) {
		check(t, err)
		text := strings.TrimPrefix(n.Path(), path+"/")
		if a, ok := n.(*zarr.Array); ok {
			text += fmt.Sprintf(" array %v", a.Shape())
		} else {
			text += " group"
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

// TestStaleHandles checks plans of nodes that were opened through stale consolidated metadata.
func TestStaleHandles(t *testing.T) {
	for _, format := range []int{2, 3} {
		ctx := t.Context()
		w := newWorld(t, mem.New(), mem.New())
		stale(t, w.src, format)
		g := must(zarr.OpenGroup(ctx, w.src, "in"))
		o := transfer.Options{Target: transfer.Place{Path: "out"}}
		w.run(w.plan(must(g.OpenArray(ctx, "grown")), o))
		if got := must(zarr.Read[int32](ctx, must(zarr.OpenArray(ctx, w.dst, "out")))); !slices.Equal(got, []int32{1, 2, 3, 4, 5, 6}) {
			t.Errorf("v%d: copied %v", format, got)
		}
		o.Target.Path = "none"
		if _, err := transfer.NewPlan(ctx, must(g.OpenArray(ctx, "gone")), w.dst, o); !errors.Is(err, fault.NotFound) {
			t.Errorf("v%d: a deleted array: %v", format, err)
		}
		o.Target.Path = "sub"
		w.run(w.plan(must(g.OpenGroup(ctx, "sub")), o))
		if got := nodes(t, w.dst, "sub"); !slices.Equal(got, []string{"kept array [4]", "new array [4]"}) {
			t.Errorf("v%d: copied %q", format, got)
		}
	}
}

// unlisted is a store that cannot list, or refuses to.
type unlisted struct {
	store.Store
	err error
}

func (s unlisted) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, s.err) }
}

// TestStaleUnlisted checks sources that cannot be listed. Names come from the consolidated
// metadata, and everything else from the documents. A node without documents is an error.
func TestStaleUnlisted(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, why := range []error{fault.Newf(errors.ErrUnsupported, "no listing"), fault.Newf(fault.Refused, "no listing")} {
			ctx := t.Context()
			w := newWorld(t, mem.New(), mem.New())
			stale(t, w.src, format)
			var found []rule.Rule
			st := unlisted{w.src, why}
			open := func() *zarr.Group {
				return must(zarr.OpenGroup(ctx, st, "in", zarr.OnFinding(func(f rule.Finding) { found = append(found, f.Rule) })))
			}
			o := transfer.Options{Target: transfer.Place{Path: "out"}}
			if _, err := transfer.NewPlan(ctx, open(), w.dst, o); !errors.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "gone") {
				t.Errorf("v%d, %v: a deleted array: %v", format, why, err)
			}
			must(zarr.Create(ctx, w.src, "in/gone", zarr.Spec{Format: format, Shape: []int{1}, DType: dtype.Int8}))
			found = nil
			w.run(w.plan(open(), o))
			want := []string{"attrs array [4]", "gone array [1]", "group group", "grown array [6]", "sub group", "sub/kept array [4]"}
			if got := nodes(t, w.dst, "out"); !slices.Equal(got, want) {
				t.Errorf("v%d, %v: copied %q, want %q", format, why, got, want)
			}
			if !slices.Equal(found, []rule.Rule{rule.Unlisted, rule.Stale}) {
				t.Errorf("v%d, %v: found %v", format, why, found)
			}
		}
	}
}
