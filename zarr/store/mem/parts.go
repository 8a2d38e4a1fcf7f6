package mem

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// PutParts implements [store.PartPutter]. A part may have any size. An unfinished upload is kept as
// long as the Store exists, and can be resumed only in the same Store.
func (s *Store) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	if err := check(ctx, key); err != nil {
		return nil, failed("put", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.Resume != "" {
		if u := s.uploads[o.Resume]; u != nil && u.key == key {
			return u, nil
		}
		// The upload has ended or never existed, so every method returns an error.
		return &parts{store: s, key: key, token: o.Resume}, nil
	}
	s.begun++
	u := &parts{store: s, key: key, token: strconv.FormatUint(s.begun, 10), parts: map[int][]byte{}}
	if s.uploads == nil {
		s.uploads = map[string]*parts{}
	}
	s.uploads[u.token] = u
	return u, nil
}

type parts struct {
	store *Store
	key   string
	token string

	mu    sync.Mutex
	parts map[int][]byte // nil after Commit or Abort
}

func (p *parts) Limits() store.PartLimits {
	return store.PartLimits{Min: 1, Max: math.MaxInt64, Parts: math.MaxInt}
}

func (p *parts) Token() string { return p.token }

// over returns the error for an upload that has ended.
func (p *parts) over() error {
	return failed("put", p.key, fault.Newf(fault.Conflict, "the upload was committed or aborted"))
}

func (p *parts) Part(ctx context.Context, n int, b []byte) error {
	if err := ctx.Err(); err != nil {
		return failed("put", p.key, err)
	}
	if n < 0 {
		return failed("put", p.key, fault.Newf(fault.Limit, "part number must not be negative, is %d", n))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.parts == nil {
		return p.over()
	}
	p.parts[n] = slices.Clone(b)
	return nil
}

func (p *parts) Sent(ctx context.Context) ([]store.PartInfo, error) {
	if err := ctx.Err(); err != nil {
		return nil, failed("put", p.key, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.parts == nil {
		return nil, p.over()
	}
	var sent []store.PartInfo
	for _, n := range slices.Sorted(maps.Keys(p.parts)) {
		b := p.parts[n]
		sent = append(sent, store.PartInfo{N: n, Size: int64(len(b)), Sum: fmt.Sprintf("crc32:%08x", crc32.ChecksumIEEE(b))})
	}
	return sent, nil
}

func (p *parts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	if err := ctx.Err(); err != nil {
		return "", failed("put", p.key, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.parts == nil {
		return "", p.over()
	}
	all := make([][]byte, len(p.parts))
	for n, b := range p.parts {
		if n >= len(all) {
			return "", failed("put", p.key, fault.Newf(fault.Selection, "a part before part %d of %d is missing", n, len(all)))
		}
		all[n] = b
	}
	version, err := p.store.set(p.key, bytes.Join(all, nil), o)
	if err != nil {
		return "", failed("put", p.key, err)
	}
	p.end()
	return version, nil
}

func (p *parts) Abort(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	return nil
}

// end drops the parts of the upload. The caller must hold p.mu.
func (p *parts) end() {
	p.parts = nil
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	delete(p.store.uploads, p.token)
}
