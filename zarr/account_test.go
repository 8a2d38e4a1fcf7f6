package zarr_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestProgressEnds checks that a progress bar that counts chunks ends at their number, whatever
// documents were read and written.
func TestProgressEnds(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		var created, written, read zarr.Report
		spec := zarr.Spec{Shape: []int{16}, Chunks: []int{1}, DType: dtype.Float32, Format: format, Attrs: map[string]any{"units": "K"}}
		a, err := zarr.Create(t.Context(), st, "x", spec, zarr.WithReport(&created))
		if err != nil {
			t.Fatal(err)
		}
		if n := created.Chunks.Load(); n != 0 || created.Puts.Load() == 0 || created.BytesWritten.Load() == 0 {
			t.Errorf("v%d: Create: %v", format, &created)
		}
		if a, err = a.With(zarr.WithReport(&written)); err != nil {
			t.Fatal(err)
		}
		src := count(16)
		for i := range src {
			src[i]++ // not the fill value
		}
		succeed(t, zarr.Write(t.Context(), a, src))
		if n := written.Chunks.Load(); n != 16 || written.Puts.Load() != 16 {
			t.Errorf("v%d: Write: %d of 16, %v", format, n, &written)
		}
		if a, err = zarr.OpenArray(t.Context(), st, "x", zarr.WithReport(&read)); err != nil {
			t.Fatal(err)
		}
		if _, err := zarr.Read[float32](t.Context(), a); err != nil {
			t.Fatal(err)
		}
		if n := read.Chunks.Load(); n != 16 || read.Missing.Load() != 0 {
			t.Errorf("v%d: Read: %d of 16, %v", format, n, &read)
		}
	}
}

