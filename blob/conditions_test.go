package blob

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gocloud.dev/blob/memblob"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

func TestConditions(t *testing.T) {
	get := func(context.Context, string, store.GetOptions, []byte) (store.Value, error) {
		return store.Value{}, nil
	}
	put := func(context.Context, string, []byte, store.PutOptions) (store.Version, error) { return "", nil }
	for _, c := range []struct {
		name string
		opts []Option
		want store.Conditions
	}{
		{"portable", nil, store.Conditions{IfAbsent: true}},
		{"without if-absent", []Option{NoIfAbsent()}, store.Conditions{}},
		{"a provider's", []Option{WithHooks(Hooks{Get: get, Put: put})}, store.Conditions{IfAbsent: true, IfVersion: true}},
		{"half a provider's", []Option{WithHooks(Hooks{Put: put})}, store.Conditions{IfAbsent: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(memblob.OpenBucket(nil), c.opts...)
			defer s.Close()
			below, err := store.Prefix(store.Observe(s, func(context.Context, store.Event) {}), "p")
			if err != nil {
				t.Fatal(err)
			}
			if got := store.ConditionsOf(below); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestAppendIsRefused checks that an append without versions names the option, in one sentence.
func TestAppendIsRefused(t *testing.T) {
	s := New(memblob.OpenBucket(nil), TrustNotFound())
	defer s.Close()
	a, err := zarr.Create(t.Context(), s, "a", zarr.Spec{Shape: []int{4}, Chunks: []int{4}, DType: dtype.Int32})
	if err != nil {
		t.Fatal(err)
	}
	_, err = zarr.Append(t.Context(), a, 0, []int32{1, 2, 3, 4}, zarr.AppendOptions{})
	text := fmt.Sprint(err)
	if !errors.Is(err, errors.ErrUnsupported) || strings.Count(text, "safely") != 1 || !strings.Contains(text, "SingleWriter") {
		t.Errorf("got %v", err)
	}
}

// TestPartialWriteIsRefusedAtOnce checks that a write that needs conditions is refused at the first
// call, before anything is written.
func TestPartialWriteIsRefusedAtOnce(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		name string
		sel  zarr.Selection
		n    int
	}{
		{"a part", zarr.Range(0, 3), 3},
		{"a chunk and a part", zarr.Range(0, 6), 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(memblob.OpenBucket(nil), TrustNotFound())
			defer s.Close()
			a, err := zarr.Create(ctx, s, "a", zarr.Spec{Shape: []int{8}, Chunks: []int{4}, DType: dtype.Int32})
			if err != nil {
				t.Fatal(err)
			}
			value := []int32{1, 2, 3, 4, 5, 6}[:c.n]
			for range 2 {
				if err := zarr.Write(ctx, a, value, c.sel); !errors.Is(err, errors.ErrUnsupported) {
					t.Errorf("got %v", err)
				}
			}
			for e, err := range s.List(ctx, "a/c", store.ListOptions{}) {
				t.Errorf("%s was written, %v", e.Key, err)
			}
			if err := zarr.Write(ctx, a, []int32{1, 2, 3, 4}, zarr.Range(0, 4)); err != nil {
				t.Errorf("a whole chunk: %v", err)
			}
			alone, err := a.With(zarr.SingleWriter())
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := zarr.Write(ctx, alone, value, c.sel); err != nil {
					t.Errorf("a single writer: %v", err)
				}
			}
		})
	}
}
