package zarr

import (
	"context"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/meta"
)

// copied is the consolidated metadata of a group: copies of the metadata of nodes below it.
type copied struct {
	key   string               // of the document that holds it
	doc   []byte               // that document, where it is one of its own; nil when there is none, or it is too long
	nodes map[string]meta.Node // by path below the group; nil when there is none. v2 has the group itself too, as ""
	bad   error                // why what is there cannot be read
}

// lazyCopy is a copy that is read when it is first needed, and kept. Views of a group share it.
type lazyCopy struct {
	known atomic.Pointer[copied]
	loads concurrency.Joined[*copied]
}

// get returns the copy. An error is not kept.
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
