package azure

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Azure's limits for a block blob, since version 2019-12-12.
const (
	maxBlocks = 50_000
	maxBlock  = 4000 << 20
)

// parts is a value under way, as uncommitted blocks. Blocks belong to the key and not to an upload, so their ids begin
// with a random number: uploads to one key at the same time do not mix.
type parts struct {
	b   *bucket
	key string
	id  [8]byte

	mu   sync.Mutex
	size map[int]int64 // of the parts sent
	over bool          // committed or aborted
}

// putParts makes no request.
func (b *bucket) putParts(_ context.Context, key string) (store.Parts, error) {
	p := &parts{b: b, key: key, size: map[int]int64{}}
	_, _ = rand.Read(p.id[:]) // never fails
	return p, nil
}

// MinPart is 1: Azure's blocks have no least size.
func (p *parts) MinPart() int { return 1 }

// block is the id of part n: all of a blob's ids must have the same length.
func (p *parts) block(n int) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(p.id[:8:8], uint32(n)))
}

// Part is one Put Block; an empty part, which Azure refuses, is left out of the value.
func (p *parts) Part(ctx context.Context, n int, data []byte) error {
	if n < 0 || n >= maxBlocks {
		return fault.Newf(fault.Limit, "part %d is not among the %d that Azure takes", n, maxBlocks)
	}
	if int64(len(data)) > maxBlock {
		return fault.Newf(fault.Limit, "%d bytes are more than the %d that a part can hold", len(data), int64(maxBlock))
	}
	if len(data) > 0 {
		body := &lent{b: data}
		defer body.giveBack()
		o := &blockblob.StageBlockOptions{TransactionalValidation: p.b.sum(data)}
		err := p.b.ask(ctx, func(ctx context.Context) error {
			if _, err := p.b.block(p.key).StageBlock(ctx, p.block(n), body.again(), o); err != nil {
				return explain(err, false)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size[n] = int64(len(data))
	return nil
}

// Commit is one Put Block List.
func (p *parts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	blocks, size, err := p.list()
	if err != nil {
		return "", err
	}
	var out blockblob.CommitBlockListResponse
	err = p.b.ask(provider.SlowAnswer(ctx), func(ctx context.Context) error {
		out, err = p.b.block(p.key).CommitBlockList(ctx, blocks, &blockblob.CommitBlockListOptions{
			HTTPHeaders: p.b.headers, Tier: p.b.tier, AccessConditions: whenPut(o),
		})
		if err != nil {
			return explain(err, o.IfAbsent)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	v := version(out.ETag)
	if v == "" {
		return "", foreign("it has no ETag")
	}
	p.b.sizes.set(p.key, sized{v, size})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	return v, nil
}

// list gives the blocks in order, or refuses a gap.
func (p *parts) list() (blocks []string, size int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return nil, 0, fault.Newf(fault.Conflict, "the parts were committed or aborted before")
	}
	for n := range len(p.size) {
		m, ok := p.size[n]
		if !ok {
			return nil, 0, fault.Newf(fault.Selection, "%d parts were sent, but not part %d", len(p.size), n)
		}
		if m > 0 {
			blocks = append(blocks, p.block(n))
			size += m
		}
	}
	return blocks, size, nil
}

// Abort makes no request: Azure has none, and drops uncommitted blocks after a week, or when the key is next written.
func (p *parts) Abort(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	return nil
}
