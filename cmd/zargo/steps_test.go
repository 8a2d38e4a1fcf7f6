package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// stepped is a bucket whose requests take one second each. It records the requests of each
// second since it was made.
type stepped struct {
	*mem.Store
	start time.Time

	mu    sync.Mutex
	steps [][]string
}

// open is the openurl.Opener of the bucket.
func (s *stepped) open(_ context.Context, l openurl.Location) (store.Store, error) {
	return store.Prefix(store.Around(s.Store, store.Hooks{Before: s.begin, Provide: func(target any) bool {
		t, ok := target.(*store.Tuning)
		if ok {
			*t = store.Local()
			t.Requests = 128
		}
		return ok
	}}), l.Path)
}

func (s *stepped) begin(ctx context.Context, c store.Call) (context.Context, error) {
	s.mu.Lock()
	for at := int(time.Since(s.start) / time.Second); len(s.steps) <= at; {
		s.steps = append(s.steps, nil)
	}
	last := &s.steps[len(s.steps)-1]
	*last = append(*last, fmt.Sprintf("%s %s", c.Op, c.Key))
	s.mu.Unlock()
	time.Sleep(time.Second)
	return ctx, nil
}

// text returns the requests of each step in one line.
func (s *stepped) text() string {
	var b strings.Builder
	for i, step := range s.steps {
		slices.Sort(step)
		fmt.Fprintf(&b, "%d: %s\n", i+1, strings.Join(step, ", "))
	}
	return b.String()
}

// appendSteps are the requests of an append to five variables, by round trip.
const appendSteps = `1: get d/time/zarr.json, get d/v0/zarr.json, get d/v1/zarr.json, get d/v2/zarr.json, get d/v3/zarr.json, get d/v4/zarr.json, get d/zarr.json, get zarr.json, list d
2: get d/time/c/0, get d/x/zarr.json
3: put d/zarr.json
4: put d/time/zarr.json, put d/v0/zarr.json, put d/v1/zarr.json, put d/v2/zarr.json, put d/v3/zarr.json, put d/v4/zarr.json
5: get d/time/c/0, put d/v0/c/4, put d/v1/c/4, put d/v2/c/4, put d/v3/c/4, put d/v4/c/4, put d/zarr.json
6: get d/time/zarr.json
7: put d/time/c/0
8: put d/time/zarr.json, put d/v0/zarr.json, put d/v1/zarr.json, put d/v2/zarr.json, put d/v3/zarr.json, put d/v4/zarr.json
9: get zarr.json, put d/zarr.json
`

// TestAppendSteps checks which requests of an append to a group start at the same time.
func TestAppendSteps(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "time.npy", npyOf(t, "96"))
	st := mem.New()
	for _, path := range []string{"", "d"} {
		must(zarr.CreateGroup(t.Context(), st, path, zarr.Spec{}))
	}
	coordinate := func(dim string, v ...float64) {
		a := must(zarr.Create(t.Context(), st, "d/"+dim, zarr.Spec{Shape: []int{len(v)}, Chunks: []int{16}, DType: dtype.Float64, Dims: []string{dim}}))
		succeed(t, zarr.Write(t.Context(), a, v))
	}
	coordinate("time", 0, 24, 48, 72)
	coordinate("x", 0, 10)
	args := []string{"append", "s3://b/d", "--dim", "time", "time=time.npy"}
	write(t, "day.npy", npyOf(t, "1"))
	for i := range 5 {
		name := fmt.Sprintf("v%d", i)
		must(zarr.Create(t.Context(), st, "d/"+name, zarr.Spec{Shape: []int{4}, Chunks: []int{1}, DType: dtype.Float64, Dims: []string{"time"}}))
		args = append(args, name+"=day.npy")
	}
	synctest.Test(t, func(t *testing.T) {
		s := &stepped{Store: st, start: time.Now()}
		p := &program{openurl.Mux{"s3": s.open}}
		var text bytes.Buffer
		if code := p.run(t.Context(), args, nil, &text, &text); code != 0 || text.Len() > 0 {
			t.Fatalf("exit %d: %s", code, &text)
		}
		if got := s.text(); got != appendSteps {
			t.Errorf("got\n%swant\n%s", got, appendSteps)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
