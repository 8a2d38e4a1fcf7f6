package upkeep_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// TestDropClaimCut ends the context of DropClaim before each of its requests. The claim of the
// append is dropped or unchanged, and no claim of DropClaim itself remains.
func TestDropClaimCut(t *testing.T) {
	for n := 0; ; n++ {
		st := killedAppend(t, 3)
		was := groupClaim(t, st)
		if was == "" {
			t.Fatal("the append left no claim")
		}
		ctx, cancel := context.WithCancel(t.Context())
		var seen atomic.Int64
		g, err := zarr.OpenGroup(ctx, store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if seen.Add(1) == int64(n)+1 {
				cancel()
			}
			return ctx, ctx.Err()
		}}), "g")
		if err == nil {
			_, err = upkeep.DropClaim(ctx, g, 0)
		}
		if now := groupClaim(t, st); now != "" && (now != was || err == nil) {
			t.Errorf("cut at request %d: %v; the claim is %s, and was %s", n, err, now, was)
		}
		cancel()
		if seen.Load() <= int64(n) {
			if n < 10 {
				t.Errorf("only %d requests", n)
			}
			return
		}
	}
}

// TestDropClaimAgain kills a process that drops the claim of a group before it drops those of the
// arrays. The next call drops all of them.
func TestDropClaimAgain(t *testing.T) {
	st := killedAppend(t, 3)
	var dead atomic.Bool
	g, err := zarr.OpenGroup(t.Context(), store.Around(st, store.Hooks{
		Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
			if dead.Load() {
				return ctx, fault.Refused
			}
			return ctx, nil
		},
		After: func(_ context.Context, c store.Call, _ store.Result) {
			if c.Op == store.OpPut {
				dead.Store(true)
			}
		},
	}), "g")
	if err == nil {
		_, err = upkeep.DropClaim(t.Context(), g, 0)
	}
	if err == nil || !dead.Load() {
		t.Fatalf("it was not killed: %v", err)
	}
	if g, err = zarr.OpenGroup(t.Context(), st, "g"); err != nil {
		t.Fatal(err)
	}
	if dropped, err := upkeep.DropClaim(t.Context(), g, 0); !dropped || err != nil {
		t.Fatal(dropped, err)
	}
	for _, key := range []string{"g/zarr.json", "g/a/zarr.json", "g/b/zarr.json"} {
		v, err := st.Get(t.Context(), key, store.GetOptions{}, nil)
		if err != nil || strings.Contains(string(v.Bytes), "zargo_claim") {
			t.Errorf("%s: %v, %s", key, err, v.Bytes)
		}
	}
}

// TestDropClaimOfAFinishedAppend kills an append to a group when it has changed the lengths of all
// arrays, but not consolidated metadata. When the claim is dropped, the copies are current.
func TestDropClaimOfAFinishedAppend(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		g, err := zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		makeArrays(t, st, format)
		if _, err := g.Consolidate(t.Context()); err != nil {
			t.Fatal(err)
		}
		puts := map[string]int{}
		var mu sync.Mutex
		dead := false
		g, err = zarr.OpenGroup(t.Context(), store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			mu.Lock()
			defer mu.Unlock()
			if c.Op == store.OpPut {
				puts[c.Key]++
			}
			// The group's document is put for the claim and for its final form.
			if dead = dead || puts["g/zarr.json"] > 2 || puts["g/.zmetadata"] > 0; dead {
				return ctx, fault.Refused
			}
			return ctx, nil
		}}), "g")
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.Append(t.Context(), "time", zarr.AppendOptions{}, zarr.RowsOf("a", []int32{1, 2}), zarr.RowsOf("b", []int32{1, 2}))
		if err == nil || !dead {
			t.Fatalf("format %d: the append was not killed: %v", format, err)
		}
		if g, err = zarr.OpenGroup(t.Context(), st, "g"); err != nil {
			t.Fatal(err)
		}
		if dropped, err := upkeep.DropClaim(t.Context(), g, 0); !dropped || err != nil {
			t.Fatalf("format %d: %v, %v", format, dropped, err)
		}
		if g, err = zarr.OpenGroup(t.Context(), st, "g"); err != nil {
			t.Fatal(err)
		}
		if d, err := upkeep.CheckConsolidated(t.Context(), g); err != nil || len(d) > 0 {
			t.Errorf("format %d: %v, %v", format, d, err)
		}
		for _, name := range []string{"g/a", "g/b"} {
			a, err := zarr.OpenArray(t.Context(), st, name)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Shape(); got[0] != 4 {
				t.Errorf("format %d: the shape of %s is %d, want [4]", format, name, got)
			}
		}
	}
}

