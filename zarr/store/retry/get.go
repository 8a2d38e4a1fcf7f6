package retry

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	return s.get(ctx, s.run("get", key), key, o, buf)
}

// get implements Get, and counts its attempts and waits in r.
func (s *Store) get(ctx context.Context, r *run, key string, o store.GetOptions, buf []byte) (_ store.Value, err error) {
	defer func() { r.settle(ctx, err) }()
	b := body{o: o, held: len(buf), next: o, buf: buf}
	for {
		v, err := s.Store.Get(r.context(ctx), key, b.next, b.buf)
		if err == nil {
			return v, nil
		}
		if v, done := b.resume(err); done && retryable(err) {
			return v, nil
		}
		if b.begun && errors.Is(err, fault.Corrupt) {
			// The range of the rest is valid for the version that the body started with. If the
			// server finds it invalid, the value has been replaced, and the server checked the
			// range before the version.
			err = fault.Newf(fault.Conflict, "the value was replaced while it was read: %v", err)
		}
		if b.moved {
			r.progress()
		}
		if b.begun && b.lostPin(err) {
			if err = r.restart(ctx, err); err != nil {
				err = r.fail(fault.Unavailable, fmt.Errorf("the value was replaced each time a truncated body was to be resumed: %v", err))
			}
			b.restart()
		} else {
			err = r.retry(ctx, err)
		}
		if err != nil {
			return store.Value{}, err
		}
	}
}

// body is the state of one Get: the caller's request and the next request to send.
type body struct {
	o    store.GetOptions
	held int // length of the caller's buffer

	next  store.GetOptions // options of the next attempt
	buf   []byte           // buffer of the next attempt: the caller's bytes and those that arrived
	begun bool             // set if next resumes a truncated body
	whole bool             // set if the store cannot pin a version, so that bodies are not resumed
	off   int64            // start of the selected bytes
	want  int64            // number of selected bytes
	moved bool             // set if the last attempt made enough progress
}

// minProgress is the number of bytes of a truncated body that suffices to reset the limits. Their
// transfer takes about as long as one request.
const minProgress = 1 << 20

// resume moves the bytes that arrived before the truncation into b. If all bytes arrived, it
// returns the Value and true.
func (b *body) resume(err error) (store.Value, bool) {
	b.moved = false
	var cut *store.TruncatedError
	if !errors.As(err, &cut) {
		return store.Value{}, false
	}
	v := cut.Value
	if len(v.Bytes) < len(b.buf) {
		return store.Value{}, false // the error is inconsistent
	}
	if v.Version == "" || b.whole {
		b.buf = v.Bytes[:b.held] // start over, in a buffer that may have grown
		return store.Value{}, false
	}
	off, want := b.off, b.want
	if !b.begun {
		var bad error
		if off, want, bad = b.o.Range.Resolve(v.Size); bad != nil {
			return store.Value{}, false
		}
	}
	got := int64(len(v.Bytes) - b.held)
	if got > want || b.begun && v.Version != b.next.IfVersion {
		b.buf = v.Bytes[:b.held]
		b.restart()
		return store.Value{}, false
	}
	if got == want {
		return v, true
	}
	new := int64(len(v.Bytes) - len(b.buf))
	b.moved = new >= minProgress || new > 0 && new >= want/16
	if got == 0 {
		return store.Value{}, false
	}
	b.begun, b.off, b.want, b.buf = true, off, want, v.Bytes
	b.next = store.GetOptions{Range: store.Within(off+got, want-got), IfVersion: v.Version, Max: b.o.Max}
	return store.Value{}, false
}

// lostPin reports whether the Get must start over, because the rest of the body is no longer
// available at the version of its first bytes. If the caller requested a version, starting over is
// useless, and lostPin returns false for a conflict.
func (b *body) lostPin(err error) bool {
	if errors.Is(err, errors.ErrUnsupported) {
		b.whole = true
		return true
	}
	return b.o.IfVersion == "" && errors.Is(err, fault.Conflict)
}

func (b *body) restart() { b.begun, b.next, b.buf = false, b.o, b.buf[:b.held] }
