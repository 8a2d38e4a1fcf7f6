package node

import (
	"context"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/meta"
)

// copied is the consolidated metadata of a group.
type copied struct {
	key   string       // key of the document that contains it
	doc   []byte       // for v2, the text of .zmetadata; nil if it is absent or too long
	nodes *meta.Copies // by path below the group, with "" for the group in v2; nil if absent
	bad   error        // error of reading it
}

// lazyCopy is consolidated metadata that is read when it is first needed and then retained. Views
// of a group share it.
type lazyCopy struct {
	known atomic.Pointer[copied]
	loads concurrency.SingleFlight[string, *copied]
}

// get returns the consolidated metadata. Concurrent callers share one call of load. After an error
// the next call of get loads again.
func (l *lazyCopy) get(ctx context.Context, load func(context.Context) (*copied, error)) (*copied, error) {
	if c := l.known.Load(); c != nil {
		return c, nil
	}
	c, _, err := l.loads.Do(ctx, "", func(ctx context.Context) (*copied, error) {
		if c := l.known.Load(); c != nil {
			return c, nil
		}
		c, err := load(ctx)
		if err == nil {
			l.known.Store(c)
		}
		return c, err
	})
	return c, err
}
