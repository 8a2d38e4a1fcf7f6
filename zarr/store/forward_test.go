package store_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// decorator is a decorator that changes nothing.
type decorator struct{ store.Forward }

func forward(s store.Store) store.Store { return &decorator{store.Forward{Store: s}} }

func TestForwardConforms(t *testing.T) {
	for name, base := range bases() {
		t.Run("base="+name, func(t *testing.T) {
			few := []storetest.Option{storetest.Keys(50), storetest.Rounds(3)}
			storetest.Run(t, func(t *testing.T) store.Store { return forward(base(t)) }, few...)
		})
	}
}

// TestForwardVerbs checks that a verb that the store below lacks is unsupported, and that other
// verbs reach it.
func TestForwardVerbs(t *testing.T) {
	ctx := t.Context()
	for _, test := range []struct {
		name string
		base store.Store
		want error
	}{{"all", mem.New(), nil}, {"none", bare{mem.New()}, errors.ErrUnsupported}} {
		t.Run(test.name, func(t *testing.T) {
			s := forward(test.base)
			if _, err := s.Put(ctx, "x", []byte("1"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			_, _, list := s.(store.PageLister).ListPage(ctx, "", store.ListOptions{}, "")
			_, copied := s.(store.Copier).Copy(ctx, "x", "y", store.CopyOptions{})
			_, parts := s.(store.PartPutter).PutParts(ctx, "z", store.PartsOptions{})
			deleted := s.(store.BatchDeleter).DeleteAll(ctx, []string{"x"})
			for verb, err := range map[string]error{"ListPage": list, "Copy": copied, "PutParts": parts, "DeleteAll": deleted} {
				if !errors.Is(err, test.want) {
					t.Errorf("%s: %v, want %v", verb, err, test.want)
				}
			}
			if got, want := store.Name(s), store.Name(test.base); got != want {
				t.Errorf("the name is %q, want %q", got, want)
			}
		})
	}
}

// TestForwardIsSeenThrough checks that As finds handles through a decorator that embeds Forward.
func TestForwardIsSeenThrough(t *testing.T) {
	s := store.Observe(forward(provider{mem.New()}), func(context.Context, store.Event) {})
	var h *handle
	if !store.As(s, &h) || h.id != 7 {
		t.Errorf("no handle: %v", h)
	}
}

// TestPrefixHasEveryVerb checks that a prefixed store declares every verb of Forward, so that no
// key reaches the store below without its prefix.
func TestPrefixHasEveryVerb(t *testing.T) {
	p := reflect.TypeOf(prefixed(t, mem.New(), "p"))
	for m := range reflect.TypeFor[store.Forward]().Methods() {
		if _, ok := p.MethodByName(m.Name); !ok {
			t.Errorf("a store below a prefix has no %s", m.Name)
		}
	}
}
