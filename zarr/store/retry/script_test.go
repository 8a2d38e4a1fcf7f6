package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// step is the outcome of one request.
type step struct {
	err   error  // error that the caller gets; nil lets the request through
	apply bool   // the request is performed, but its response is lost
	cut   int    // for a get, the number of bytes that arrive before the body breaks; err is then set
	plain bool   // the truncated response has no version
	then  func() // called after the request
}

// script is a store over mem that applies the outcome of the next step to each request, and records
// the requests.
type script struct {
	*mem.Store
	mu    sync.Mutex
	steps []step
	calls []string

	noSums bool // parts have no checksums
}

func (s *script) Copy(ctx context.Context, from, to string, o store.CopyOptions) (v store.Version, err error) {
	err = s.next("copy %s %s%s", from, to, conditions(o.IfAbsent, o.IfVersion)).around(func() error {
		v, err = s.Store.Copy(ctx, from, to, o)
		return err
	})
	return v, err
}

func scripted(steps ...step) *script { return &script{Store: mem.New(), steps: steps} }

func (s *script) next(format string, args ...any) step {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, fmt.Sprintf(format, args...))
	if len(s.steps) == 0 {
		return step{}
	}
	st := s.steps[0]
	s.steps = s.steps[1:]
	return st
}

// seen returns the requests since its last call, one per line.
func (s *script) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := strings.Join(s.calls, "\n")
	s.calls = nil
	return out
}

func (st step) around(do func() error) error {
	if st.then != nil {
		defer st.then()
	}
	if st.err == nil {
		return do()
	}
	if st.apply {
		_ = do()
	}
	return st.err
}

func conditions(absent bool, v store.Version) string {
	switch {
	case absent:
		return " if absent"
	case v != "":
		return " if " + string(v)
	}
	return ""
}

func (s *script) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
	not := ""
	if o.IfNotVersion != "" {
		not = " if not " + string(o.IfNotVersion)
	}
	st := s.next("get %s %v%s%s", key, o.Range, conditions(false, o.IfVersion), not)
	if st.cut == 0 {
		err = st.around(func() error {
			v, err = s.Store.Get(ctx, key, o, buf)
			return err
		})
		return v, err
	}
	v, err = s.Store.Get(ctx, key, o, buf)
	if err != nil {
		return v, err
	}
	want := len(v.Bytes) - len(buf)
	v.Bytes = v.Bytes[:len(buf)+st.cut]
	if st.plain {
		v.Version = ""
	}
	if st.then != nil {
		st.then()
	}
	return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: fault.Unavailable,
		Err: &store.TruncatedError{Value: v, Want: int64(want), Err: io.ErrUnexpectedEOF}}
}

func (s *script) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (v store.Version, err error) {
	err = s.next("put %s%s", key, conditions(o.IfAbsent, o.IfVersion)).around(func() error {
		v, err = s.Store.Put(ctx, key, b, o)
		return err
	})
	return v, err
}

func (s *script) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	return s.next("delete %s%s", key, conditions(false, o.IfVersion)).around(func() error { return s.Store.Delete(ctx, key, o) })
}

func (s *script) DeleteAll(ctx context.Context, keys []string) error {
	return s.next("delete %s", strings.Join(keys, ",")).around(func() error { return s.Store.DeleteAll(ctx, keys) })
}

func (s *script) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) (page []store.Entry, next string, err error) {
	err = s.next("list %q from %q", prefix, token).around(func() error {
		page, next, err = s.Store.ListPage(ctx, prefix, o, token)
		return err
	})
	return page, next, err
}

func (s *script) PutParts(ctx context.Context, key string, o store.PartsOptions) (p store.Parts, err error) {
	err = s.next("parts %s", key).around(func() error {
		p, err = s.Store.PutParts(ctx, key, o)
		return err
	})
	return scriptParts{p, s}, err
}

type scriptParts struct {
	store.Parts
	s *script
}

func (p scriptParts) Part(ctx context.Context, n int, b []byte) error {
	return p.s.next("part %d", n).around(func() error { return p.Parts.Part(ctx, n, b) })
}

func (p scriptParts) Sent(ctx context.Context) (sent []store.PartInfo, err error) {
	err = p.s.next("sent").around(func() error {
		sent, err = p.Parts.Sent(ctx)
		return err
	})
	for i := range sent {
		if p.s.noSums {
			sent[i].Sum = ""
		}
	}
	return sent, err
}

func (p scriptParts) Commit(ctx context.Context, o store.PutOptions) (v store.Version, err error) {
	err = p.s.next("commit%s", conditions(o.IfAbsent, o.IfVersion)).around(func() error {
		v, err = p.Parts.Commit(ctx, o)
		return err
	})
	return v, err
}

func (p scriptParts) Abort(ctx context.Context) error {
	return p.s.next("abort").around(func() error { return p.Parts.Abort(ctx) })
}

// unpaged is a script without pages whose listing breaks after some entries.
type unpaged struct {
	store.Store
	breaks []int
	calls  int
}

func (u *unpaged) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		after := -1
		if u.calls < len(u.breaks) {
			after = u.breaks[u.calls]
		}
		u.calls++
		n := 0
		for e, err := range u.Store.List(ctx, prefix, o) {
			if n == after {
				yield(store.Entry{}, down)
				return
			}
			if n++; !yield(e, err) {
				return
			}
		}
	}
}

var (
	down = error(&fault.KeyError{Op: "x", Kind: fault.Unavailable, Err: errors.New("503")})
	slow = error(&fault.KeyError{Op: "x", Kind: fault.Throttled, Err: errors.New("429")})
)
