package serve

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// get is a GET or HEAD of a value.
type get struct {
	st          store.Store
	key         string
	head        bool
	want        span
	match, none tags
}

// first reads the bytes that g wants, if they are at most the given number. Otherwise, and for HEAD,
// it returns a value without them, but with the size and the version.
func (g *get) first(ctx context.Context, most int64) (store.Value, error) {
	if rng, ok := g.want.inStore(most); ok && !g.head {
		v, err := g.conditional(ctx, store.GetOptions{Range: rng, Max: most})
		if long, ok := errors.AsType[*store.TooLong](err); ok && long.Version != "" && g.want.whole {
			return store.Value{Size: long.Announced, Version: long.Version}, nil
		}
		if err == nil || !errors.Is(err, fault.Limit) && !errors.Is(err, fault.Corrupt) {
			return v, err
		}
	}
	v, err := g.conditional(ctx, store.GetOptions{Range: store.Within(0, 1), Max: 1})
	if errors.Is(err, fault.Corrupt) { // an empty value
		v, err = g.conditional(ctx, store.GetOptions{Max: 1})
	}
	if v.Bytes != nil {
		v.Bytes = v.Bytes[:0]
	}
	return v, err
}

// conditional sends a Get with the condition of the client, if that is one version. A provider may
// refuse a text that is none of its versions. The value is then read without the condition, and check
// compares the versions.
func (g *get) conditional(ctx context.Context, o store.GetOptions) (store.Value, error) {
	o.IfVersion = g.match.one()
	if o.IfVersion == "" {
		o.IfNotVersion = g.none.one()
	}
	v, err := g.st.Get(ctx, g.key, o, nil)
	if err == nil || o.IfVersion == "" && o.IfNotVersion == "" || ctx.Err() != nil {
		return v, err
	}
	for _, kind := range []error{fault.NotFound, fault.Conflict, fault.Unchanged, fault.Limit, fault.Corrupt, fault.Throttled, fault.Unavailable} {
		if errors.Is(err, kind) {
			return v, err
		}
	}
	o.IfVersion, o.IfNotVersion = "", ""
	return g.st.Get(ctx, g.key, o, nil)
}

// check returns the status of a condition that does not hold for a version (RFC 9110, section
// 13.2.2), or 0.
func (g *get) check(v store.Version) int {
	switch tag := tagOf(v); {
	case g.match.sent && !g.match.match(tag):
		return http.StatusPreconditionFailed
	case g.none.sent && g.none.match(tag):
		return http.StatusNotModified
	}
	return 0
}

// refuse sends the status of a condition that does not hold.
func (g *get) refuse(w *response, status int, v store.Version) error {
	if status != http.StatusNotModified {
		return refuse(status, "the value has another version")
	}
	describe(w.Header(), g.key, tagOf(v))
	w.Header().Del("Content-Type")
	w.WriteHeader(status)
	return nil
}

// explain returns the error of a read, or sends the response that it means.
func (g *get) explain(c *call, err error) error {
	switch {
	case errors.Is(err, fault.Unchanged):
		return g.refuse(c.w, http.StatusNotModified, g.none.one())
	case errors.Is(err, fault.Conflict) && !g.match.sent:
		return &refusal{status: http.StatusServiceUnavailable, text: "the source has changed", after: time.Second}
	case errors.Is(err, fault.NotFound) && g.match.sent && g.key != consolidatedKey:
		return refuse(http.StatusPreconditionFailed, "there is no value")
	case errors.Is(err, fault.NotFound) || misplaced(err):
		return absent(c, g.key, err)
	}
	return err
}

// buffer returns the number of bytes in which n bytes of a value are read: at most a piece if the
// version can be pinned, else all.
func (g *get) buffer(v store.Value, n int64) int64 {
	if v.Version == "" {
		return n
	}
	return min(n, piece)
}

// send sends n bytes of a value from an offset, in pieces. All are of the version of v.
func (g *get) send(c *call, v store.Value, off, n int64) error {
	hold, err := c.o.Memory.Acquire(c.ctx(), concurrency.Block, g.buffer(v, n))
	if err != nil {
		return err
	}
	defer hold.Release()
	buf := hold.Buffer(int(g.buffer(v, n)))
	for end := off + n; off < end; {
		m := min(end-off, g.buffer(v, n))
		got, err := g.st.Get(c.ctx(), g.key, store.GetOptions{Range: store.Within(off, m), IfVersion: v.Version, Max: m}, buf[:0])
		if err != nil {
			return err
		}
		if got.Size != v.Size {
			return fault.Newf(fault.Conflict, "the value changed while it was sent")
		}
		if _, err := c.w.Write(got.Bytes); err != nil {
			return err
		}
		off += m
	}
	return nil
}

// ifRange reports whether a range may be sent of this version: the header If-Range is not sent, or has
// its ETag. Dates never match, because values have no dates.
func ifRange(h http.Header, v store.Version) bool {
	tag := strings.TrimSpace(h.Get("If-Range"))
	return tag == "" || tag == tagOf(v)
}
