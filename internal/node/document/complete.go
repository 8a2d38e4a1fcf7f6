package document

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Complete puts the missing documents of a node whose creator was killed. The document docs[0] is
// already stored. Complete does not change stored documents. put reports whether Complete put a
// document.
func (n *Node) Complete(ctx context.Context, s *Source, docs Docs) (put bool, err error) {
	for _, d := range docs[1:] {
		if d.Bytes == nil || s.Attrs.There() || s.Attrs.Refused != nil {
			continue
		}
		_, err := n.put(ctx, n.Key(d.Name), d.Bytes, store.PutOptions{IfAbsent: true})
		if err != nil && !errors.Is(err, fault.Exists) {
			return put, err
		}
		put = true
	}
	return put, nil
}
