package serve

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// value sends the value of a key, or its header.
func value(c *call, key string) error {
	g := &get{st: c.src.values, key: key, head: c.Method == http.MethodHead, want: span{whole: true}}
	g.match, g.none = tagsOf(c.Header, "If-Match", false), tagsOf(c.Header, "If-None-Match", true)
	if g.match.bad || g.none.bad {
		return refuse(http.StatusBadRequest, "a condition is malformed")
	}
	if !g.head {
		g.want = spanOf(c.Header.Get("Range"))
	}
	reserve := min(c.src.typical.Load(), c.o.Limits.Bytes)
	hold, err := c.o.Memory.Acquire(c.ctx(), concurrency.Block, reserve)
	if err != nil {
		return err
	}
	held := true
	defer func() {
		if held {
			hold.Release()
		}
	}()
	v, err := g.first(c.ctx(), reserve)
	if err == nil && !g.want.whole && !ifRange(c.Header, v.Version) {
		g.want = span{whole: true}
		v, err = g.first(c.ctx(), reserve)
	}
	c.w.Header().Set("Accept-Ranges", "bytes")
	if err != nil {
		return g.explain(c, err)
	}
	off, n, done, err := g.header(c, v)
	switch {
	case done || err != nil:
		return err
	case int64(len(v.Bytes)) == n:
		hold.Shrink(n) // a slow client holds no more than it gets
		_, err = c.w.Write(v.Bytes)
		return err
	}
	held = false
	hold.Release()
	c.src.longer(n)
	return g.send(c, v, off, n)
}

// header sets the header of the response for a value, and returns the offset and the length of its
// body. done is true if the response is complete.
func (g *get) header(c *call, v store.Value) (off, n int64, done bool, err error) {
	h := c.w.Header()
	if status := g.check(v.Version); status != 0 {
		return 0, 0, true, g.refuse(c.w, status, v.Version)
	}
	off, n, ok := g.want.within(v.Size)
	if !ok {
		h.Set("Content-Range", fmt.Sprintf("bytes */%d", v.Size))
		return 0, 0, true, refuse(http.StatusRequestedRangeNotSatisfiable, "the value has %d bytes", v.Size)
	}
	if need := (store.Amount{Gets: 1 + n/piece, BytesRead: n}); !g.head {
		if err := c.o.Limits.admit(need); err != nil {
			return 0, 0, true, err
		}
	}
	describe(h, g.key, tagOf(v.Version))
	h.Set("Content-Length", strconv.FormatInt(n, 10))
	if !g.want.whole {
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", off, off+n-1, v.Size))
		c.w.partial = true
	}
	return off, n, g.head, nil
}
