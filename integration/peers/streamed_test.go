package peers

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// shardReaders are the peers that read shards.
var shardReaders = []string{"zarr-python", "zarr-python-3.4", "tensorstore", "zarrs"}

// TestStreamedShards writes the inner chunks of shards one by one, the last ones first.
// zarr-python, TensorStore and zarrs must read the shards of every layout that can be written in
// this way.
func TestStreamedShards(t *testing.T) {
	needPython(t)
	t.Parallel()
	folder := t.TempDir()
	var jobs []job
	whole := map[string]bool{}
	for _, a := range shardedArrays() {
		a.Boxes = [][][2]int{nil}
		for _, n := range a.Shape {
			a.Boxes[0] = append(a.Boxes[0], [2]int{0, n})
		}
		made, err := zarr.Create(t.Context(), dir.New(filepath.Join(folder, a.Name)), "", a.spec)
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		if err := stream(t.Context(), made, a); errors.Is(err, errors.ErrUnsupported) {
			whole[a.Name] = true
			continue
		} else if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		for _, peer := range shardReaders {
			jobs = append(jobs, job{Do: "read-boxes", Peer: peer, Place: folder, Path: a.Name, Array: a})
		}
	}
	want := map[string]bool{}
	for _, typ := range []string{"uint8", "int16", "float32", "float64"} {
		for _, layout := range []string{"crc-after", "gzip-after"} {
			want[layout+"-"+typ] = true
		}
	}
	if !maps.Equal(whole, want) {
		t.Errorf("not written one by one: %v", slices.Sorted(maps.Keys(whole)))
	}
	good, refused := judgeBoxes(t, "read", jobs, func(s said, j job) bool { return strings.Contains(s.Error, shardRefusals()[j.Peer]) })
	if !maps.Equal(good, map[string]int{"zarr-python": 48, "zarr-python-3.4": 48, "tensorstore": 52, "zarrs": 52}) ||
		!maps.Equal(refused, map[string]int{"zarr-python": 4, "zarr-python-3.4": 4}) { // transposed
		t.Errorf("equal: %v; refused: %v", good, refused)
	}
}

// stream writes the inner chunks of each shard of an array, the last ones first.
func stream(ctx context.Context, made *zarr.Array, a sharded) error {
	for shard := range made.ObjectRegions() {
		w, err := made.OpenShard(ctx, shard.Coord...)
		if err != nil {
			return err
		}
		var inner []zarr.Region
		for r := range made.ChunkRegions() {
			if within(r, shard) {
				inner = append(inner, r)
			}
		}
		slices.Reverse(inner)
		for _, r := range inner {
			box := make([][2]int, len(r.Start))
			for i, at := range r.Start {
				box[i] = [2]int{at, min(at+r.Shape[i], a.Shape[i])}
			}
			if err := w.WriteBytes(ctx, a.part(box), r.Select()...); err != nil {
				return errors.Join(err, w.Abort(ctx))
			}
		}
		if err := w.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

func within(r, shard zarr.Region) bool {
	for i, at := range r.Start {
		if at < shard.Start[i] || at >= shard.Start[i]+shard.Shape[i] {
			return false
		}
	}
	return true
}

// TestStreamedRows checks that the peers read shards that [zarr.Writer] uploaded in parts while it
// received rows.
func TestStreamedRows(t *testing.T) {
	needPython(t)
	t.Parallel()
	for _, tt := range []struct {
		name   string
		codecs []codec.Spec
	}{{"raw", []codec.Spec{}}, {"crc32c", []codec.Spec{codec.CRC32C()}}} {
		folder := t.TempDir()
		a := sharded{Name: tt.name, Shape: []int{75, 1 << 16}, DType: "uint8", Boxes: [][][2]int{{{0, 75}, {0, 1 << 16}}}, spec: zarr.Spec{
			Shape: []int{0, 1 << 16}, Chunks: []int{4, 1 << 13}, Shards: []int{32, 1 << 15}, DType: dtype.Uint8, Codecs: tt.codecs, Fill: 3,
		}}
		var parts atomic.Int64
		st := store.Around(dir.New(filepath.Join(folder, a.Name)), store.Hooks{After: func(_ context.Context, c store.Call, _ store.Result) {
			if c.Op == store.OpPart {
				parts.Add(1)
			}
		}})
		limits := &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(4 << 20)}
		made, err := zarr.Create(t.Context(), st, "", a.spec, zarr.Limit(zarr.Limits{Shared: limits}))
		if err != nil {
			t.Fatal(err)
		}
		w, err := zarr.NewWriter[uint8](t.Context(), made, 0, zarr.AppendOptions{})
		if err != nil {
			t.Fatal(err)
		}
		all := a.full()
		for at := 0; at < 75; at += 5 {
			succeed(t, w.Write(t.Context(), all[at<<16:(at+5)<<16]))
			if at == 40 {
				succeed(t, w.Flush(t.Context()))
			}
		}
		if _, err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if parts.Load() < 6 { // two rows of two shards, and the remaining rows
			t.Errorf("%s: %d parts", tt.name, parts.Load())
		}
		var jobs []job
		for _, peer := range shardReaders {
			jobs = append(jobs, job{Do: "read-boxes", Peer: peer, Place: folder, Path: a.Name, Array: a})
		}
		if good, _ := judgeBoxes(t, "read", jobs, func(said, job) bool { return false }); len(good) != len(shardReaders) {
			t.Errorf("%s: equal: %v", tt.name, good)
		}
	}
}
