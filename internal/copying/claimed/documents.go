package claimed

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Documents are the metadata documents that make the work visible: those of the node at Target and
// of nodes below it, and those of groups above it.
type Documents struct {
	Store  store.Store
	Target string            // path of the node
	Texts  map[string]string // by key
}

// Ordered returns the keys in the order of publication: the innermost nodes first and the outermost
// last, so a reader that finds a node finds all nodes below it.
func (d *Documents) Ordered() []string {
	rank := func(key string) int { return slices.Index([]string{node.ZAttrs, node.ZMetadata}, path.Base(key)) }
	return slices.SortedFunc(maps.Keys(d.Texts), func(a, b string) int {
		// .zarray and .zgroup come after the other documents of a node, because they create the
		// node.
		return cmp.Or(cmp.Compare(strings.Count(b, "/"), strings.Count(a, "/")), -cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// Within returns the keys at or below the target, in the order of publication.
func (d *Documents) Within() []string {
	return slices.DeleteFunc(d.Ordered(), func(key string) bool { return node.IsAbove(node.PathOf(key), d.Target) })
}

// Each calls f concurrently for all keys.
func (d *Documents) Each(ctx context.Context, keys []string, f func(ctx context.Context, key string) error) error {
	return concurrency.EachN(ctx, store.TuningOf(d.Store).Requests, len(keys), func(ctx context.Context, i int) error { return f(ctx, keys[i]) })
}

// Put stores a document on condition that it is absent. A stored document is not an error if it has
// the same bytes or belongs to a group above the target. Put returns fault.Exists otherwise.
func (d *Documents) Put(ctx context.Context, key string) error {
	doc := d.Texts[key]
	_, err := d.Store.Put(ctx, key, []byte(doc), store.PutOptions{IfAbsent: true})
	switch unconditional := errors.Is(err, errors.ErrUnsupported); {
	case unconditional, errors.Is(err, fault.Exists):
		is, found, got := d.Holds(ctx, key, doc)
		switch {
		case got != nil:
			return got
		case is || found && node.IsAbove(node.PathOf(key), d.Target):
			return nil
		case found:
			return fault.Newf(fault.Exists, "another document was stored at %q", key)
		case !unconditional:
			return err
		}
		_, err = d.Store.Put(ctx, key, []byte(doc), store.PutOptions{})
	}
	return err
}

// Holds reads the document at key. found reports whether there is one, and equal whether it is doc.
func (d *Documents) Holds(ctx context.Context, key, doc string) (equal, found bool, err error) {
	v, err := d.Store.Get(ctx, key, store.GetOptions{Max: int64(len(doc)) + 1}, nil)
	switch {
	case errors.Is(err, fault.NotFound):
		return false, false, nil
	case errors.Is(err, fault.Limit):
		return false, true, nil
	case err != nil:
		return false, false, err
	}
	return string(v.Bytes) == doc, true, nil
}

// Last returns the key of the last document at or below the target, in the order of publication.
func (d *Documents) Last() (last string) {
	for _, key := range d.Within() {
		last = key
	}
	return last
}

// Stored reports whether all documents at or below the target are stored. A target with all of them
// and without a claim is complete. Stored returns fault.Exists if a document differs: the target is
// another node, or was changed after the publication.
func (d *Documents) Stored(ctx context.Context) (bool, error) {
	last := d.Last()
	is, found, err := d.Holds(ctx, last, d.Texts[last])
	if !found || err != nil {
		return false, err
	}
	if !is {
		return false, another(last)
	}
	return true, d.Each(ctx, d.Within(), func(ctx context.Context, key string) error {
		is, _, err := d.Holds(ctx, key, d.Texts[key])
		if err == nil && !is {
			err = another(key)
		}
		return err
	})
}

// Absent checks that none of the keys exists. It returns fault.Exists otherwise.
func (d *Documents) Absent(ctx context.Context, keys []string) error {
	return d.Each(ctx, keys, func(ctx context.Context, key string) error {
		_, found, err := d.Holds(ctx, key, "")
		if err == nil && found {
			err = another(key)
		}
		return err
	})
}

// another returns the error for a target with another document under key.
func another(key string) error {
	return fault.Newf(fault.Exists, "another document is stored at %q", key)
}

// Withdraw deletes the documents at and below the target, the outermost first, unless they were
// changed.
func (d *Documents) Withdraw(ctx context.Context) error {
	keys := d.Within()
	slices.Reverse(keys)
	for _, key := range keys {
		doc := d.Texts[key]
		v, err := d.Store.Get(ctx, key, store.GetOptions{Max: int64(len(doc)) + 1}, nil)
		if err == nil && string(v.Bytes) == doc {
			err = d.Store.Delete(ctx, key, store.DeleteOptions{IfVersion: v.Version})
		}
		if err != nil && !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Limit) && !errors.Is(err, fault.Conflict) {
			return err
		}
	}
	return nil
}
