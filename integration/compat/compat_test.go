package compat

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

var write = flag.String("write", "", "a version, such as v0.1.0: write its directory, which must not exist")

// arrays are written to every directory. Element i is i%5, and the last quarter is never written.
// Releases may add arrays but not change existing ones, so older directories do not have the newer
// arrays.
var arrays = []struct {
	path string
	spec zarr.Spec
}{
	{"v2/plain", zarr.Spec{Format: 2, Shape: []int{8, 5}, Chunks: []int{3, 2}, DType: dtype.Float64, Codecs: []codec.Spec{codec.Zstd(3)}}},
	{"v2/blosc", zarr.Spec{Format: 2, Shape: []int{8, 5}, Chunks: []int{3, 2}, Order: "F", Separator: "/", DType: dtype.Float64, Codecs: []codec.Spec{codec.Blosc(codec.BloscOptions{Cname: "lz4"})}}},
	{"v3/plain", zarr.Spec{Shape: []int{8, 5}, Chunks: []int{3, 2}, DType: dtype.Float64, Codecs: []codec.Spec{codec.Gzip(5), codec.CRC32C()}, Dims: []string{"y", "x"}}},
	{"v3/shards", zarr.Spec{Shape: []int{8, 5}, Chunks: []int{2, 1}, Shards: []int{4, 3}, DType: dtype.Float64}},
	{"v3/edges", zarr.Spec{Shape: []int{8, 5}, ChunkEdges: [][]int{{1, 3, 4}, {5}}, DType: dtype.Float64}},
}

func value(i int) float64 { return float64(i % 5) }

var attrs = map[string]any{"units": "K", "scale": 0.5, "list": []any{true, nil}}

// planOf returns the plan of a copy of group v3. Its JSON is in plan.json.
func planOf(ctx context.Context, st store.Store) (*transfer.Plan, error) {
	g, err := zarr.OpenGroup(ctx, st, "v3")
	if err != nil {
		return nil, err
	}
	return transfer.NewPlan(ctx, g, nil, transfer.Options{
		Source: transfer.Place{Store: "source", Path: "v3"}, Target: transfer.Place{Store: "target", Path: "copy"}, Memory: 256 << 20,
		Grid: func(*zarr.Array) (chunks, shards []int, err error) { return []int{2, 2}, []int{}, nil },
	})
}

func TestRead(t *testing.T) {
	if *write != "" {
		if err := writeAll(t.Context(), *write); err != nil {
			t.Fatal(err)
		}
	}
	versions, err := filepath.Glob("v[0-9]*")
	if err != nil || len(versions) == 0 {
		t.Fatalf("%v: no directory of a release", err)
	}
	for _, v := range versions {
		t.Run(v, func(t *testing.T) { readAll(t, v) })
	}
}

func writeAll(ctx context.Context, version string) error {
	if _, err := os.Stat(version); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists: %w", version, err)
	}
	st := dir.New(filepath.Join(version, "store"))
	for _, x := range arrays {
		x.spec.Attrs = attrs
		a, err := zarr.Create(ctx, st, x.path, x.spec)
		if err != nil {
			return err
		}
		src := make([]float64, 30)
		for i := range src {
			src[i] = value(i)
		}
		if err := zarr.Write(ctx, a, src, zarr.Range(0, 6)); err != nil {
			return err
		}
	}
	for _, p := range []string{"v2", "v3"} {
		g, err := zarr.OpenGroup(ctx, st, p)
		if err != nil {
			return err
		}
		if _, err := g.Consolidate(ctx); err != nil {
			return err
		}
	}
	p, err := planOf(ctx, st)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(version, "plan.json"), p.Encode(), 0o666)
}

func check(t *testing.T, a *zarr.Array) {
	t.Helper()
	got, err := zarr.Read[float64](t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 40)
	for i := range 30 {
		want[i] = value(i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: read %v, want %v", a.Path(), got, want)
	}
	if is, want := fmt.Sprint(a.Attrs()), fmt.Sprint(attrs); is != want {
		t.Errorf("%s: the attributes are %s, want %s", a.Path(), is, want)
	}
}

func readAll(t *testing.T, version string) {
	ctx := t.Context()
	st := store.ReadOnly(dir.New(filepath.Join(version, "store")))
	n := 0
	for _, x := range arrays {
		for _, opts := range [][]zarr.Option{nil, {zarr.IgnoreConsolidated()}, {zarr.Strict()}} {
			g, err := zarr.OpenGroup(ctx, st, filepath.Dir(x.path), opts...)
			if err != nil {
				t.Fatal(err)
			}
			a, err := g.OpenArray(ctx, filepath.Base(x.path))
			if errors.Is(err, zarr.ErrNotFound) && len(opts) == 0 {
				break // the array was added by a later release
			}
			if err != nil {
				t.Fatal(err)
			}
			check(t, a)
			n++
		}
	}
	if n == 0 {
		t.Error("no array")
	}

	b, err := os.ReadFile(filepath.Join(version, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := transfer.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if p.Source != (transfer.Place{Store: "source", Path: "v3"}) || p.Target != (transfer.Place{Store: "target", Path: "copy"}) {
		t.Errorf("the plan copies %v to %v", p.Source, p.Target)
	}
	// The stored plan must run to completion. Its tasks read the store of the same release.
	target := mem.New()
	open := func(_ context.Context, name string) (store.Store, error) {
		if name == "source" {
			return st, nil
		}
		return target, nil
	}
	if err := transfer.Run(ctx, p, open, transfer.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	g, err := zarr.OpenGroup(ctx, target, "copy")
	if err != nil {
		t.Fatal(err)
	}
	copies := 0
	for node, err := range g.Walk(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		check(t, node.(*zarr.Array))
		copies++
	}
	if copies == 0 {
		t.Error("the plan copied no array")
	}
}
