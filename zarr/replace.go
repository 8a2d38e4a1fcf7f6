package zarr

import (
	"context"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Replace creates an array at path in the place of the array that is there, if any, whose metadata and chunks are
// deleted. Keys below path that belong to no array are left alone. A group there is ErrExists: replacing it would delete
// what hangs below it.
//
// The old metadata goes first, on condition that it is what Replace read, so that no reader ever sees new metadata over
// old chunks; then the chunks; then the new array is created. A process killed in between leaves no array, and Replace
// can be called again. Use it only where nobody else reads or writes the array: an *Array opened before sees its chunks
// vanish, and reads them as the fill value.
func Replace(ctx context.Context, st store.Store, path string, spec Spec, opts ...Option) (*Array, error) {
	n, err := newNode(st, path, opts)
	if err != nil {
		return nil, err
	}
	if _, err := spec.model(n.cfg); err != nil {
		return nil, n.errf(err) // before anything is deleted
	}
	if err := n.remove(ctx); err != nil {
		return nil, n.errf(err)
	}
	return create(ctx, n, spec, nil)
}

// remove deletes the array at the node's path: metadata, then chunks. Where metadata of both formats is there, the one
// that wins goes first and the other with the next round.
func (n *node) remove(ctx context.Context) error {
	all := *n
	all.cfg.format = 0
	suffix := ""
	for {
		docs, err := all.fetch(ctx, wantAny)
		if err != nil {
			return err
		}
		if d, ok := docs[keyV3]; ok {
			if m, err := (meta.Parser{Types: n.cfg.types}).V3(join(n.path, keyV3), d.value.Bytes); err == nil {
				switch m := m.(type) {
				case *meta.Group:
					return fault.Newf(fault.Exists, "a group is there")
				case *meta.Array:
					suffix = m.Keys.Suffix
				}
			}
		}
		if _, isGroup := docs[keyGroup]; isGroup {
			return fault.Newf(fault.Exists, "a group is there")
		}
		if len(docs) == 0 {
			if err := n.removeV1(ctx); err != nil {
				return err
			}
			return n.removeChunks(ctx, suffix)
		}
		for _, name := range []string{keyV3, keyArray, keyAttrs} {
			if d, ok := docs[name]; ok {
				cond := store.DeleteOptions{IfVersion: d.value.Version}
				if n.cfg.singleWriter {
					cond.IfVersion = ""
				}
				if err := n.st.Delete(ctx, join(n.path, name), cond); err != nil {
					return err
				}
			}
		}
	}
}

// removeV1 deletes the metadata of a v1 array, if there is one.
func (n *node) removeV1(ctx context.Context) error {
	if err := n.noV1(ctx); err == nil || !errors.Is(err, fault.Exists) {
		return err
	}
	old := *n
	a, err := old.openV1(ctx)
	if err != nil {
		return err
	}
	return base(a).removeOld(ctx)
}

// removeChunks deletes every key below the path that has the form of a chunk key of either format, with the suffix or
// without.
func (n *node) removeChunks(ctx context.Context, suffix string) error {
	const batch = 1000
	var keys []string
	flush := func() error {
		err := store.DeleteAll(ctx, n.st, keys)
		keys = keys[:0]
		return err
	}
	for e, err := range store.Pages(ctx, n.st, n.path, store.ListOptions{}) {
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(strings.TrimPrefix(e.Key, n.path), "/")
		if !isChunkKey(below) && !isChunkKey(strings.TrimSuffix(below, suffix)) {
			continue
		}
		if keys = append(keys, e.Key); len(keys) == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// isChunkKey tells whether a key below an array is one of a chunk: "c", "c/0/1", "c.0.1", "0.1", "0/1".
func isChunkKey(key string) bool {
	if key == "c" {
		return true
	}
	if rest, ok := strings.CutPrefix(key, "c"); ok {
		if rest[0] != '/' && rest[0] != '.' {
			return false
		}
		key = rest[1:]
	}
	for part := range strings.FieldsFuncSeq(key, func(r rune) bool { return r == '/' || r == '.' }) {
		if strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return key != ""
}
