package azure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestPutRequests checks that every write is one request with the value's headers.
func TestPutRequests(t *testing.T) {
	environment(t)
	f := NewFake(t)
	s := bare(t, f.At("p"), AccessTier("cool"))
	for _, size := range []int{0, 1, 5 << 20} {
		v, err := s.Put(t.Context(), "k", make([]byte, size), store.PutOptions{})
		if err != nil || v == "" {
			t.Fatal(v, err)
		}
		h := f.Header()
		if got := h.Get("X-Ms-Blob-Content-Type"); got != blob.ContentType {
			t.Errorf("content type %q", got)
		}
		if got := h.Get("X-Ms-Access-Tier"); got != "Cool" {
			t.Errorf("access tier %q", got)
		}
		if got := f.Requests(); !slices.Equal(got, []string{"PUT /acct/zarr-test/p/k"}) {
			t.Errorf("%d bytes: requests %q", size, got)
		}
	}
}

// TestFailedWritesAreErrors checks that a failed write is an error: after a conflict, in a missing
// container, and at a deadline. gocloud's streaming writer would panic.
func TestFailedWritesAreErrors(t *testing.T) {
	environment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	value := make([]byte, 1<<20)
	if _, err := s.Put(t.Context(), "k", value, store.PutOptions{IfAbsent: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "k", value, store.PutOptions{IfAbsent: true}); !errors.Is(err, fault.Exists) {
		t.Errorf("conflict: %v", err)
	}
	if _, err := s.Put(t.Context(), "new", value, store.PutOptions{IfVersion: `"0x1"`}); !errors.Is(err, fault.Conflict) {
		t.Errorf("absent under a version: %v", err)
	}
	other := bare(t, "azblob://missing?storage_account=acct&protocol=http&domain="+f.Host())
	if _, err := other.Put(t.Context(), "k", value, store.PutOptions{}); !errors.Is(err, fault.Refused) {
		t.Errorf("missing container: %v", err)
	}
}

// TestDeadlineInAWrite checks that a write that exceeds its deadline returns the deadline's error,
// and that the caller owns the value after Put returns.
func TestDeadlineInAWrite(t *testing.T) {
	environment(t)
	f := NewFake(t)
	begun, end := make(chan struct{}, 8), make(chan struct{})
	f.Answer(func(_ http.ResponseWriter, r *http.Request) bool {
		begun <- struct{}{}
		<-end // do not read the body
		return true
	})
	defer close(end)
	s := bare(t, f.At(""))
	value := make([]byte, 32<<20) // larger than the buffers of sockets
	p, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		write func(context.Context) error
	}{
		{"put", func(ctx context.Context) error { _, err := s.Put(ctx, "k", value, store.PutOptions{}); return err }},
		{"part", func(ctx context.Context) error { return p.Part(ctx, 0, value) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-begun; cancel() }()
			err := c.write(ctx)
			for i := range value { // a data race if the transport still reads it
				value[i] = 1
			}
			if !errors.Is(err, context.Canceled) || errors.Is(err, fault.Unavailable) {
				t.Error(err)
			}
			ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			err = c.write(ctx)
			for i := range value {
				value[i] = 2
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
	}
}

// TestPartsDoNotMix checks that concurrent uploads to one key are separate. The upload that commits
// last has lost its blocks, which must be an error.
func TestPartsDoNotMix(t *testing.T) {
	environment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	var ps [2]store.Parts
	for i := range ps {
		p, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			if err := p.Part(t.Context(), n, fmt.Appendf(nil, "%d.%d ", i, n)); err != nil {
				t.Fatal(err)
			}
		}
		ps[i] = p
	}
	v, err := ps[0].Commit(t.Context(), store.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ps[1].Commit(t.Context(), store.PutOptions{}); !errors.Is(err, fault.Conflict) {
		t.Errorf("the second: %v", err)
	}
	got, err := s.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(4)}, nil)
	if err != nil || string(got.Bytes) != "0.2 " || got.Version != v || got.Size != 12 {
		t.Errorf("%q, size %d, %v", got.Bytes, got.Size, err)
	}
}

// TestEmptyParts checks that a part may be empty, although Azure rejects an empty block.
func TestEmptyParts(t *testing.T) {
	environment(t)
	s := bare(t, NewFake(t).At(""))
	p, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for n, b := range []string{"a", "", "b"} {
		if err := p.Part(t.Context(), n, []byte(b)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Part(t.Context(), maxBlocks, []byte("x")); !errors.Is(err, fault.Limit) {
		t.Errorf("one part too many: %v", err)
	}
	if _, err := p.Commit(t.Context(), store.PutOptions{IfAbsent: true}); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || !bytes.Equal(v.Bytes, []byte("ab")) {
		t.Errorf("%q, %v", v.Bytes, err)
	}
}
