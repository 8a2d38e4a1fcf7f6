package engine

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/assemble"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/internal/written"
	"github.com/zargo-io/zargo/zarr/store"
)

// made is the new stored form of an object.
type made struct {
	bytes  []byte
	stream *assemble.Stream  // that has it, in place of bytes
	empty  bool              // all is the fill value, and is not to be stored
	hold   *concurrency.Hold // of bytes
}

func streamMade(s *assemble.Stream) made { return made{stream: s, empty: s.Stored() == 0} }

// commit makes the new stored form the value of an object's key, by a condition. An empty one
// deletes the object, unless the condition is that it is absent. A stream that fails is aborted.
func (r *Call) commit(ctx context.Context, o *plan.Object, m made, c store.PutOptions) (err error) {
	switch {
	case m.empty && c.IfAbsent:
		written.Absent(r.Store, o.Key)
		return nil
	case m.empty:
		err = r.store.Delete(ctx, o.Key, store.DeleteOptions{IfVersion: c.IfVersion, AsPut: true})
	case m.stream != nil:
		err = m.stream.Commit(ctx, c)
	default:
		_, err = r.store.Put(ctx, o.Key, m.bytes, c)
	}
	r.State.Forget(o.Key)
	switch {
	case err == nil && !m.empty:
		r.account.Chunks(1, 0)
	case err != nil && m.stream != nil:
		return m.stream.Abort(ctx, err)
	}
	return err
}
