package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"github.com/zargo-io/zargo/internal/copying/rehearsal"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// consolidated sends the consolidated metadata of a v2 group that has none, made of the documents of
// its nodes. Options.Refresh determines when it is made again. ok is false if the dataset is not a v2
// group, or if its metadata cannot be consolidated; the key is then absent.
//
// A writable server does not generate documents, because a client could not replace them.
func consolidated(c *call) (ok bool, err error) {
	if c.o.Writable {
		return false, nil
	}
	doc, err := c.src.consolidated.current(c.ctx(), c.src.every, func(ctx context.Context, _ []byte) ([]byte, error) {
		return generate(ctx, c.src.values, c.src.Zarr)
	})
	switch {
	case errors.Is(err, fault.NotFound), errors.Is(err, fault.Metadata), errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Conflict):
		return false, nil
	case err != nil || doc == nil:
		return false, err
	}
	sum := sha256.Sum256(doc)
	describe(c.w.Header(), consolidatedKey, `"g:`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(c.w, c.Request, "", time.Time{}, bytes.NewReader(doc))
	return true, nil
}

// generate returns the consolidated metadata of the v2 group at the root of a store, or nil if the
// group has another format. It stores nothing: the put that publishes the document stays in memory.
func generate(ctx context.Context, st store.Store, opts []zarr.Option) ([]byte, error) {
	dry := rehearsal.New(verbs{st})
	g, err := zarr.OpenGroup(ctx, dry, "", append(append([]zarr.Option{}, opts...), zarr.Format(2), zarr.IgnoreConsolidated())...)
	if err != nil {
		return nil, err
	}
	if _, err := g.Consolidate(ctx); err != nil {
		return nil, err
	}
	v, err := dry.Get(ctx, consolidatedKey, store.GetOptions{}, nil)
	return v.Bytes, err
}

// consolidatedKey is the key of the consolidated metadata of a v2 group.
const consolidatedKey = ".zmetadata"

// verbs is a store without what it wraps. The store of a dry run may be read-only.
type verbs struct{ store.Store }

// Provide provides the settings of the store.
func (v verbs) Provide(target any) bool {
	_, ok := target.(*store.Tuning)
	return ok && store.As(v.Store, target)
}
