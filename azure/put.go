package azure

import (
	"context"
	"io"
	"sync"

	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// put sends one Put Blob directly from the caller's bytes. It does not use gocloud's streaming
// writer, which panics when a write fails.
func (b *bucket) put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if int64(len(value)) > maxPut {
		return "", fault.Newf(fault.Limit, "value has %d bytes, more than the maximum of %d for one put", len(value), int64(maxPut))
	}
	body := &lent{b: value}
	defer body.giveBack()
	out, err := b.block(key).Upload(ctx, body, &blockblob.UploadOptions{
		HTTPHeaders: b.headers, Tier: b.tier, AccessConditions: whenPut(o), TransactionalValidation: b.sum(value),
	})
	if err != nil {
		return "", explain(err, o.IfAbsent)
	}
	v := version(out.ETag)
	if v == "" {
		return "", foreign("it has no ETag")
	}
	b.sizes.set(key, sized{v, int64(len(value))})
	return v, nil
}

// maxPut is Azure's limit for one Put Blob. Longer values need PutParts.
const maxPut = 5000 << 20

// delete sends one Delete Blob. For a blob with snapshots, which are not deleted, it returns
// fault.Refused.
func (b *bucket) delete(ctx context.Context, key string, o store.DeleteOptions) error {
	b.sizes.forget(key)
	_, err := b.blob(key).Delete(ctx, &azblob.DeleteOptions{AccessConditions: when(o.IfVersion, "")})
	if err != nil {
		return explain(err, false)
	}
	return nil
}

// lent is a request body that can be revoked when the caller owns the bytes again. If the context
// has ended or the response came early, net/http may still read a body after the request has
// returned.
type lent struct {
	mu  sync.Mutex
	b   []byte
	off int64
	end bool
}

// again rewinds the body.
func (l *lent) again() *lent {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.off = 0
	return l
}

func (l *lent) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end {
		return 0, io.ErrClosedPipe
	}
	if l.off >= int64(len(l.b)) {
		return 0, io.EOF
	}
	n := copy(p, l.b[l.off:])
	l.off += int64(n)
	return n, nil
}

func (l *lent) Seek(off int64, whence int) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch whence {
	case io.SeekCurrent:
		off += l.off
	case io.SeekEnd:
		off += int64(len(l.b))
	}
	if off < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	l.off = off
	return off, nil
}

// Close does nothing, because the client closes bodies that it may send again.
func (l *lent) Close() error { return nil }

func (l *lent) giveBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b, l.end = nil, true
}
