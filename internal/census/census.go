package census

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options say how a census is taken. The zero value reads no chunk.
type Options struct {
	// Data reads and decodes every chunk, to find those that are corrupt.
	Data bool
	// Problems is how many errors are kept for each array; 0 is 10.
	Problems int
	// Ask is how many keys are asked for one by one where the store cannot list, or refuses to; 0
	// is 10,000. An array of more chunks is then an error.
	Ask int
	// Progress is called at the begin and after each chunk or shard that was looked at, one call at
	// a time: how many were, and how many there are at most, those of the grid.
	Progress func(done, total int64)
}

// Counts are what is stored of one array.
type Counts struct {
	Path string `json:"path"`

	Chunks  int64 `json:"chunks"`  // of the grid; in a sharded array shards. At most math.MaxInt64
	Present int64 `json:"present"` // those that are stored
	Absent  int64 `json:"absent"`  // those that read as the fill value
	Corrupt int64 `json:"corrupt"` // of Present: with damaged indexes or, where data was read, that do not decode

	Sharded      bool  `json:"sharded"`
	InnerPresent int64 `json:"inner_present"` // inner chunks that are stored
	InnerAbsent  int64 `json:"inner_absent"`  // those that shards which are stored have room for, and do not have

	Orphans     int64 `json:"orphans"` // keys of chunks beyond the array, which no read looks for
	OrphanBytes int64 `json:"orphan_bytes"`

	Stored  int64 `json:"stored_bytes"`  // of what is present
	Unsized int64 `json:"unsized"`       // of Present: those whose length is not known
	Decoded int64 `json:"decoded_bytes"` // of all elements of the array; 0 where they vary in length

	Asked    bool      `json:"asked"` // keys were asked for one by one, so orphans were not seen
	Problems []Problem `json:"problems,omitempty"`
}

// Problem is why a chunk is corrupt.
type Problem struct {
	Key string `json:"key"`
	Err string `json:"error"`
}

// Ratio is how many bytes of elements there are for each byte that is stored; 0 where nothing is,
// or elements vary in length.
func (c *Counts) Ratio() float64 {
	if c.Stored == 0 {
		return 0
	}
	return float64(c.Decoded) / float64(c.Stored)
}

// Array takes the census of an array. Chunks that are corrupt are counted; any other error ends it.
// Memory is for the chunks that are decoded at once, not for the keys.
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
			return nil, fmt.Errorf("the store does not list, and the array has more than %d chunks: %w", o.Ask, err)
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

// taking is a census under way.
type taking struct {
	a    *zarr.Array
	o    Options
	grid []int

	mu   sync.Mutex
	c    *Counts
	done int64
}

// looked counts what was looked at.
func (t *taking) looked(n int64) {
	if t.o.Progress == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += n
	t.o.Progress(t.done, t.c.Chunks)
}

// object is a chunk or a shard that is stored, as far as is known.
type object struct {
	coord []int
	size  int64
	err   error
}

// all looks at what is stored, much at once.
func (t *taking) all(ctx context.Context, objects iter.Seq[object]) error {
	n := store.TuningOf(t.a.Store()).Requests
	if t.o.Data {
		n = 4 // each of which reads many inner chunks, or is decoded within the budget
	}
	return concurrency.Each(ctx, max(n, 1), objects, func(ctx context.Context, e object) error {
		if e.err != nil {
			return e.err
		}
		return t.object(ctx, e)
	})
}

// listed yields what the listing has, and counts what is beyond the array.
func (t *taking) listed(ctx context.Context) iter.Seq[object] {
	return func(yield func(object) bool) {
		keys, rank := t.a.Metadata().Keys, len(t.grid)
		ctx, st := t.a.Source().At.Begin(ctx)
		for e, err := range store.ListAll(ctx, st, t.a.Path(), store.ListOptions{}) {
			if err != nil {
				yield(object{err: err})
				return
			}
			coord, ok := keys.Parse(strings.TrimPrefix(strings.TrimPrefix(e.Key, t.a.Path()), "/"), rank)
			if !ok {
				continue // of another node, or of none
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

// asked yields what is found by asking for each key.
func (t *taking) asked(ctx context.Context) iter.Seq[object] {
	return func(yield func(object) bool) {
		ctx, st := t.a.Source().At.Begin(ctx)
		for r := range t.a.ObjectRegions() {
			v, err := st.Get(ctx, t.a.ChunkKey(r.Coord...), store.GetOptions{Range: store.Within(0, 1)}, nil)
			switch {
			case errors.Is(err, fault.NotFound):
				t.looked(1)
				continue
			case errors.Is(err, fault.Corrupt): // it is empty
				v.Size, err = 0, nil
			}
			if !yield(object{r.Coord, v.Size, err}) {
				return
			}
		}
	}
}

// object looks at one chunk or shard.
func (t *taking) object(ctx context.Context, e object) error {
	defer t.looked(1)
	stored, room, err := 0, 0, error(nil)
	if t.c.Sharded {
		stored, room, err = t.a.StoredInner(ctx, e.coord...)
	}
	if err == nil && t.o.Data {
		sel := make([]zarr.Selection, len(e.coord))
		for i, c := range e.coord {
			start, length := t.a.Edge(i, c)
			sel[i] = zarr.Range(start, min(start+length, t.a.Shape()[i]))
		}
		err = t.a.Check(ctx, sel...)
	}
	if errors.Is(err, fault.NotFound) {
		return nil // it was deleted meanwhile
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

// times is a product, or math.MaxInt64 where that is less.
func times(n int64, lengths ...int) int64 {
	for _, l := range lengths {
		if l == 0 {
			return 0
		}
	}
	for _, l := range lengths {
		if n > math.MaxInt64/int64(l) {
			return math.MaxInt64
		}
		n *= int64(l)
	}
	return n
}
