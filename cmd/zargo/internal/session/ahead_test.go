package session

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestReadAhead checks that a response that was requested ahead is used once, and not after a put.
func TestReadAhead(t *testing.T) {
	ctx, st := t.Context(), mem.New()
	put := func(value string) {
		for _, key := range []string{"g/zarr.json", "g/v/zarr.json", "g/v/0"} {
			must(st.Put(ctx, key, []byte(value), store.PutOptions{}))
		}
	}
	s := &Session{Stores: openurl.Mux{"mem": func(_ context.Context, l openurl.Location) (store.Store, error) { return store.Prefix(st, l.Path) }}, Far: &progress.Display{}}
	read := func() *ahead {
		put("old")
		a := s.readAhead(ctx, must(openurl.Parse("mem://m/g")), true, []string{"v", "w"})
		a.Forward, a.path = store.Forward{Store: st}, "g"
		put("new")
		must(st.Put(ctx, "g/w/zarr.json", []byte("new"), store.PutOptions{}))
		return a
	}
	get := func(a *ahead, key string) string {
		v, err := a.Get(ctx, key, store.GetOptions{Max: 2 * maxAhead}, nil)
		return fmt.Sprint(string(v.Bytes), err)
	}
	members := func(a *ahead) (keys []string) {
		for e, err := range store.Pages(ctx, a, "g", oneLevel) {
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, e.Key)
		}
		return keys
	}
	a := read()
	for _, want := range []string{"old", "new"} {
		if got := get(a, "g/v/zarr.json"); got != want+"<nil>" {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := get(a, "g/w/zarr.json"); got != `get "g/w/zarr.json" in mem://: not found` {
		t.Error(got)
	}
	if got := fmt.Sprint(members(a), members(a)); got != "[g/v g/zarr.json] [g/v g/w g/zarr.json]" {
		t.Error(got)
	}
	must(st.Put(ctx, "g/w/zarr.json", nil, store.PutOptions{}))
	a = read()
	must(a.Put(ctx, "g/x", nil, store.PutOptions{}))
	if got := get(a, "g/zarr.json") + get(a, "g/w/zarr.json") + fmt.Sprint(members(a)); got != "new<nil>new<nil>[g/v g/w g/x g/zarr.json]" {
		t.Error(got)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestLocal checks the budget of arrays in a store without a network.
func TestLocal(t *testing.T) {
	for typ, most := range map[dtype.Type]int64{dtype.Int8: int64(runtime.GOMAXPROCS(0)) << 25, dtype.String: math.MaxInt64} {
		a := must(zarr.Create(t.Context(), mem.New(), "", zarr.Spec{Shape: []int{1}, DType: typ}))
		if got, want := Local(a).Limits().Shared.Bytes.Size(), min(most, a.Limits().Shared.Bytes.Size()); got != want {
			t.Errorf("%v: %d bytes, want %d", typ, got, want)
		}
	}
}
