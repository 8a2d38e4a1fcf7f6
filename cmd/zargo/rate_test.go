package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func TestPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := mem.New()
		open := paced(func(context.Context, string) (store.Store, error) { return st, nil }, 10)
		begun := time.Now()
		for _, name := range []string{"a", "b"} {
			s, err := open(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			for range 10 {
				if _, err := s.Put(t.Context(), "key", nil, store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if took := time.Since(begun); took != 1900*time.Millisecond {
			t.Errorf("20 requests took %v", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s, _ := open(ctx, "c")
		if _, err := s.Put(ctx, "key", nil, store.PutOptions{}); err == nil {
			t.Error("it waits no more, and puts")
		}
	})
}
