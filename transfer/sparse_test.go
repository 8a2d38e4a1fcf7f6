package transfer_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// counted is a store that sends one request at a time, and counts the gets, copies and listed pages
// of chunks.
type counted struct {
	store.Store
	complete bool
	refuse   bool // listings

	mu                  sync.Mutex
	gets, copies, pages int
}

func (c *counted) around() store.Store {
	return store.Around(c.Store, store.Hooks{
		Before: func(ctx context.Context, call store.Call) (context.Context, error) {
			if c.refuse && call.Op == store.OpList {
				return nil, &fault.KeyError{Op: "list", Kind: fault.Refused}
			}
			return ctx, nil
		},
		After: func(_ context.Context, call store.Call, _ store.Result) {
			c.mu.Lock()
			defer c.mu.Unlock()
			switch chunk := len(call.Key) > 4 && call.Key[:4] == "in/c"; {
			case call.Op == store.OpGet && chunk:
				c.gets++
			case call.Op == store.OpCopy:
				c.copies++
			case call.Op == store.OpList && call.Key == "in":
				c.pages++
			}
		},
		Provide: func(target any) bool {
			switch t := target.(type) {
			case *store.Tuning:
				*t = store.Local()
				t.Requests = 1
			case *store.Listings:
				t.Complete = c.complete
			default:
				return false
			}
			return true
		},
	})
}

// TestSparse checks the number of requests for copies of arrays that lack chunks.
func TestSparse(t *testing.T) {
	every := func(n int) func(i int) bool { return func(i int) bool { return i%n == 0 } }
	for _, c := range []struct {
		name       string
		n          int // chunks
		there      func(i int) bool
		incomplete bool
		refuse     bool
		gets       int
		pages      int
	}{
		// The copy requests the first chunk and 16 absent chunks. Then it lists the array, and gets
		// each other stored chunk.
		{"one in twenty", 4000, every(20), false, false, 17 + 199, 1},
		{"none", 4000, func(int) bool { return false }, false, false, 16, 1},
		{"all", 4000, every(1), false, false, 4000, 0},
		{"one of forty is not", 300, func(i int) bool { return i%40 > 0 }, false, false, 300, 0}, // 8 absent chunks are too few for a listing
		// After 16 absent chunks, 4 pages are expected to save 240 gets.
		{"one of sixteen is not", 4000, func(i int) bool { return i%16 > 0 }, false, false, 241 + 3759 - 234, 4},
		{"few left", 18, func(i int) bool { return i > 16 }, false, false, 18, 0},
		// After 16 absent chunks no key is expected, so the listing is abandoned after 2 pages. After
		// the next one it has all keys in 4 pages, which saves the other 84 absent chunks.
		{"all but the first", 4000, func(i int) bool { return i > 100 }, false, false, 3916, 6},
		{"listings that are not complete", 4000, every(20), true, false, 4000, 0},
		{"listings that are refused", 4000, every(20), false, true, 4000, 0},
	} {
		src := &counted{Store: mem.New(), complete: !c.incomplete, refuse: c.refuse}
		a := must(zarr.Create(t.Context(), src.Store, "in", zarr.Spec{Shape: []int{2 * c.n}, Chunks: []int{2}, DType: dtype.Uint16, Fill: uint16(9), Codecs: []codec.Spec{}}))
		for i := range c.n {
			if c.there(i) {
				must(src.Put(t.Context(), fmt.Sprintf("in/c/%d", i), []byte{byte(i), byte(i >> 8), 1, 1}, store.PutOptions{}))
			}
		}
		for kind, o := range map[transfer.Kind]transfer.Options{transfer.Encoded: {}, transfer.Blocks: {Codecs: []codec.Spec{codec.CRC32C()}}} {
			src.gets, src.pages = 0, 0
			dst := &counted{Store: mem.New()}
			o.Source.Store, o.Target.Store = "src", "dst"
			p, err := transfer.NewPlan(t.Context(), a, dst.Store, o)
			check(t, err)
			p.Stages[0].Steps[0].Block = []int{1} // one chunk per task
			stores := map[string]store.Store{"src": src.around(), "dst": dst.around()}
			open := func(_ context.Context, name string) (store.Store, error) { return stores[name], nil }
			if got := p.Stages[0].Steps[0].Kind; got != kind {
				t.Fatalf("%s: %s", c.name, got)
			}
			check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{Parallel: 1}))
			if src.gets != c.gets || src.pages != c.pages {
				t.Errorf("%s, %s: %d chunks were asked for and %d pages, not %d and %d", c.name, kind, src.gets, src.pages, c.gets, c.pages)
			}
			equal(t, a, must(zarr.OpenArray(t.Context(), dst.Store, "")))
			n := 0
			for range all(t, dst.Store, "c") {
				n++
			}
			want := 0
			for i := range c.n {
				if c.there(i) {
					want++
				}
			}
			if n != want {
				t.Errorf("%s, %s: %d chunks are stored, not %d", c.name, kind, n, want)
			}
		}
	}
}

// TestSparseKeys copies sparse arrays with all forms of chunk keys, to another store and within
// one.
func TestSparseKeys(t *testing.T) {
	for _, spec := range []zarr.Spec{{Format: 2}, {Format: 2, Separator: "/"}, {Format: 3}, {Format: 3, Separator: "."}} {
		for _, one := range []bool{false, true} {
			src := &counted{Store: mem.New(), complete: true}
			spec.Shape, spec.Chunks, spec.DType = []int{40, 40}, []int{1, 1}, dtype.Uint8
			a := must(zarr.Create(t.Context(), src.Store, "a", spec))
			for i := range 40 {
				check(t, zarr.Write(t.Context(), a, []uint8{uint8(i + 1)}, zarr.At(i), zarr.At(39-i)))
			}
			dst := store.Store(mem.New())
			stores := map[string]store.Store{"src": src.around(), "dst": dst}
			o := transfer.Options{Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "dst", Path: "b"}}
			if one {
				o.Target.Store, dst = "src", src.Store
			}
			p, err := transfer.NewPlan(t.Context(), a, dst, o)
			check(t, err)
			var asked int
			open := func(_ context.Context, name string) (store.Store, error) {
				return store.Observe(stores[name], func(_ context.Context, e store.Event) {
					src.mu.Lock()
					defer src.mu.Unlock()
					if name == "src" && (e.Op == store.OpCopy || !one && e.Op == store.OpGet) {
						asked++
					}
				}), nil
			}
			check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{Parallel: 1}))
			equal(t, a, must(zarr.OpenArray(t.Context(), dst, "b")))
			if asked > 40+64+4 { // stored chunks, some absent chunks, and documents
				t.Errorf("v%d %q, one store %v: %d requests", spec.Format, spec.Separator, one, asked)
			}
		}
	}
}
