package store_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func TestCheckKey(t *testing.T) {
	tests := []struct {
		name, key string
		good      bool
	}{
		{"plain", "a/b", true},
		{"dots inside", "a..b/...", true},
		{"unicode", "é/日本", true},
		{"percent", "%2e%2e/x", true},
		{"longest", strings.Repeat("k", store.MaxKey), true},
		{"too long", strings.Repeat("k", store.MaxKey+1), false},
		{"empty", "", false},
		{"absolute", "/a", false},
		{"trailing slash", "a/", false},
		{"double slash", "a//b", false},
		{"dot", "a/./b", false},
		{"dot dot", "..", false},
		{"dot dot inside", "a/../b", false},
		{"back slash", `a\b`, false},
		{"control", "a\tb\x01\n", true},
		{"delete", "a\x7f", true},
		{"null", "a\x00b", false},
		{"not UTF-8", "a\xff", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := store.CheckKey(test.key); (err == nil) != test.good || err != nil && !errors.Is(err, fault.Path) {
				t.Errorf("got %v", err)
			}
		})
	}
	if err := store.CheckPrefix(""); err != nil {
		t.Errorf("the whole store: %v", err)
	}
}

// FuzzCheckKey checks that a valid key stays below a root and is a clean path.
func FuzzCheckKey(f *testing.F) {
	for _, k := range []string{"a/b", "..", "a/../b", "/", "a\\b", "a//b", "\xff", "%2e%2e"} {
		f.Add(k)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if store.CheckKey(key) != nil {
			return
		}
		if got := path.Join("/root", key); got != "/root/"+key {
			t.Errorf("%q leads to %q", key, got)
		}
	})
}

func FuzzRangeResolve(f *testing.F) {
	f.Add(int8(0), int64(0), int64(0), int64(10))
	f.Add(int8(1), int64(5), int64(0), int64(10))
	f.Add(int8(2), int64(5), int64(6), int64(10))
	f.Add(int8(2), int64(math.MaxInt64), int64(1), int64(10))
	f.Add(int8(3), int64(0), int64(11), int64(10))
	f.Fuzz(func(t *testing.T, kind int8, off, n, size int64) {
		r := [...]store.Range{{}, store.From(off), store.Within(off, n), store.Suffix(n)}[uint8(kind)%4]
		if size < 0 || r.Check() != nil {
			return
		}
		at, length, err := r.Resolve(size)
		if err != nil {
			if !errors.Is(err, fault.Corrupt) {
				t.Errorf("%v of %d: %v", r, size, err)
			}
			return
		}
		if at < 0 || length < 0 || at > size || length > size-at || length == 0 && !r.IsWhole() {
			t.Errorf("%v of %d gave %d+%d", r, size, at, length)
		}
		if _, want, ok := r.IsWithin(); ok && length != want {
			t.Errorf("%v of %d gave %d bytes", r, size, length)
		}
	})
}

func TestRangeString(t *testing.T) {
	for want, r := range map[string]store.Range{"whole": {}, "5-": store.From(5), "5+20": store.Within(5, 20), "last 16": store.Suffix(16)} {
		if r.String() != want {
			t.Errorf("got %q, want %q", r, want)
		}
	}
}

// disabled has the methods of all optional verbs. They return errors.ErrUnsupported.
type disabled struct{ store.Store }

func (disabled) ListPage(context.Context, string, store.ListOptions, string) ([]store.Entry, string, error) {
	return nil, "", errors.ErrUnsupported
}
func (disabled) DeleteAll(context.Context, []string) error { return errors.ErrUnsupported }
func (disabled) PutParts(context.Context, string, store.PartsOptions) (store.Parts, error) {
	return nil, errors.ErrUnsupported
}

// TestVerbsFallBack checks that the functions for optional verbs fall back to the four verbs, also
// through decorators.
func TestVerbsFallBack(t *testing.T) {
	ctx := t.Context()
	s := store.Observe(prefixed(t, disabled{mem.New()}, "p"), func(context.Context, store.Event) {})
	for _, k := range []string{"a", "b", "c"} {
		if _, err := s.Put(ctx, k, []byte("0123456789"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.DeleteAll(ctx, s, []string{"a", "b", "absent"}); err != nil {
		t.Error(err)
	}
	n := 0
	for e, err := range store.Pages(ctx, s, "", store.ListOptions{}) {
		if n++; err != nil || e.Key != "c" {
			t.Errorf("%+v, %v", e, err)
		}
	}
	if _, err := store.PutParts(ctx, s, "x", store.PartsOptions{}); n != 1 || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%d entries; PutParts: %v", n, err)
	}
}

type tuned struct{ store.Store }

func (tuned) Provide(target any) bool {
	t, ok := target.(*store.Tuning)
	if ok {
		*t = store.Tuning{Requests: 99, Reason: "test"}
	}
	return ok
}

func TestTuning(t *testing.T) {
	if got := store.TuningOf(mem.New()); got != store.Local() || got.Reason == "" {
		t.Errorf("mem: %+v", got)
	}
	if got := store.TuningOf(store.ReadOnly(tuned{mem.New()})); got.Requests != 99 {
		t.Errorf("through a decorator: %+v", got)
	}
	for _, n := range store.Local().Settings() {
		if line := fmt.Sprintf("%s %d %s: %s", n.Name, n.Value, n.Unit, n.Reason); n.Reason == "" || !strings.Contains(store.Local().String(), line) {
			t.Errorf("%q is not printed, or without a reason", line)
		}
	}
	if got := store.Name(bare{mem.New()}); got != "store_test.bare" {
		t.Errorf("name %q", got)
	}
}

// TestIsReadOnly checks that IsReadOnly detects a read-only store through decorators, and does not
// detect a read-only store that is only a component.
func TestIsReadOnly(t *testing.T) {
	below, err := store.Prefix(store.ReadOnly(mem.New()), "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		s    store.Store
		want bool
	}{
		{"memory", mem.New(), false},
		{"observed memory", store.Observe(mem.New(), func(context.Context, store.Event) {}), false},
		{"read-only", store.ReadOnly(mem.New()), true},
		{"below a decorator", below, true},
	} {
		if got := store.IsReadOnly(c.s); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
