package diff_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/diff"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// requests counts the requests to a store.
type requests struct {
	mu sync.Mutex
	n  map[string]int
}

// counted opens an array over a store that counts requests. The count starts after the open.
func counted(t *testing.T, a *zarr.Array, hide, complete bool) (*zarr.Array, *requests) {
	t.Helper()
	r := &requests{}
	st := a.Store()
	if hide {
		st = unlisted{st}
	}
	st = promised{st, complete}
	st = store.Observe(st, func(_ context.Context, e store.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.n != nil {
			what := string(e.Op)
			if e.Err != nil {
				what += " in vain"
			}
			r.n[what]++
		}
	})
	b, err := zarr.OpenArray(t.Context(), st, a.Path())
	if err != nil {
		t.Fatal(err)
	}
	r.n = map[string]int{}
	return b, r
}

func (r *requests) String() string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(r.n)) {
		all = append(all, fmt.Sprintf("%d %s", r.n[what], what))
	}
	return strings.Join(all, ", ")
}

// promised is a store that reports whether its listings are complete.
type promised struct {
	store.Store
	complete bool
}

func (p promised) Provide(target any) bool {
	l, ok := target.(*store.Listings)
	if ok {
		l.Complete = p.complete
	}
	return ok
}

// unlisted is a store without listings.
type unlisted struct{ store.Store }

func (unlisted) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, errors.ErrUnsupported) }
}

// TestRequests counts requests for arrays with equal and different encodings. Each stored object is
// read once. After a listing, absent objects are not requested.
func TestRequests(t *testing.T) {
	gzip := []codec.Spec{codec.Gzip(1)}
	tests := []struct {
		name string
		a, b zarr.Spec
		rows [2]int // number of stored rows
		hide bool
		want string // expected requests for a and for b
	}{
		{"equal encodings", zarr.Spec{Chunks: []int{10, 10}}, zarr.Spec{Chunks: []int{10, 10}}, [2]int{0, 100}, false, "100 get, 1 list; 100 get, 1 list"},
		{"a tenth stored", zarr.Spec{Chunks: []int{10, 10}}, zarr.Spec{Chunks: []int{10, 10}}, [2]int{30, 40}, false, "10 get, 1 list; 10 get, 1 list"},
		{"a tenth stored, other codecs", zarr.Spec{Chunks: []int{10, 10}}, zarr.Spec{Chunks: []int{10, 10}, Codecs: gzip, Format: 2}, [2]int{30, 40}, false, "10 get, 1 list; 10 get, 1 list"},
		{"no listing", zarr.Spec{Chunks: []int{10, 10}}, zarr.Spec{Chunks: []int{10, 10}}, [2]int{30, 40}, true, "10 get, 90 get in vain, 1 list in vain; 10 get, 90 get in vain, 1 list in vain"},
		{"nothing stored", zarr.Spec{Chunks: []int{10, 10}}, zarr.Spec{Chunks: []int{10, 10}}, [2]int{0, 0}, false, "1 list; 1 list"},
		{"few objects are not listed", zarr.Spec{Chunks: []int{50, 50}}, zarr.Spec{Chunks: []int{100, 100}}, [2]int{0, 0}, false, "4 get in vain; 1 get in vain"},
		{"shards", zarr.Spec{Chunks: []int{10, 10}}, zarr.Spec{Chunks: []int{10, 10}, Shards: []int{20, 20}}, [2]int{20, 40}, false, "20 get, 1 list; 5 get, 1 list"},
	}
	t.Run("listings that prove no absence", func(t *testing.T) {
		a, err := zarr.Create(t.Context(), mem.New(), "x", zarr.Spec{Shape: []int{100, 100}, Chunks: []int{10, 10}, DType: dtype.Uint8})
		if err != nil {
			t.Fatal(err)
		}
		a, n := counted(t, a, false, false)
		if r, err := diff.Run(t.Context(), a, a, diff.Options{SkipMetadata: true}); err != nil || !r.Equal() {
			t.Fatalf("%+v, %v", r, err)
		}
		if got := n.String(); got != "200 get in vain" {
			t.Error(got)
		}
	})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var opened [2]*zarr.Array
			var counts [2]*requests
			for i, s := range []zarr.Spec{tt.a, tt.b} {
				s.Shape, s.DType = []int{100, 100}, dtype.Uint8
				a, err := zarr.Create(t.Context(), mem.New(), "x", s)
				if err == nil && tt.rows[1] > 0 {
					values := slices.Repeat([]byte{7}, (tt.rows[1]-tt.rows[0])*100)
					err = zarr.Write(t.Context(), a, values, zarr.Range(tt.rows[0], tt.rows[1]))
				}
				if err != nil {
					t.Fatal(err)
				}
				opened[i], counts[i] = counted(t, a, tt.hide, true)
			}
			r, err := diff.Run(t.Context(), opened[0], opened[1], diff.Options{SkipMetadata: true})
			if err != nil || !r.Equal() || r.Elements != 10_000 {
				t.Fatalf("%+v, %v", r, err)
			}
			if got := counts[0].String() + "; " + counts[1].String(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
