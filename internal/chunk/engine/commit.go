package engine

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/assemble"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/zarr/store"
)

// commit stores the new form of an object on condition c. If the form is empty, commit deletes the
// object, unless c requires it to be absent. If commit fails, it aborts the stream.
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

// made is the new stored form of an object.
type made struct {
	bytes  []byte
	stream *assemble.Stream  // holds the stored form instead of bytes
	empty  bool              // all elements are the fill value, so nothing is stored
	hold   *concurrency.Hold // the memory of bytes
}

func streamMade(s *assemble.Stream) made { return made{stream: s, empty: s.Stored() == 0} }
