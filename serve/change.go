package serve

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// change puts or deletes the value of a key, on the condition of the request.
func change(c *call, key string) error {
	w, r, src := c.w, c.Request, c.src
	if !c.o.Writable || store.IsReadOnly(src.values) {
		return notAllowed(http.MethodGet, http.MethodHead, http.MethodOptions)
	}
	if store.CheckKey(key) != nil {
		return refuse(http.StatusBadRequest, "the key is invalid")
	}
	match, none := tagsOf(r.Header, "If-Match", false), tagsOf(r.Header, "If-None-Match", true)
	absent := none.any && r.Method == http.MethodPut
	switch {
	case match.bad || none.bad || match.sent && none.sent || none.sent && !absent || len(match.list) > 1:
		return refuse(http.StatusBadRequest, "the condition must be If-Match with one ETag, or for a PUT If-None-Match: *")
	case !match.sent && !none.sent || match.any:
		return refuse(http.StatusPreconditionRequired, "a change needs a condition: If-Match with one ETag, or for a PUT If-None-Match: *")
	}
	version := match.one()
	if match.sent && version == "" { // it is the ETag of no value
		return refuse(http.StatusPreconditionFailed, "the value has another version")
	}
	if r.Method == http.MethodDelete {
		err := src.values.Delete(r.Context(), key, store.DeleteOptions{IfVersion: version})
		if err = confirm(r.Context(), src.values, key, version, err); err == nil {
			w.WriteHeader(http.StatusNoContent)
		}
		return err
	}
	hold, b, err := body(c)
	if err != nil {
		return err
	}
	defer hold.Release()
	v, err := src.values.Put(r.Context(), key, b, store.PutOptions{IfAbsent: absent, IfVersion: version})
	if err = confirm(r.Context(), src.values, key, version, err); err != nil {
		return err
	}
	if tag := tagOf(v); tag != "" {
		w.Header().Set("ETag", tag)
	}
	w.WriteHeader(map[bool]int{true: http.StatusCreated, false: http.StatusNoContent}[absent])
	return nil
}

// body reads the body of a PUT. The caller releases the memory.
func body(c *call) (*concurrency.Hold, []byte, error) {
	w, r := c.w, c.Request
	n := r.ContentLength
	switch {
	case n < 0:
		return nil, nil, refuse(http.StatusLengthRequired, "the length of the body is not announced")
	case n > c.o.Limits.Body:
		return nil, nil, refuse(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", c.o.Limits.Body)
	case r.Header.Get("Content-Range") != "" || r.Header.Get("Content-Encoding") != "":
		return nil, nil, refuse(http.StatusBadRequest, "the body must be the whole value, without an encoding")
	}
	hold, err := c.o.Memory.Acquire(r.Context(), concurrency.Block, n)
	if err != nil {
		return nil, nil, err
	}
	b := hold.Buffer(int(n))[:n]
	stop := context.AfterFunc(c.ctx(), func() { w.setReadDeadline(past()) })
	_, err = io.ReadFull(r.Body, b)
	if ended := !stop(); err != nil || ended {
		hold.Release()
		w.breakOff()
		return nil, nil, refuse(http.StatusBadRequest, "the body ended early")
	}
	return hold, b, nil
}

// confirm returns the error of a change on condition of a version. A provider may refuse a text that
// is none of its versions, in its own way. If the value has another version, the error is Conflict.
func confirm(ctx context.Context, st store.Store, key string, version store.Version, err error) error {
	if err == nil || version == "" || ctx.Err() != nil {
		return err
	}
	for _, kind := range []error{fault.Conflict, fault.Throttled, fault.Unavailable, fault.Full, fault.ReadOnly} {
		if errors.Is(err, kind) {
			return err
		}
	}
	v, look := st.Get(ctx, key, store.GetOptions{Range: store.Within(0, 1), Max: 1}, nil)
	if errors.Is(look, fault.NotFound) || look == nil && v.Version != version {
		return fault.Newf(fault.Conflict, "the value has another version")
	}
	return err
}
