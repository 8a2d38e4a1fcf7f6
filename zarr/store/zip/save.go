package zip

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Save stores an archive under key. The function fill adds the values to the Writer, and Save then
// closes the Writer. The archive becomes visible when it is complete, subject to the condition in
// o. If fill fails, nothing is stored.
//
// If st supports uploads in parts, Save holds one part of 16 MiB and the directory in memory.
// Otherwise it holds the whole archive in memory and writes it with one Put.
func Save(ctx context.Context, st store.Store, key string, o store.PutOptions, fill func(*Writer) error) (store.Version, error) {
	v, err := save(ctx, st, key, o, fill)
	if err != nil {
		return "", &fault.KeyError{Op: "put", Store: store.Name(st), Key: key, Err: err}
	}
	return v, nil
}

const (
	// partSize is the minimum length of a part. S3 permits 10,000 parts, so archives may have 160
	// GB there.
	partSize = 16 << 20
	// abortTime limits the time of the clean-up after a failure.
	abortTime = 30 * time.Second
)

func save(ctx context.Context, st store.Store, key string, o store.PutOptions, fill func(*Writer) error) (_ store.Version, err error) {
	if err := store.CheckKey(key); err != nil {
		return "", err
	}
	p := &parted{ctx: ctx, st: st, key: key}
	defer func() {
		if err != nil && p.parts != nil {
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
			defer cancel()
			err = errors.Join(err, p.parts.Abort(end))
		}
	}()
	w := NewWriter(p)
	if err := fill(w); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	if p.parts == nil {
		return st.Put(ctx, key, p.buf.Bytes(), o)
	}
	if p.buf.Len() > 0 {
		if err := p.send(p.buf.Len()); err != nil {
			return "", err
		}
	}
	return p.parts.Commit(ctx, o)
}

// parted is an io.Writer that sends the written bytes as the parts of an upload.
type parted struct {
	ctx   context.Context // context of the call of Save
	st    store.Store
	key   string
	buf   bytes.Buffer
	parts store.Parts
	n     int
	size  int
	whole bool // set if st does not support parts
}

func (p *parted) Write(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	all := len(b)
	for !p.whole && p.buf.Len()+len(b) > max(p.size, partSize) {
		if p.parts == nil {
			if err := p.begin(); err != nil {
				return 0, err
			}
			continue
		}
		k := p.size - p.buf.Len()
		p.buf.Write(b[:k])
		b = b[k:]
		if err := p.send(p.size); err != nil {
			return 0, err
		}
	}
	p.buf.Write(b)
	return all, nil
}

func (p *parted) begin() error {
	parts, err := store.PutParts(p.ctx, p.st, p.key, store.PartsOptions{})
	if errors.Is(err, errors.ErrUnsupported) {
		p.whole = true
		return nil
	}
	if err != nil {
		return err
	}
	p.parts, p.size = parts, max(int(parts.Limits().Min), partSize)
	return nil
}

func (p *parted) send(n int) error {
	err := p.parts.Part(p.ctx, p.n, p.buf.Next(n))
	p.n++
	p.buf.Reset()
	return err
}
