package gcs

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// sendParts sends n short parts to key and returns their concatenation.
func sendParts(t *testing.T, s store.Store, key string, n int) (store.Parts, []byte) {
	t.Helper()
	p, err := store.PutParts(t.Context(), s, key, store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for i := range n {
		b := fmt.Appendf(nil, "part %d;", i)
		if err := p.Part(t.Context(), i, b); err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return p, all
}

// TestPartsInRounds checks that more than 32 parts are joined in rounds, and all of them are
// removed.
func TestPartsInRounds(t *testing.T) {
	noEnvironment(t)
	for _, n := range []int{1, 32, 33, 70, 1030} {
		f := NewFake(t)
		s := open(t, f.At("a"))
		p, want := sendParts(t, s, "x/k", n)
		if _, err := p.Commit(t.Context(), store.PutOptions{IfAbsent: true}); err != nil {
			t.Fatal(n, err)
		}
		if v, err := s.Get(t.Context(), "x/k", store.GetOptions{}, nil); err != nil || !bytes.Equal(v.Bytes, want) {
			t.Errorf("%d parts: %d bytes, %v", n, len(v.Bytes), err)
		}
		f.mu.Lock()
		if len(f.objects) != 1 {
			t.Errorf("%d parts: %d objects are there", n, len(f.objects))
		}
		f.mu.Unlock()
	}
}

// TestPartsAreHidden checks that parts are stored beside the key, that listings omit them, that
// keys cannot name them, and that Abort removes them.
func TestPartsAreHidden(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := open(t, f.At("a"))
	p, _ := sendParts(t, s, "x/k", 3)
	var names []string
	f.mu.Lock()
	for name := range f.objects {
		names = append(names, name)
		if !strings.HasPrefix(name, "a/x/.zargo-tmp-") || !strings.HasSuffix(name, ".zargo-part") {
			t.Errorf("a part is %q", name)
		}
	}
	f.mu.Unlock()
	if len(names) != 3 {
		t.Errorf("%q", names)
	}
	for _, prefix := range []string{"", "x"} {
		for _, d := range []store.Depth{store.Deep, store.OneLevel} {
			for e, err := range s.List(t.Context(), prefix, store.ListOptions{Depth: d}) {
				if err != nil || e.Key != "x" {
					t.Errorf("%+v, %v", e, err)
				}
			}
		}
	}
	if _, err := s.Get(t.Context(), strings.TrimPrefix(names[0], "a/"), store.GetOptions{}, nil); !errors.Is(err, fault.Path) {
		t.Error(err)
	}
	if err := p.Abort(t.Context()); err != nil {
		t.Error(err)
	}
	if len(f.objects) != 0 {
		t.Errorf("%d objects are left", len(f.objects))
	}
	long := strings.Repeat("k", 1000)
	if _, err := store.PutParts(t.Context(), s, long+"/k", store.PartsOptions{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("beside a long key: %v", err)
	}
}

// TestPartsWithTheCallersKey checks that parts and value are encrypted with the customer's key.
func TestPartsWithTheCallersKey(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := open(t, f.At("a"), EncryptionKey(bytes.Repeat([]byte{1}, 32)))
	p, want := sendParts(t, s, "k", 40)
	if _, err := p.Commit(t.Context(), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || !bytes.Equal(v.Bytes, want) {
		t.Error(err)
	}
	if f.Object("a/k").key == "" {
		t.Error("the value is not encrypted with it")
	}
}

// TestPartReplacedMeanwhile checks that exactly the listed or sent parts are joined, and not later
// objects with the same numbers.
func TestPartReplacedMeanwhile(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := open(t, f.At("a"))
	p, _ := sendParts(t, s, "k", 2)
	q, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{Resume: p.Token()})
	if err == nil {
		err = q.Part(t.Context(), 1, []byte("another"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Commit(t.Context(), store.PutOptions{}); err == nil {
		t.Error("a part was replaced, and the value was made of it")
	}
}
