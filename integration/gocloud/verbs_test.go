package gocloud

import (
	"bytes"
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// size is the length of the value that is read and written. It is a small chunk, so that the cost
// of the call itself is visible.
const size = 64 << 10

// verb is a method of the contract with its options. version is the current version of the key.
type verb struct {
	name  string
	key   string
	fresh bool // the key must be absent
	do    func(ctx context.Context, s store.Store, key string, version store.Version, buf []byte) error
	want  error // the expected error of a store that supports it
	many  bool  // its requests are concurrent, so their order varies
}

func get(o store.GetOptions) func(context.Context, store.Store, string, store.Version, []byte) error {
	return func(ctx context.Context, s store.Store, key string, version store.Version, buf []byte) error {
		o := o
		if o.IfVersion != "" {
			o.IfVersion = version
		}
		if o.IfNotVersion != "" {
			o.IfNotVersion = version
		}
		_, err := s.Get(ctx, key, o, buf[:0])
		return err
	}
}

func put(o store.PutOptions) func(context.Context, store.Store, string, store.Version, []byte) error {
	return func(ctx context.Context, s store.Store, key string, version store.Version, buf []byte) error {
		o := o
		if o.IfVersion != "" {
			o.IfVersion = version
		}
		_, err := s.Put(ctx, key, buf[:size], o)
		return err
	}
}

func remove(pinned bool) func(context.Context, store.Store, string, store.Version, []byte) error {
	return func(ctx context.Context, s store.Store, key string, version store.Version, _ []byte) error {
		o := store.DeleteOptions{}
		if pinned {
			o.IfVersion = version
		}
		return s.Delete(ctx, key, o)
	}
}

func list(d store.Depth) func(context.Context, store.Store, string, store.Version, []byte) error {
	return func(ctx context.Context, s store.Store, _ string, _ store.Version, _ []byte) error {
		for _, err := range store.Pages(ctx, s, "list", store.ListOptions{Depth: d}) {
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func removeAll(ctx context.Context, s store.Store, _ string, _ store.Version, _ []byte) error {
	return store.DeleteAll(ctx, s, []string{"gone/1", "gone/2", "gone/3"})
}

func parts(ctx context.Context, s store.Store, key string, _ store.Version, buf []byte) error {
	p, err := store.PutParts(ctx, s, key, store.PartsOptions{})
	if err != nil {
		return err
	}
	if err := p.Part(ctx, 0, buf[:size]); err != nil {
		return err
	}
	_, err = p.Commit(ctx, store.PutOptions{})
	return err
}

// some stands for the current version of the key.
const some = store.Version("some")

func verbs() []verb {
	return []verb{
		{name: "get whole", key: "k", do: get(store.GetOptions{})},
		{name: "get range", key: "k", do: get(store.GetOptions{Range: store.Within(100, size/2)})},
		{name: "get from", key: "k", do: get(store.GetOptions{Range: store.From(size / 2)})},
		{name: "get tail", key: "k", do: get(store.GetOptions{Range: store.Suffix(size / 2)})},
		{name: "get if version", key: "k", do: get(store.GetOptions{IfVersion: some})},
		{name: "get if changed", key: "k", do: get(store.GetOptions{IfNotVersion: some}), want: fault.Unchanged},
		{name: "get absent", key: "absent", fresh: true, do: get(store.GetOptions{}), want: fault.NotFound},
		{name: "put", key: "p", do: put(store.PutOptions{})},
		{name: "put if absent", key: "new", fresh: true, do: put(store.PutOptions{IfAbsent: true})},
		{name: "put if absent, key exists", key: "k", do: put(store.PutOptions{IfAbsent: true}), want: fault.Exists},
		{name: "put if version", key: "p", do: put(store.PutOptions{IfVersion: some})},
		{name: "delete", key: "d", do: remove(false)},
		{name: "delete absent", key: "absent", fresh: true, do: remove(false)},
		{name: "delete if version", key: "d", do: remove(true)},
		{name: "delete three", key: "d", do: removeAll, many: true},
		{name: "list level", key: "k", do: list(store.OneLevel)},
		{name: "list deep", key: "k", do: list(store.Deep)},
		{name: "put parts", key: "p", do: parts},
	}
}

// prepare creates the key, or removes it if v requires that it is absent.
func (p *place) prepare(ctx context.Context, v verb) (store.Version, error) {
	if v.fresh {
		return "", p.zargo.Delete(ctx, v.key, store.DeleteOptions{})
	}
	return p.zargo.Put(ctx, v.key, bytes.Repeat([]byte{7}, size), store.PutOptions{})
}

// ended returns a description of an unexpected result of a call, or "".
func ended(err, want error) string {
	switch {
	case err == nil && want == nil, want != nil && errors.Is(err, want):
		return ""
	case errors.Is(err, errors.ErrUnsupported):
		return "refused"
	}
	return "fails: " + errors.Join(err, want).Error()
}
