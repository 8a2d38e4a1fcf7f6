package rehearsal_test

import (
	"errors"
	"testing"

	"github.com/zargo-io/zargo/internal/copying/rehearsal"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestRehearsal changes keys in a rehearsal, and checks that it reads the changes, that conditions
// refuse what the store below would refuse, and that the store below is unchanged.
func TestRehearsal(t *testing.T) {
	ctx, below := t.Context(), mem.New()
	for _, key := range []string{"a", "b", "c", "empty"} {
		if _, err := below.Put(ctx, key, []byte(key)[:len(key)%4], store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	dry := rehearsal.New(below)
	is := func(want error, err error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	read := func(st store.Store, key string) string {
		v, err := st.Get(ctx, key, store.GetOptions{}, nil)
		if err != nil {
			return "absent"
		}
		return string(v.Bytes)
	}
	put := func(key string, o store.PutOptions) (store.Version, error) {
		return dry.Put(ctx, key, []byte("new "+key), o)
	}
	old, err := dry.Get(ctx, "a", store.GetOptions{}, nil)
	is(nil, err)
	_, err = put("a", store.PutOptions{IfVersion: old.Version})
	is(nil, err)
	_, err = put("a", store.PutOptions{IfVersion: "stale"})
	is(fault.Conflict, err)
	_, err = put("a", store.PutOptions{IfAbsent: true})
	is(fault.Exists, err)
	_, err = put("b", store.PutOptions{IfAbsent: true})
	is(fault.Exists, err)
	_, err = put("new", store.PutOptions{IfAbsent: true})
	is(nil, err)
	is(nil, store.DeleteAll(ctx, dry, []string{"b"}))
	is(nil, dry.Delete(ctx, "c", store.DeleteOptions{IfVersion: "any"}))
	_, err = put("c", store.PutOptions{IfAbsent: true})
	is(nil, err)
	for key, want := range map[string]string{"a": "new a", "b": "absent", "c": "new c", "new": "new new"} {
		if got := read(dry, key); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	for key, want := range map[string]string{"a": "a", "b": "b", "c": "c", "new": "absent"} {
		if got := read(below, key); got != want {
			t.Errorf("below, %s is %s, want %s", key, got, want)
		}
	}
	var keys string
	for e, err := range store.Pages(ctx, dry, "", store.ListOptions{}) {
		is(nil, err)
		keys += e.Key + " "
	}
	fewer, more := dry.Inexact()
	if keys != "a c empty new " || fewer != (store.Amount{}) || more != (store.Amount{Gets: 1}) {
		t.Errorf("listed %s; %+v fewer and %+v more requests", keys, fewer, more)
	}
	_, err = rehearsal.New(store.ReadOnly(below)).Put(ctx, "a", nil, store.PutOptions{})
	is(fault.ReadOnly, err)
}
