package node

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Free returns fault.Exists if a stored object would become a chunk of a new array, or if the new
// array would hide a v1 array.
//
// Free reads the first page of a listing of one level below the node. It reads v1 metadata only if
// the page has its key. If the store denies listings or does not support them, Free only checks for
// v1 metadata.
func (n *Node) Free(ctx context.Context, m *meta.Array) error {
	v1, chunk := false, ""
	err := n.First(ctx, "", store.ListOptions{Depth: store.OneLevel}, func(e store.Entry, name string) bool {
		switch {
		case chunk == "" && ofChunks(m, name, e.Dir):
			chunk = name
		case name == V1Array && !e.Dir:
			v1 = true
		}
		return chunk == "" || !v1
	})
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fault.Refused) {
		v1, err = true, nil
	}
	if v1 && err == nil {
		err = n.NoV1(ctx)
	}
	if err == nil && chunk != "" {
		err = fault.Newf(fault.Exists, "%q exists and would be read as a chunk of the new array; see Replace", n.Key(chunk))
	}
	return err
}

// ofChunks reports whether name is a chunk key or a directory of chunk keys. name is an entry
// directly below an array.
func ofChunks(m *meta.Array, name string, dir bool) bool {
	rank := len(m.Shape)
	if !dir {
		_, ok := m.Keys.Parse(name, rank)
		return ok
	}
	if m.Keys.Separator != "/" || rank == 0 {
		return false
	}
	if m.Keys.Name != "v2" {
		return name == "c"
	}
	_, ok := meta.KeyEncoding{Name: "v2", Separator: "/"}.Parse(name, 1)
	return ok && rank > 1
}

// NoV1 returns fault.Exists if the node's path has a v1 array, because a new node would hide the
// array. It returns nil if the v1 document "meta" is absent, invalid or too long, or if its read is
// denied.
func (n *Node) NoV1(ctx context.Context) error {
	v, err := n.Get(ctx, V1Array)
	switch {
	case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused), errors.Is(err, fault.Limit):
		return nil
	case err != nil:
		return err
	}
	key := n.Key(V1Array)
	if _, err := n.Plain().ArrayV1(key, v.Bytes, "", nil); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return fault.Newf(fault.Exists, "a v1 array exists: %q", key)
}
