package processes

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/child"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	sharers = 16 // processes
	chunks  = 8  // number of chunks that all of them write
	shards  = 2
)

// defaultTurns is the number of turns if ZARGO_TURNS is not set.
const defaultTurns = 12

// turns returns the number of times that each process writes to a chunk, and to a shard.
func turns(t *testing.T) int64 {
	text := os.Getenv("ZARGO_TURNS")
	if text == "" {
		return defaultTurns
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sharedSpecs returns an array of shared chunks and an array of shared shards. Each process has
// separate elements in all of them.
func sharedSpecs(turns int) map[string]zarr.Spec {
	width := sharers * turns
	return map[string]zarr.Spec{
		"chunks": {Shape: []int{chunks, width}, Chunks: []int{1, width}, DType: dtype.Int64},
		"shards": {Shape: []int{shards, width}, Chunks: []int{1, turns}, Shards: []int{1, width}, DType: dtype.Int64},
	}
}

// shared writes one element at a time. Each turn writes another chunk and another shard.
func (o order) shared(ctx context.Context, st store.Store) error {
	for path, spec := range sharedSpecs(int(o.Count)) {
		a, err := zarr.OpenArray(ctx, st, path)
		if err != nil {
			return err
		}
		for turn := range o.Count {
			row, column := int(turn)%spec.Shape[0], int(o.First*o.Count+turn)
			if err := zarr.Write(ctx, a, []int64{o.mark(turn)}, zarr.At(row), zarr.At(column)); err != nil {
				return fmt.Errorf("process %d, turn %d: %w", o.First, turn, err)
			}
		}
	}
	return nil
}

// mark returns the value that a process writes in a turn.
func (o order) mark(turn int64) int64 { return 1 + o.First*o.Count + turn }

// TestShared lets 16 processes write separate elements of 8 shared chunks and 2 shared shards.
// Every element must be stored, also if 5 % of the responses are lost after the server has executed
// the request.
func TestShared(t *testing.T) {
	n := turns(t)
	t.Run("dir", func(t *testing.T) { sharing(t, order{Place: t.TempDir(), Count: n}) })
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) { sharing(t, order{Provider: p.Name, Place: p.URL(t), Count: n}) })
		t.Run(p.Name+" lost", func(t *testing.T) {
			u := p.URL(t)
			proxy := faultproxy.Start(t, bucket.Endpoint(t, u), faultproxy.Config{Seed: 3, Rates: faultproxy.Rates{Lost: 0.05}, RewriteHost: p.OwnHost})
			sharing(t, order{Provider: p.Name, Place: bucket.Through(t, u, proxy.Addr()), Count: n})
			stats := proxy.Stats()
			if stats.Faults[faultproxy.Lost] == 0 {
				t.Error("no answer was lost: the test shows nothing")
			}
			t.Logf("%d requests, %v", stats.Requests, stats.Faults)
		})
	}
}

func sharing(t *testing.T, o order) {
	st, err := o.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	specs := sharedSpecs(int(o.Count))
	for path, spec := range specs {
		if _, err := zarr.Create(t.Context(), st, path, spec); err != nil {
			t.Fatal(err)
		}
	}
	o.Do = share
	err = concurrency.EachN(t.Context(), sharers, sharers, func(_ context.Context, i int) error {
		w := o
		w.First = int64(i)
		_, err := acknowledged(child.Start(t, w), func() {})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, spec := range specs {
		a, err := zarr.OpenArray(t.Context(), st, path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := zarr.Read[int64](t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		rows, width := spec.Shape[0], spec.Shape[1]
		for i := range width {
			for row := range rows {
				want := int64(0)
				if turn := i % int(o.Count); turn%rows == row {
					want = int64(1 + i)
				}
				if v := got[row*width+i]; v != want {
					t.Fatalf("%s: element %d, %d is %d, want %d", path, row, i, v, want)
				}
			}
		}
	}
}
