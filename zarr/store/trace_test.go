package store_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

// TestTraceLooksUpWithoutAllocation checks that a layer does not allocate, with and without a
// trace.
func TestTraceLooksUpWithoutAllocation(t *testing.T) {
	n := 0
	listening := store.WithTrace(t.Context(), &store.Trace{Wait: func(context.Context, store.Wait) { n++ }})
	for name, ctx := range map[string]context.Context{"nobody": t.Context(), "somebody": listening} {
		ctx, cancel := context.WithCancel(context.WithValue(ctx, spanKey{}, 1))
		defer cancel()
		if got := testing.AllocsPerRun(100, func() {
			if t := store.TraceOf(ctx); t != nil && t.Wait != nil {
				t.Wait(ctx, store.Wait{For: store.WaitSlot})
			}
		}); got != 0 {
			t.Errorf("%s listens: %v allocations", name, got)
		}
	}
	if n == 0 {
		t.Error("the trace was not called")
	}
}

// TestTracesCompose sets each function of a Trace by reflection, so that functions added later are
// also tested.
func TestTracesCompose(t *testing.T) {
	typ := reflect.TypeFor[store.Trace]()
	for i := range typ.NumField() {
		name := typ.Field(i).Name
		var calls []string
		trace := func(who string) *store.Trace {
			tr := new(store.Trace)
			f := reflect.ValueOf(tr).Elem().Field(i)
			f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value { calls = append(calls, who); return nil }))
			return tr
		}
		call := func(ctx context.Context) string {
			calls = nil
			f := reflect.ValueOf(store.TraceOf(ctx)).Elem().Field(i)
			if f.IsNil() {
				return ""
			}
			f.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.Zero(f.Type().In(1))})
			s := ""
			for _, c := range calls {
				s += c
			}
			return s
		}
		outer := store.WithTrace(t.Context(), trace("o"))
		for want, ctx := range map[string]context.Context{
			"o":   outer,
			"io":  store.WithTrace(outer, trace("i")),
			"i":   store.WithTrace(store.WithTrace(t.Context(), new(store.Trace)), trace("i")),
			"":    store.WithTrace(t.Context(), new(store.Trace)),
			"jio": store.WithTrace(store.WithTrace(outer, trace("i")), trace("j")),
		} {
			if got := call(ctx); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if got := call(store.WithTrace(outer, new(store.Trace))); got != "o" {
			t.Errorf("%s: an empty trace hides the outer one: %q", name, got)
		}
	}
	if ctx := t.Context(); store.WithTrace(ctx, nil) != ctx {
		t.Error("no trace makes another context")
	}
}
