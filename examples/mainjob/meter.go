package mainjob

import (
	"context"
	"sync"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
)

// meter is a store that counts requests, and the maximum number of requests in flight. It can also
// delay each request. It does not have the optional methods of a store, which the job does not
// need.
type meter struct {
	store.Store
	delay time.Duration

	mu  sync.Mutex
	now int
	use usage
}

type usage struct {
	requests, peak int
	bytes          int64
}

// take returns the counts since the previous call.
func (m *meter) take() usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.use
	m.use = usage{}
	return u
}

func (m *meter) begin(ctx context.Context) error {
	m.mu.Lock()
	m.now++
	m.use.requests++
	m.use.peak = max(m.use.peak, m.now)
	m.mu.Unlock()
	if m.delay == 0 {
		return nil
	}
	t := time.NewTimer(m.delay)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m *meter) end(bytes int) {
	m.mu.Lock()
	m.now--
	m.use.bytes += int64(bytes)
	m.mu.Unlock()
}

func (m *meter) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
	defer func() { m.end(len(v.Bytes)) }()
	if err := m.begin(ctx); err != nil {
		return store.Value{}, err
	}
	return m.Store.Get(ctx, key, o, buf)
}

func (m *meter) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	defer m.end(len(b))
	if err := m.begin(ctx); err != nil {
		return "", err
	}
	return m.Store.Put(ctx, key, b, o)
}

func (m *meter) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	defer m.end(0)
	if err := m.begin(ctx); err != nil {
		return err
	}
	return m.Store.Delete(ctx, key, o)
}

func (m *meter) Unwrap() store.Store { return m.Store }
func (m *meter) String() string      { return store.Name(m.Store) }
