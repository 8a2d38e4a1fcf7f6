package census

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options are the options of a census. The zero value reads no chunks.
type Options struct {
	// Data reads and decodes every chunk, to find corrupt chunks.
	Data bool
	// Problems is the maximum number of errors recorded for each array; 0 means 10.
	Problems int
	// Ask is the maximum number of keys to request one by one if the store cannot be listed; 0
	// means 10,000. The census of an array with more chunks then fails.
	Ask int
	// Progress is called at the start and after each chunk or shard. done is the number of chunks
	// or shards examined so far, and total is their number in the grid. Calls are not concurrent.
	Progress func(done, total int64)
}

// Counts is the census of one array.
type Counts struct {
	Path string `json:"path"`

	Chunks  int64 `json:"chunks"`  // chunks or shards of the grid, at most math.MaxInt64
	Present int64 `json:"present"` // number of stored chunks or shards
	Absent  int64 `json:"absent"`  // number of absent chunks or shards, which read as the fill value
	Corrupt int64 `json:"corrupt"` // number of Present that are corrupt: damaged indexes and, with Data, decode errors

	Sharded      bool  `json:"sharded"`
	InnerPresent int64 `json:"inner_present"` // inner chunks that are stored
	InnerAbsent  int64 `json:"inner_absent"`  // inner chunks that stored shards lack

	Orphans     int64 `json:"orphans"` // keys of chunks beyond the array; reads ignore these chunks
	OrphanBytes int64 `json:"orphan_bytes"`

	Stored  int64 `json:"stored_bytes"`  // total size of Present
	Unsized int64 `json:"unsized"`       // number of Present whose size is unknown
	Decoded int64 `json:"decoded_bytes"` // size of all decoded elements; 0 for variable-length elements

	Asked    bool      `json:"asked"` // keys were requested individually, so orphans were not found
	Problems []Problem `json:"problems,omitempty"`
}

// Problem describes a corrupt chunk: its key and the error.
type Problem struct {
	Key string `json:"key"`
	Err string `json:"error"`
}

// Ratio returns the decoded size divided by the stored size, or 0 if nothing is stored or elements
// have variable length.
func (c *Counts) Ratio() float64 {
	if c.Stored == 0 {
		return 0
	}
	return float64(c.Decoded) / float64(c.Stored)
}

// Array returns the census of an array. A corrupt chunk is counted; any other error ends the
// census. The memory use depends on the chunks that are decoded concurrently, not on the number of
// keys.
func Array(ctx context.Context, a *zarr.Array, o Options) (*Counts, error) {
	if o.Problems == 0 {
		o.Problems = 10
	}
	if o.Ask == 0 {
		o.Ask = 10_000
	}
	t := &taking{a: a, o: o, grid: a.GridShape(), c: &Counts{Path: a.Path(), Sharded: a.Sharded()}}
	t.c.Chunks = times(1, t.grid...)
	if size := a.DType().Size(); size > 0 {
		t.c.Decoded = times(int64(size), a.Shape()...)
	}
	t.looked(0)
	err := t.all(ctx, t.listed(ctx))
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fault.Refused) {
		if t.c.Chunks > int64(o.Ask) {
			return nil, fmt.Errorf("the array has more chunks than the %d that can be counted without a listing: %w", o.Ask, err)
		}
		t.done = 0
		*t.c = Counts{Path: a.Path(), Sharded: a.Sharded(), Chunks: t.c.Chunks, Decoded: t.c.Decoded, Asked: true}
		err = t.all(ctx, t.asked(ctx))
	}
	if err != nil {
		return nil, err
	}
	t.c.Absent = t.c.Chunks - t.c.Present
	return t.c, nil
}

// taking is a census in progress.
type taking struct {
	a    *zarr.Array
	o    Options
	grid []int

	mu   sync.Mutex
	c    *Counts
	done int64
}

// looked adds n to the number of examined chunks and calls Progress.
func (t *taking) looked(n int64) {
	if t.o.Progress == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += n
	t.o.Progress(t.done, t.c.Chunks)
}

