package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

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
