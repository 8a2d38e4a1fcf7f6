package mem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return mem.New() })
}

func TestVersionOutlivesTheKey(t *testing.T) {
	s, ctx := mem.New(), t.Context()
	first, err := s.Put(ctx, "k", []byte("same"), store.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(ctx, "k", store.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	second, err := s.Put(ctx, "k", []byte("same"), store.PutOptions{})
	if err != nil || first == second {
		t.Fatalf("version %q before and %q after the key was made again, %v", first, second, err)
	}
}

func TestPartsWithAGap(t *testing.T) {
	s, ctx := mem.New(), t.Context()
	p, err := s.PutParts(ctx, "k", store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 2} {
		if err := p.Part(ctx, n, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Commit(ctx, store.PutOptions{}); !errors.Is(err, fault.Selection) {
		t.Fatalf("Commit with part 1 missing: %v", err)
	}
}

// TestPagesWhileKeysComeAndGo checks that a page token stays valid while keys are added and
// removed.
func TestPagesWhileKeysComeAndGo(t *testing.T) {
	s, ctx := mem.New(), t.Context()
	for i := range 2500 {
		if _, err := s.Put(ctx, fmt.Sprintf("k/%04d", i), nil, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	seen, token := map[string]bool{}, ""
	for n := 0; ; n++ {
		page, next, err := s.ListPage(ctx, "k", store.ListOptions{}, token)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page {
			if seen[e.Key] {
				t.Fatalf("%s twice", e.Key)
			}
			seen[e.Key] = true
		}
		if next == "" {
			break
		}
		if err := s.Delete(ctx, next, store.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(ctx, fmt.Sprintf("k/0000-%d", n), nil, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		token = next
	}
	if len(seen) != 2498 { // two of 2500 were deleted just before their page
		t.Fatalf("%d keys, want 2498", len(seen))
	}
}

func TestGetIntoBufferAllocatesNothing(t *testing.T) {
	s, ctx := mem.New(), t.Context()
	if _, err := s.Put(ctx, "k", make([]byte, 1000), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 0, 1000)
	if n := testing.AllocsPerRun(100, func() { _, _ = s.Get(ctx, "k", store.GetOptions{}, buf) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func ExampleNew() {
	ctx := context.Background()
	st := mem.New()
	v, _ := st.Put(ctx, "greeting", []byte("hello"), store.PutOptions{IfAbsent: true})
	_, err := st.Put(ctx, "greeting", []byte("again"), store.PutOptions{IfAbsent: true})
	fmt.Println(err)
	_, _ = st.Put(ctx, "greeting", []byte("hello, you"), store.PutOptions{IfVersion: v})
	got, _ := st.Get(ctx, "greeting", store.GetOptions{Range: store.Suffix(3)}, nil)
	fmt.Printf("%s of %d bytes\n", got.Bytes, got.Size)
	// Output:
	// put "greeting" in mem://: exists already
	// you of 10 bytes
}
