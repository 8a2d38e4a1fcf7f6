package unread

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Node is a node that this version does not support.
type Node struct {
	Store  store.Store
	Path   string
	Format int               // 2 or 3
	Group  bool              // a v3 group; the nodes below it are not known
	Docs   map[string][]byte // by name, such as "zarr.json"
	Err    error             // the error of opening the node
}

// maxDocument is the maximum length in bytes of a document. It is the default of
// zarr.Limits.Metadata.
const maxDocument = 64 << 20

// Of returns the node that failed concerns, the error of opening it or of a walk. If failed is not
// errors.ErrUnsupported, or does not concern the metadata of one node, Of returns failed.
func Of(ctx context.Context, st store.Store, failed error) (*Node, error) {
	var of *fault.MetaError
	if !errors.As(failed, &of) || !errors.Is(failed, errors.ErrUnsupported) {
		return nil, failed
	}
	n := &Node{Store: st, Path: strings.TrimPrefix(path.Dir("/"+of.Key), "/"), Format: 3, Docs: map[string][]byte{}, Err: failed}
	names := []string{"zarr.json"}
	if path.Base(of.Key) != "zarr.json" {
		names, n.Format = []string{".zarray", ".zattrs"}, 2
	}
	for _, name := range names {
		v, err := st.Get(ctx, n.Key(name), store.GetOptions{Max: maxDocument}, nil)
		switch {
		case errors.Is(err, fault.NotFound) && name == ".zattrs":
			continue
		case errors.Is(err, fault.NotFound): // failed does not concern these documents
			return nil, failed
		case err != nil:
			return nil, err
		}
		n.Docs[name] = v.Bytes
	}
	var doc struct {
		Type  string `json:"node_type"`
		Shape []int  `json:"shape"`
	}
	text, err := jsontext.Canon(nil, n.Docs[names[0]], jsontext.Tokens) // attributes may contain NaN
	if err != nil || json.Unmarshal(text, &doc) != nil {
		return nil, failed
	}
	n.Group = n.Format == 3 && doc.Type == "group"
	if !n.Group && (doc.Shape == nil || n.Format == 3 && doc.Type != "array") {
		return nil, failed
	}
	return n, nil
}

// Key returns the key of an object of the node in its store.
func (n *Node) Key(name string) string { return node.Join(n.Path, name) }

// Name returns the name of an object below the node.
func (n *Node) Name(key string) string {
	return strings.TrimPrefix(strings.TrimPrefix(key, n.Path), "/")
}

// SameObject reports whether two objects have the same bytes, or both are absent. It reads the
// objects in pieces into the buffers a and b, as many bytes at a time as the smaller one can hold.
func SameObject(ctx context.Context, src store.Store, key string, dst store.Store, other string, a, b []byte) (bool, error) {
	piece := int64(min(cap(a), cap(b)))
	x, sizeX, err := begin(ctx, src, key, a, piece)
	if err != nil {
		return false, err
	}
	y, sizeY, err := begin(ctx, dst, other, b, piece)
	if err != nil {
		return false, err
	}
	for off := int64(len(x)); ; off += int64(len(x)) {
		if sizeX != sizeY || !bytes.Equal(x, y) {
			return false, nil
		}
		if off >= sizeX {
			return true, nil
		}
		next := store.GetOptions{Range: store.Within(off, min(piece, sizeX-off))}
		v, err := src.Get(ctx, key, next, a[:0])
		if err != nil {
			return false, err
		}
		w, err := dst.Get(ctx, other, next, b[:0])
		if err != nil {
			return false, err
		}
		x, y = v.Bytes, w.Bytes
	}
}

// begin reads an object of at most piece bytes. For a longer object it returns only the size. size
// is -1 if the object is absent.
func begin(ctx context.Context, st store.Store, key string, buf []byte, piece int64) (b []byte, size int64, err error) {
	v, err := st.Get(ctx, key, store.GetOptions{Max: piece}, buf[:0])
	var long *store.TooLong
	switch {
	case errors.Is(err, fault.NotFound):
		return nil, -1, nil
	case errors.As(err, &long):
		return nil, long.Announced, nil
	}
	return v.Bytes, v.Size, err
}