// object is a stored chunk or shard.
type object struct {
	coord []int
	size  int64
	err   error
}

// all examines the objects concurrently.
func (t *taking) all(ctx context.Context, objects iter.Seq[object]) error {
	n := store.TuningOf(t.a.Store()).Requests
	if t.o.Data {
		n = 4 // each reads many inner chunks, or is decoded within the byte limit
	}
	return concurrency.Each(ctx, max(n, 1), objects, func(ctx context.Context, e object) error {
		if e.err != nil {
			return e.err
		}
		return t.object(ctx, e)
	})
}

// listed yields the objects of the array that a listing contains. It counts listed objects beyond
// the array as orphans.
func (t *taking) listed(ctx context.Context) iter.Seq[object] {
	return func(yield func(object) bool) {
		keys, rank := t.a.Metadata().Keys, len(t.grid)
		ctx, st := node.Of(t.a).Begin(ctx)
		for e, err := range store.ListAll(ctx, st, t.a.Path(), store.ListOptions{}) {
			if err != nil {
				yield(object{err: err})
				return
			}
			coord, ok := keys.Parse(strings.TrimPrefix(strings.TrimPrefix(e.Key, t.a.Path()), "/"), rank)
			if !ok {
				continue // not a chunk key of this array
			}
			if !t.inside(coord) {
				t.mu.Lock()
				t.c.Orphans++
				t.c.OrphanBytes += max(e.Size, 0)
				t.mu.Unlock()
				continue
			}
			if !yield(object{coord: coord, size: e.Size}) {
				return
			}
		}
	}
}

func (t *taking) inside(coord []int) bool {
	for i, c := range coord {
		if c >= t.grid[i] {
			return false
		}
	}
	return true
}

// asked requests the first byte of the object at each key of the grid. It yields the objects that
// exist.
func (t *taking) asked(ctx context.Context) iter.Seq[object] {
	return func(yield func(object) bool) {
		ctx, st := node.Of(t.a).Begin(ctx)
		for r := range t.a.ObjectRegions() {
			v, err := st.Get(ctx, t.a.ChunkKey(r.Coord...), store.GetOptions{Range: store.Within(0, 1)}, nil)
			switch {
			case errors.Is(err, fault.NotFound):
				t.looked(1)
				continue
			case errors.Is(err, fault.Corrupt): // the object is empty
				v.Size, err = 0, nil
			}
			if !yield(object{r.Coord, v.Size, err}) {
				return
			}
		}
	}
}

// object examines one chunk or shard.
func (t *taking) object(ctx context.Context, e object) error {
	defer t.looked(1)
	stored, room, err := 0, 0, error(nil)
	if t.c.Sharded {
		stored, room, err = t.a.CountStored(ctx, e.coord...)
	}
	if err == nil && t.o.Data {
		b := walk.Object(t.a, e.coord)
		err = t.a.Check(ctx, zarr.Region{Start: b.At, Shape: b.Shape}.Select()...)
	}
	if errors.Is(err, fault.NotFound) {
		return nil // deleted since it was listed
	}
	bad := errors.Is(err, fault.Corrupt)
	if err != nil && !bad {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.c.Present++
	t.c.InnerPresent += int64(stored)
	t.c.InnerAbsent += int64(room - stored)
	if e.size < 0 {
		t.c.Unsized++
	} else {
		t.c.Stored += e.size
	}
	if bad {
		t.c.Corrupt++
		if len(t.c.Problems) < t.o.Problems {
			t.c.Problems = append(t.c.Problems, Problem{t.a.ChunkKey(e.coord...), err.Error()})
		}
	}
	return nil
}

// times multiplies n by all lengths. The result is at most math.MaxInt64.
func times(n int64, lengths ...int) int64 {
	if slices.Contains(lengths, 0) {
		return 0
	}
	for _, l := range lengths {
		if n > math.MaxInt64/int64(l) {
			return math.MaxInt64
		}
		n *= int64(l)
	}
	return n
}