// TestDropClaimBesideUnreadable checks that consolidated metadata that cannot be changed does not
// keep a claim.
func TestDropClaimBesideUnreadable(t *testing.T) {
	for _, member := range []string{`{"kind":"other","must_understand":false}`, `{"kind":"inline"}`} {
		st := killedAppend(t, 3)
		v, err := st.Get(t.Context(), "g/zarr.json", store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		doc := strings.Replace(string(v.Bytes), "{", `{"consolidated_metadata":`+member+",", 1)
		if _, err := st.Put(t.Context(), "g/zarr.json", []byte(doc), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		g, err := zarr.OpenGroup(t.Context(), st, "g")
		if err != nil {
			t.Fatalf("%s: %v", member, err)
		}
		if dropped, err := upkeep.DropClaim(t.Context(), g, 0); !dropped || err != nil || groupClaim(t, st) != "" {
			t.Errorf("%s: %v, %v", member, dropped, err)
		}
	}
}

// TestDropClaimBesideBadArray checks that the claim of a group stays if an array below the group
// cannot be read, because the lengths are then unknown.
func TestDropClaimBesideBadArray(t *testing.T) {
	st := killedAppend(t, 3)
	if _, err := st.Put(t.Context(), "g/b/zarr.json", []byte("{}"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	g, err := zarr.OpenGroup(t.Context(), st, "g")
	if err != nil {
		t.Fatal(err)
	}
	if dropped, err := upkeep.DropClaim(t.Context(), g, 0); dropped || !errors.Is(err, fault.Metadata) || groupClaim(t, st) == "" {
		t.Errorf("%v, %v", dropped, err)
	}
}

// killedAppend creates a group with two arrays and an append that was killed after it claimed all
// of them.
func killedAppend(t *testing.T, format int) store.Store {
	t.Helper()
	st := mem.New()
	if _, err := zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: format}); err != nil {
		t.Fatal(err)
	}
	makeArrays(t, st, format)
	var dead atomic.Bool
	g, err := zarr.OpenGroup(t.Context(), store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		if strings.Contains(c.Key, "/c/") || strings.HasSuffix(c.Key, "/1") {
			dead.Store(true)
		}
		if dead.Load() {
			return ctx, fault.Refused
		}
		return ctx, nil
	}}), "g")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Append(t.Context(), "time", zarr.AppendOptions{}, zarr.RowsOf("a", []int32{1, 2}), zarr.RowsOf("b", []int32{1, 2})); err == nil {
		t.Fatal("the append was not killed")
	}
	return st
}

// groupClaim returns the ID of the claim in the document of the group, or "" if there is none.
func groupClaim(t *testing.T, st store.Store) string {
	t.Helper()
	v, err := st.Get(t.Context(), "g/zarr.json", store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Attributes struct {
			Claim *struct {
				ID string `json:"id"`
			} `json:"zargo_claim"`
		} `json:"attributes"`
	}
	check(t, json.Unmarshal(v.Bytes, &doc))
	if doc.Attributes.Claim == nil {
		return ""
	}
	if doc.Attributes.Claim.ID == "" {
		t.Fatalf("no ID in %s", v.Bytes)
	}
	return doc.Attributes.Claim.ID
}

// TestDropClaimHeldSince lets DropClaim read the claim of an append that has not claimed its arrays
// yet. Before DropClaim puts its own claim, the append extends one array and fails. DropClaim finds
// that the lengths differ, and the append can be completed from the claim that it leaves.
func TestDropClaimHeldSince(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		if _, err := zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: format}); err != nil {
			t.Fatal(err)
		}
		makeArrays(t, st, format)
		array, group := "zarr.json", "g/zarr.json"
		if format == 2 {
			array, group = ".zarray", "g/.zattrs"
		}
		rows := func(st store.Store, o zarr.AppendOptions) error {
			g, err := zarr.OpenGroup(t.Context(), st, "g")
			if err == nil {
				_, err = g.Append(t.Context(), "time", o, zarr.RowsOf("a", []int32{1, 2}), zarr.RowsOf("b", []int32{1, 2}))
			}
			return err
		}
		pending, resume, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		var first sync.Once
		var puts atomic.Int64 // puts of the document of b: its claim, and its new shape, which is refused
		slow := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if c.Op != store.OpPut || !strings.HasSuffix(c.Key, "/"+array) || c.Key == group {
				return ctx, nil
			}
			first.Do(func() { close(pending) })
			<-resume
			if c.Key == "g/b/"+array && puts.Add(1) > 1 {
				return ctx, fault.Refused
			}
			return ctx, nil
		}})
		go func() { ended <- rows(slow, zarr.AppendOptions{}) }()
		<-pending
		var once sync.Once
		meets := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if c.Op == store.OpPut {
				once.Do(func() {
					close(resume)
					if err := <-ended; err == nil {
						t.Error("the append did not fail")
					}
				})
			}
			return ctx, nil
		}})
		g, err := zarr.OpenGroup(t.Context(), meets, "g")
		if err == nil {
			_, err = upkeep.DropClaim(t.Context(), g, 0)
		}
		if !errors.Is(err, zarr.ErrConflict) {
			t.Errorf("v%d: DropClaim: %v", format, err)
		}
		if err := rows(st, zarr.AppendOptions{TakeOver: -1}); err != nil {
			t.Errorf("v%d: it cannot be completed: %v", format, err)
		}
		for _, name := range []string{"g/a", "g/b"} {
			a, err := zarr.OpenArray(t.Context(), st, name)
			if err != nil || a.Shape()[0] != 4 {
				t.Errorf("v%d: %v, %v", format, a, err)
			}
		}
	}
}

// makeArrays creates the arrays a and b of 2 rows along "time" in the group g.
func makeArrays(t *testing.T, st store.Store, format int) {
	t.Helper()
	for _, path := range []string{"g/a", "g/b"} {
		spec := zarr.Spec{Format: format, Shape: []int{2}, Chunks: []int{2}, DType: dtype.Int32}
		if format == 2 {
			spec.Attrs = map[string]any{"_ARRAY_DIMENSIONS": []string{"time"}}
		} else {
			spec.Dims = []string{"time"}
		}
		if _, err := zarr.Create(t.Context(), st, path, spec); err != nil {
			t.Fatal(err)
		}
	}
}
