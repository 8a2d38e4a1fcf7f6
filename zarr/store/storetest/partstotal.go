package storetest

import (
	"bytes"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// partsTotal commits two uploads: one to which several processes have sent parts, and one with a
// part that was sent twice.
func partsTotal(e *env) {
	p, whole := e.partsOf("total", 0, 2)
	if p == nil {
		return
	}
	q := e.resume("total", p)
	if q == nil {
		return
	}
	for _, n := range []int{3, 1} {
		if err := q.Part(e.ctx, n, e.part(q, n)); err != nil {
			e.bad("Part sends a part", "Part %d: %w", n, err)
			return
		}
	}
	e.sent(q, int64(len(e.part(p, 0))), int64(len(e.part(p, 1))), int64(len(e.part(p, 2))), 7)
	if _, err := q.Commit(e.ctx, store.PutOptions{}); err != nil {
		e.bad(neverShort, "Commit of all parts: %w", err)
	}
	e.holds(neverShort, "total", whole)

	p, _ = e.partsOf("gap", 0, 2)
	if p == nil {
		return
	}
	_, err := p.Commit(e.ctx, store.PutOptions{})
	e.expect("a gap between parts is fault.Selection", err, fault.Selection, "Commit of parts 0 and 2")
	e.refused(neverShort, fault.NotFound, "gap", store.GetOptions{})
	if err := p.Abort(e.ctx); err != nil {
		e.bad("Abort removes the parts", "Abort: %w", err)
	}

	p, whole = e.partsOf("again", 0, 1, 2, 3)
	if p == nil {
		return
	}
	if q = e.resume("again", p); q == nil {
		return
	}
	if err := q.Part(e.ctx, 3, []byte("tai")); err != nil {
		e.bad("Part sends a part", "Part 3 again: %w", err)
		return
	}
	_, err = p.Commit(e.ctx, store.PutOptions{})
	v, getErr := e.s.Get(e.ctx, "again", store.GetOptions{}, nil)
	if err == nil && getErr == nil && bytes.Equal(v.Bytes, append(bytes.Clone(whole[:len(whole)-7]), "tai"...)) {
		return // the part that was sent last is used
	}
	e.wholeOrNone("again", "Commit of a part that another process sent again", err, whole)
	_ = p.Abort(e.ctx)
}

// partsOf starts an upload and sends the parts with the given numbers. The result whole is the
// concatenation of all parts. p is nil if the store does not support parts, or if another process
// cannot resume its uploads.
func (e *env) partsOf(key string, numbers ...int) (p store.Parts, whole []byte) {
	p, err := store.PutParts(e.ctx, e.s, key, store.PartsOptions{})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	if err != nil {
		e.bad("PutParts starts an upload", "PutParts: %w", err)
		return nil, nil
	}
	if p.Token() == "" {
		_ = p.Abort(e.ctx)
		return nil, nil
	}
	for n := range fourParts {
		whole = append(whole, e.part(p, n)...)
	}
	for _, n := range numbers {
		if err := p.Part(e.ctx, n, e.part(p, n)); err != nil {
			e.bad("Part sends a part", "Part %d: %w", n, err)
			return nil, nil
		}
	}
	return p, whole
}

func (e *env) part(p store.Parts, n int) []byte {
	size := max(int(p.Limits().Min), 10)
	if n == fourParts-1 {
		size = 7
	}
	return pattern(size, n+1)
}

// resume continues an upload as another process would.
func (e *env) resume(key string, p store.Parts) store.Parts {
	q, err := store.PutParts(e.ctx, e.s, key, store.PartsOptions{Resume: p.Token()})
	if err != nil {
		e.bad("PutParts continues an upload by its token", "PutParts: %w", err)
		return nil
	}
	return q
}

// wholeOrNone checks that the value of key is whole, or, if err is a permitted error of Commit,
// that key is absent.
func (e *env) wholeOrNone(key, call string, err error, whole []byte) {
	if err != nil && !errors.Is(err, fault.Conflict) && !errors.Is(err, fault.Corrupt) && !errors.Is(err, fault.Selection) {
		e.bad(neverShort, "%s: want conflict or corrupt data, got %w", call, err)
	}
	v, getErr := e.s.Get(e.ctx, key, store.GetOptions{}, nil)
	switch {
	case errors.Is(getErr, fault.NotFound) && err == nil:
		e.bad(neverShort, "%s returned no error, but the key has no value", call)
	case errors.Is(getErr, fault.NotFound):
	case getErr != nil:
		e.bad(neverShort, "Get after %s: %w", call, getErr)
	case !bytes.Equal(v.Bytes, whole):
		e.bad(neverShort, "after %s (%v) the value has %d bytes and is not the whole value of %d bytes", call, err, len(v.Bytes), len(whole))
	}
}

const neverShort = "Commit stores all parts or none, and never a truncated value"

// fourParts is the number of parts of the values in these cases. The last part is shorter than the
// others.
const fourParts = 4

// partsCommitted continues uploads that another process has committed.
func partsCommitted(e *env) {
	p, whole := e.partsOf("over", 0, 1, 2, 3)
	if p == nil {
		return
	}
	q := e.resume("over", p)
	if q == nil {
		return
	}
	if _, err := q.Commit(e.ctx, store.PutOptions{}); err != nil {
		e.bad("PutParts continues an upload by its token", "Commit: %w", err)
		return
	}
	_, err := p.Sent(e.ctx)
	e.expect(partsOver, err, fault.Conflict, "Sent after another process's Commit")
	_, err = p.Commit(e.ctx, store.PutOptions{})
	e.wholeOrNone("over", "Commit after another process's Commit", err, whole)
	if q = e.resume("over", p); q == nil {
		return
	}
	e.late(q, 0)
	_, err = q.Commit(e.ctx, store.PutOptions{})
	e.wholeOrNone("over", "Commit of a late part by a third process", err, whole)
	_ = p.Abort(e.ctx)
	_ = q.Abort(e.ctx)
	e.holds(partsOver, "over", whole)
}

// late sends a part of an upload that may have ended. The call of Part must succeed. If the store
// detects that the upload has ended, the call may return fault.Conflict instead.
func (e *env) late(p store.Parts, n int) {
	if err := p.Part(e.ctx, n, e.part(p, n)); err != nil && !errors.Is(err, fault.Conflict) {
		e.bad(partsOver, "Part %d of an upload that has ended: %w", n, err)
	}
}

// partsAborted continues an upload that another process has aborted.
func partsAborted(e *env) {
	p, whole := e.partsOf("aborted", 0, 1, 2, 3)
	if p == nil {
		return
	}
	q := e.resume("aborted", p)
	if q == nil {
		return
	}
	if err := q.Abort(e.ctx); err != nil {
		e.bad("Abort removes the parts", "Abort: %w", err)
		return
	}
	_, err := p.Commit(e.ctx, store.PutOptions{})
	e.wholeOrNone("aborted", "Commit of what another process aborted", err, whole)
	if q = e.resume("aborted", p); q != nil {
		_, err = q.Commit(e.ctx, store.PutOptions{})
		e.wholeOrNone("aborted", "Commit by a third process", err, whole)
	}
	_ = p.Abort(e.ctx)
}

// partsLate sends a part after another process has aborted or committed the upload.
func partsLate(e *env) {
	for _, key := range []string{"late/aborted", "late/committed"} {
		numbers := []int{1, 2, 3}
		if key == "late/committed" {
			numbers = []int{0, 1, 2, 3}
		}
		p, whole := e.partsOf(key, numbers...)
		if p == nil {
			return
		}
		q := e.resume(key, p)
		if q == nil {
			return
		}
		var err error
		if key == "late/committed" {
			_, err = q.Commit(e.ctx, store.PutOptions{})
		} else {
			err = q.Abort(e.ctx)
		}
		if err != nil {
			e.bad("Abort and Commit end an upload", "%s: %w", key, err)
			return
		}
		e.late(p, 0)
		if q = e.resume(key, p); q != nil {
			_, err = q.Commit(e.ctx, store.PutOptions{})
			e.wholeOrNone(key, "Commit of a late part by a third process", err, whole)
		}
		_, err = p.Commit(e.ctx, store.PutOptions{})
		e.wholeOrNone(key, "Commit of a late part", err, whole)
		_ = p.Abort(e.ctx)
	}
}

// partsRemoved removes parts before Commit with [RemovePart].
func partsRemoved(e *env) {
	if e.cfg.removePart == nil {
		return
	}
	for _, listed := range []bool{false, true} {
		for _, gone := range [][]int{{2, 3}, {0}, {1}, {0, 1, 2, 3}} {
			p, whole := e.partsOf("removed", 0, 1, 2, 3)
			if p == nil {
				return
			}
			if listed {
				if p = e.resume("removed", p); p == nil {
					return
				}
				e.sent(p, 10, 10, 10, 7)
			}
			for _, n := range gone {
				if err := e.cfg.removePart(e.s, "removed", n); err != nil {
					e.bad("RemovePart removes a part", "part %d: %w", n, err)
					return
				}
			}
			_, err := p.Commit(e.ctx, store.PutOptions{})
			e.expect(neverShort, err, fault.Conflict, "Commit of parts that were removed")
			e.refused(neverShort, fault.NotFound, "removed", store.GetOptions{})
			_, err = p.Sent(e.ctx)
			if len(gone) == fourParts {
				e.expect(partsOver, err, fault.Conflict, "Sent of parts that were removed")
				_ = p.Abort(e.ctx)
				continue
			}
			if err != nil {
				e.bad("Sent lists the parts that have arrived, in order", "Sent: %w", err)
			}
			for _, n := range gone {
				if err := p.Part(e.ctx, n, e.part(p, n)); err != nil {
					e.bad("a removed part can be sent again", "Part %d: %w", n, err)
				}
			}
			if _, err := p.Commit(e.ctx, store.PutOptions{}); err != nil {
				e.bad("a removed part can be sent again", "Commit: %w", err)
			}
			e.holds(neverShort, "removed", whole)
			if err := e.s.Delete(e.ctx, "removed", store.DeleteOptions{}); err != nil {
				e.bad("Delete removes a key", "Delete: %w", err)
			}
		}
	}
}