// TestReportCountsEveryRequest compares a report with the requests to a store, including listings
// and the deletes of Replace.
func TestReportCountsEveryRequest(t *testing.T) {
	var mu sync.Mutex
	seen := map[store.Op]int64{}
	st := store.Observe(mem.New(), func(_ context.Context, e store.Event) {
		mu.Lock()
		defer mu.Unlock()
		seen[e.Op]++
	})
	var r zarr.Report
	opts := []zarr.Option{zarr.WithReport(&r)}
	ctx := t.Context()
	spec := zarr.Spec{Shape: []int{4, 4}, Chunks: []int{2, 2}, DType: dtype.Int32}
	g, err := zarr.CreateGroup(ctx, st, "", zarr.Spec{}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	a, err := g.CreateArray(ctx, "x", spec)
	if err == nil {
		err = zarr.Write(ctx, a, []int32{1, 2, 3, 4}, zarr.Range(1, 3), zarr.Range(1, 3))
	}
	if err == nil {
		a, err = zarr.Replace(ctx, st, "x", spec, opts...)
	}
	if err == nil {
		_, err = a.SetAttrs(ctx, map[string]any{"a": 1})
	}
	if err == nil {
		g, err = zarr.OpenGroup(ctx, st, "", opts...)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range g.Walk(ctx) {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := fmt.Sprint(r.Gets.Load(), r.Puts.Load(), r.Deletes.Load(), r.Lists.Load())
	if want := fmt.Sprint(seen[store.OpGet], seen[store.OpPut], seen[store.OpDelete], seen[store.OpList]); got != want || r.Deletes.Load() == 0 || r.Lists.Load() == 0 {
		t.Errorf("got %s, want %s: %v", got, want, &r)
	}
}

// throttled refuses the first request for each key.
type throttled struct {
	store.Store
	seen sync.Map
}

func (s *throttled) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if _, again := s.seen.LoadOrStore(key, true); !again {
		return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: fault.Throttled}
	}
	return s.Store.Get(ctx, key, o, buf)
}

// TestReportHearsRetries checks that retries for chunks and documents are counted as retries, but
// not as requests of the call or for MaxRequests.
func TestReportHearsRetries(t *testing.T) {
	backing := mem.New()
	a := mustCreate(t, backing, "x", zarr.Spec{Shape: []int{4}, Chunks: []int{1}, DType: dtype.Float32})
	succeed(t, zarr.Write(t.Context(), a, []float32{1, 2, 3, 4}))
	st, err := retry.New(&throttled{Store: backing}, retry.Backoff(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	var r zarr.Report
	if a, err = zarr.OpenArray(t.Context(), st, "x", zarr.WithReport(&r), zarr.Limit(zarr.Limits{Requests: 4})); err != nil {
		t.Fatal(err)
	}
	opened := r.Gets.Load()
	if r.Retries.Load() != opened {
		t.Errorf("opening: %v", &r)
	}
	succeed(t, second(zarr.Read[float32](t.Context(), a)))
	if r.Gets.Load() != opened+4 || r.Retries.Load() != opened+4 || !strings.Contains(r.String(), "retries") {
		t.Errorf("reading: %v", &r)
	}
}

// TestMaxRequestsIsTheLeast checks that a read or write whose minimum of requests is over the limit
// is refused before any request.
func TestMaxRequestsIsTheLeast(t *testing.T) {
	backing := mem.New()
	mustCreate(t, backing, "x", zarr.Spec{Shape: []int{8}, Chunks: []int{2}, DType: dtype.Float32})
	var r zarr.Report
	a := mustOpen(t, backing, "x")
	a, err := a.With(zarr.Limit(zarr.Limits{Requests: 3}), zarr.WithReport(&r))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		call     func() error
		want     error
		requests int64
	}{
		{"three chunks", func() error { _, err := zarr.Read[float32](t.Context(), a, zarr.Range(0, 6)); return err }, nil, 3},
		{"four chunks", func() error { _, err := zarr.Read[float32](t.Context(), a); return err }, zarr.ErrLimit, 0},
		{"three whole chunks written", func() error { return zarr.Write(t.Context(), a, count(6), zarr.Range(0, 6)) }, nil, 3},
		{"two halves written", func() error { return zarr.Write(t.Context(), a, count(2), zarr.Range(1, 3)) }, zarr.ErrLimit, 0},
		{"a half written", func() error { return zarr.Write(t.Context(), a, count(1), zarr.Range(1, 2)) }, nil, 2},
	} {
		before := r.Gets.Load() + r.Puts.Load() + r.Deletes.Load()
		err := tt.call()
		if n := r.Gets.Load() + r.Puts.Load() + r.Deletes.Load() - before; !errors.Is(err, tt.want) || n != tt.requests {
			t.Errorf("%s: %v after %d requests, want %d", tt.name, err, n, tt.requests)
		}
	}
}

// events returns a context, and a function that returns the chunks and hits that its calls report,
// one per line.
func events(ctx context.Context) (context.Context, func() []string) {
	var mu sync.Mutex
	var lines []string
	add := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}
	ctx = store.WithTrace(ctx, &store.Trace{
		Chunk: func(_ context.Context, c store.Chunk) {
			line := fmt.Sprintf("chunk %s %v: %d bytes, %d of %d used", c.Key, c.Coord, c.Encoded, c.Used, c.Decoded)
			if c.Missing {
				line = fmt.Sprintf("chunk %s %v: missing", c.Key, c.Coord)
			}
			add(line)
		},
		Hit: func(_ context.Context, h store.Hit) { add(fmt.Sprintf("hit %s: %s of %d bytes", h.Key, h.Of, h.Bytes)) },
	})
	return ctx, func() []string {
		slices.Sort(lines)
		all := lines
		lines = nil
		return all
	}
}

// TestReportIsExact checks the counts of a read of shards in parts, with missing inner chunks and a
// missing shard, with and without known indexes, and of a write of chunks.
func TestReportIsExact(t *testing.T) {
	st := tuned{mem.New(), 0, 1 << 20}
	spec := zarr.Spec{Shape: []int{32}, Chunks: []int{2}, Shards: []int{8}, DType: dtype.Float32, Codecs: []codec.Spec{}}
	a := mustCreate(t, st, "x", spec)
	succeed(t, zarr.Write(t.Context(), a, count(14), zarr.Range(2, 16)))
	a = mustOpen(t, st, "x")
	ctx, seen := events(t.Context())
	chunks := []string{
		"chunk x/c/0 [0]: missing", "chunk x/c/0 [1]: 8 bytes, 8 of 8 used", "chunk x/c/0 [2]: 8 bytes, 8 of 8 used", "chunk x/c/0 [3]: 8 bytes, 8 of 8 used",
		"chunk x/c/1 [0]: 8 bytes, 8 of 8 used", "chunk x/c/1 [1]: 8 bytes, 8 of 8 used", "chunk x/c/1 [2]: 8 bytes, 8 of 8 used", "chunk x/c/1 [3]: 8 bytes, 4 of 8 used",
		"chunk x/c/2 [2]: missing",
	}
	for _, tt := range []struct {
		name, want string
		used, hits int64
		sel        zarr.Selection
		events     []string
	}{
		{"first", "8 chunks (1 missing), 4 gets of 192 bytes, 0 puts of 0 bytes, 0 deletes, 0 conflicts", 52, 0, zarr.Range(1, 15), chunks[:8]},
		{"again", "10 chunks (3 missing), 3 gets of 56 bytes, 0 puts of 0 bytes, 0 deletes, 0 conflicts, 2 cache hits", 56, 2, zarr.Range(1, 20), append(
			slices.Replace(slices.Clone(chunks), 7, 8, "chunk x/c/1 [3]: 8 bytes, 8 of 8 used"), "hit x/c/0: index of 68 bytes", "hit x/c/1: index of 68 bytes")},
	} {
		var r zarr.Report
		b, err := a.With(zarr.WithReport(&r))
		if err == nil {
			_, err = zarr.Read[float32](ctx, b, tt.sel)
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.String() != tt.want || r.BytesUsed.Load() != tt.used || r.Hits.Load() != tt.hits || r.AskedAgain.Load() != 0 {
			t.Errorf("%s: %v, %d bytes used, %d hits, %d asked again", tt.name, &r, r.BytesUsed.Load(), r.Hits.Load(), r.AskedAgain.Load())
		}
		if got := seen(); !slices.Equal(got, tt.events) {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, strings.Join(got, "\n"), strings.Join(tt.events, "\n"))
		}
	}

	a = mustCreate(t, st, "y", zarr.Spec{Shape: []int{6}, Chunks: []int{4}, DType: dtype.Float32, Codecs: []codec.Spec{}})
	succeed(t, zarr.Write(ctx, a, []float32{0, 0, 0, 0, 5, 6}))
	if got, want := seen(), []string{"chunk y/c/0 [0]: missing", "chunk y/c/1 [1]: 16 bytes, 8 of 16 used"}; !slices.Equal(got, want) {
		t.Errorf("written: %q, want %q", got, want)
	}
}

// TestReportAskedAgain checks that a chunk that is longer than typical is requested twice, and that
// its read is not refused.
func TestReportAskedAgain(t *testing.T) {
	st := mem.New()
	var r zarr.Report
	a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{8}, Chunks: []int{4}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.Gzip(1)}}, zarr.WithReport(&r))
	succeed(t, zarr.Write(t.Context(), a, []uint8{1, 2, 3, 4, 5, 6, 7, 8}))
	var long bytes.Buffer
	w := gzip.NewWriter(&long)
	w.Extra = make([]byte, 2000)
	succeed(t, second(w.Write([]byte{1, 2, 3, 4})))
	succeed(t, w.Close())
	put(t, st, a.ChunkKey(0), long.String())
	before := r.Gets.Load()
	got, err := zarr.Read[uint8](t.Context(), a)
	if err != nil || !slices.Equal(got, []uint8{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Fatalf("%v, %v", got, err)
	}
	if gets := r.Gets.Load() - before; gets != 3 || r.AskedAgain.Load() != 1 || r.BytesUsed.Load() != 16 || r.Chunks.Load() != 4 {
		t.Errorf("%d gets, %d bytes used: %v", gets, r.BytesUsed.Load(), &r)
	}
}
