package storetest

import (
	"bytes"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func verbParts(e *env) {
	p, err := store.PutParts(e.ctx, e.s, "parts/x", store.PartsOptions{})
	if errors.Is(err, errors.ErrUnsupported) {
		return // permitted, because callers can use Put instead
	}
	if err != nil {
		e.bad("PutParts starts an upload", "PutParts: %w", err)
		return
	}
	size := max(int(p.Limits().Min), 10)
	one, two, tail := pattern(size, 1), pattern(size+3, 2), pattern(7, 3)
	const clause = "Commit concatenates the parts in order, and a part sent again replaces the earlier one"
	e.each(4, 4, func(i int) {
		var err error
		switch i {
		case 0:
			err = p.Part(e.ctx, 2, bytes.Clone(tail))
		case 1:
			err = p.Part(e.ctx, 0, bytes.Clone(one))
		case 2:
			if err = p.Part(e.ctx, 1, pattern(size, 9)); err == nil {
				b := bytes.Clone(two)
				err = p.Part(e.ctx, 1, b)
				clear(b) // the store must not keep the caller's bytes
			}
		}
		if err != nil {
			e.bad(clause, "Part: %w", err)
		}
	})
	e.sent(p, int64(len(one)), int64(len(two)), int64(len(tail)))
	e.refused("nothing is visible before Commit", fault.NotFound, "parts/x", store.GetOptions{})
	e.lists("nothing is visible before Commit", "", store.Deep, nil, nil)
	version, err := p.Commit(e.ctx, store.PutOptions{})
	if err != nil {
		e.bad(clause, "Commit: %w", err)
		return
	}
	want := bytes.Join([][]byte{one, two, tail}, nil)
	if v, ok := e.holds(clause, "parts/x", want); ok && v.Version != version {
		e.bad("Commit returns the Version that Get returns", "Get returned %q, Commit %q", v.Version, version)
	}
	if err := p.Abort(e.ctx); err != nil {
		e.bad("Abort does nothing after a successful Commit", "Abort: %w", err)
	}
	e.holds("Abort does nothing after a successful Commit", "parts/x", want)
	_, err = p.Sent(e.ctx)
	e.expect(partsOver, err, fault.Conflict, "Sent after Commit")
	_, err = p.Commit(e.ctx, store.PutOptions{})
	e.expect(partsOver, err, fault.Conflict, "Commit after Commit")
	e.commitFails("IfAbsent", store.PutOptions{IfAbsent: true}, fault.Exists, IfAbsentPut, want)
	if version == "" {
		version = "storetest"
	}
	e.commitFails("IfVersion", store.PutOptions{IfVersion: version + "0"}, fault.Conflict, IfVersionPut, want)
	e.commitFails("both", store.PutOptions{IfAbsent: true, IfVersion: version}, fault.Selection, "", want)
	p, err = store.PutParts(e.ctx, e.s, "parts/y", store.PartsOptions{})
	if err == nil {
		err = errors.Join(p.Part(e.ctx, 0, one), p.Abort(e.ctx))
	}
	if err != nil {
		e.bad("Abort removes the parts", "Part, Abort: %w", err)
	}
	e.refused("Abort removes the parts", fault.NotFound, "parts/y", store.GetOptions{})
	if err == nil {
		_, err = p.Commit(e.ctx, store.PutOptions{})
		e.expect(partsOver, err, fault.Conflict, "Commit after Abort")
	}
}

const partsOver = "after a Commit or an Abort, Sent and Commit are fault.Conflict"

// sent compares the parts that have arrived with the lengths of the sent parts.
func (e *env) sent(p store.Parts, want ...int64) {
	const clause = "Sent lists the parts that have arrived, in order"
	got, err := p.Sent(e.ctx)
	if err != nil {
		e.bad(clause, "Sent: %w", err)
		return
	}
	ok := len(got) == len(want)
	for i, part := range got {
		ok = ok && part.N == i && part.Size == want[i]
	}
	if !ok {
		e.bad(clause, "Sent returned %+v, want lengths %v", got, want)
	}
}

// verbPartsResume continues an upload by its token, as another process would.
func verbPartsResume(e *env) {
	const clause = "PutParts continues an upload by its token"
	p, err := store.PutParts(e.ctx, e.s, "resumed", store.PartsOptions{})
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	if err != nil {
		e.bad("PutParts starts an upload", "PutParts: %w", err)
		return
	}
	if p.Token() == "" {
		_, err := store.PutParts(e.ctx, e.s, "resumed", store.PartsOptions{Resume: "storetest"})
		e.expect("a store whose tokens are empty cannot continue an upload", err, errors.ErrUnsupported, "PutParts(resumed)")
		if err := p.Abort(e.ctx); err != nil {
			e.bad("Abort removes the parts", "Abort: %w", err)
		}
		return
	}
	size := max(int(p.Limits().Min), 10)
	one, two := pattern(size, 1), pattern(7, 2)
	if err := p.Part(e.ctx, 0, one); err != nil {
		e.bad(clause, "Part: %w", err)
		return
	}
	resume := func(token string) (store.Parts, error) {
		q, err := store.PutParts(e.ctx, e.s, "resumed", store.PartsOptions{Resume: token})
		if err == nil && q.Token() != token {
			e.bad(clause, "the token is %q, and then %q", token, q.Token())
		}
		return q, err
	}
	q, err := resume(p.Token())
	if err != nil {
		e.bad(clause, "PutParts: %w", err)
		return
	}
	e.sent(q, int64(size))
	if err := q.Part(e.ctx, 1, two); err != nil {
		e.bad(clause, "Part: %w", err)
		return
	}
	// A third process, which has neither sent nor listed parts, commits.
	if q, err = resume(p.Token()); err == nil {
		_, err = q.Commit(e.ctx, store.PutOptions{})
	}
	if err != nil {
		e.bad(clause, "Commit: %w", err)
		return
	}
	want := append(bytes.Clone(one), two...)
	e.holds(clause, "resumed", want)
	if q, err = resume(p.Token()); err == nil {
		_, err = q.Sent(e.ctx)
		e.expect(partsOver, err, fault.Conflict, "Sent after another process's Commit")
		_, err = q.Commit(e.ctx, store.PutOptions{})
		e.expect(partsOver, err, fault.Conflict, "Commit after another process's Commit")
		err = q.Abort(e.ctx)
	}
	if err != nil {
		e.bad("Abort may be called at any time", "Abort after another process's Commit: %w", err)
	}
	e.holds(partsOver, "resumed", want)
}

func (e *env) commitFails(what string, o store.PutOptions, kind error, f Feature, want []byte) {
	if f != "" && !e.has(f) {
		kind = errors.ErrUnsupported
	}
	clause := "Commit goes by the condition"
	p, err := store.PutParts(e.ctx, e.s, "parts/x", store.PartsOptions{})
	if err == nil {
		err = p.Part(e.ctx, 0, []byte("other"))
	}
	if err != nil {
		e.bad("PutParts starts an upload", "PutParts, Part: %w", err)
		return
	}
	_, err = p.Commit(e.ctx, o)
	e.expect(clause, err, kind, "Commit("+what+")")
	if err := p.Abort(e.ctx); err != nil {
		e.bad("Abort may be called after a failed Commit", "Abort: %w", err)
	}
	e.holds("a refused Commit writes nothing", "parts/x", want)
}
