package document

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Free makes sure that a new array takes nothing for its own: that nothing lies where it would look
// for its chunks, and no v1 array where it would be. It costs a listing of one level, of which the
// first page is looked at; a v1 array is asked for only where the listing has a key of its name. A
// store that cannot list, or refuses to, is only asked for the v1 array.
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
		err = fault.Newf(fault.Exists, "%q is there, which would be read as a chunk of the new array; see Replace", n.Key(chunk))
	}
	return err
}

// ofChunks reports whether a key directly below an array is one of a chunk, or begins those of
// chunks.
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

// NoV1 makes sure that a new node hides no v1 array, which is looked for last of all. A key of that
// name which is not v1 metadata is ignored.
func (n *Node) NoV1(ctx context.Context) error {
	v, err := n.Get(ctx, V1Array)
	switch {
	case errors.Is(err, fault.NotFound), errors.Is(err, fault.Refused), errors.Is(err, fault.Limit):
		return nil
	case err != nil:
		return err
	}
	key := n.Key(V1Array)
	if _, err := n.Parser.ArrayV1(key, v.Bytes, "", nil); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return fault.Newf(fault.Exists, "an array of v1 is there, %q", key)
}
