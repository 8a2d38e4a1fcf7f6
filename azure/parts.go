package azure

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
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

	mu     sync.Mutex
	size   map[int]int64 // of the parts sent
	listed bool          // size has what others sent
	over   bool          // committed or aborted
}

// putParts makes no request. A token is the random number.
func (b *bucket) putParts(_ context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	p := &parts{b: b, key: key, size: map[int]int64{}, listed: o.Resume == ""}
	if o.Resume != "" {
		id, err := hex.DecodeString(o.Resume)
		if err != nil || len(id) != len(p.id) {
			return nil, fault.Newf(fault.Selection, "%q is not the token of a value in parts", o.Resume)
		}
		copy(p.id[:], id)
		return p, nil
	}
	_, _ = rand.Read(p.id[:]) // never fails
	return p, nil
}

// Limits has no least size.
func (p *parts) Limits() store.PartLimits {
	return store.PartLimits{Min: 1, Max: maxBlock, Parts: maxBlocks}
}

func (p *parts) Token() string { return hex.EncodeToString(p.id[:]) }

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
	if err := p.going(); err != nil {
		return err
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

// Sent is one Get Block List. Azure forgets the blocks of a value that was committed, so where there are none, and another
// process may have sent some, it was; or none was ever sent.
func (p *parts) Sent(ctx context.Context) ([]store.PartInfo, error) {
	if err := p.going(); err != nil {
		return nil, err
	}
	var out blockblob.GetBlockListResponse
	err := p.b.ask(ctx, func(ctx context.Context) (err error) {
		if out, err = p.b.block(p.key).GetBlockList(ctx, blockblob.BlockListTypeUncommitted, nil); err != nil {
			return explain(err, false)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fault.NotFound) { // absent: a key with neither a value nor blocks
		return nil, err
	}
	if err == nil && out.RequestID == nil {
		return nil, foreign("it has no request number") // such as a page of HTML, in which the client finds no blocks
	}
	found := map[int]int64{}
	for _, b := range out.UncommittedBlocks {
		if b == nil || b.Name == nil || b.Size == nil || *b.Size < 0 {
			return nil, foreign("a block has no name or no size")
		}
		if n, ok := p.number(*b.Name); ok {
			found[n] = *b.Size
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for n, size := range p.size {
		if size == 0 { // an empty part is no block
			found[n] = 0
		}
	}
	if len(found) == 0 && (!p.listed || len(p.size) > 0) {
		return nil, fault.Newf(fault.Conflict, "the parts are gone: committed, aborted, or never sent")
	}
	maps.Copy(p.size, found)
	p.listed = true
	var sent []store.PartInfo
	for _, n := range slices.Sorted(maps.Keys(found)) {
		sent = append(sent, store.PartInfo{N: n, Size: found[n]})
	}
	return sent, nil
}

// number is block's inverse; false for blocks of other values under way.
func (p *parts) number(block string) (int, bool) {
	id, err := base64.StdEncoding.DecodeString(block)
	if err != nil || len(id) != len(p.id)+4 || !bytes.HasPrefix(id, p.id[:]) {
		return 0, false
	}
	n := binary.BigEndian.Uint32(id[len(p.id):])
	return int(n), n < maxBlocks
}

// going refuses what was committed or aborted through this value.
func (p *parts) going() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return fault.Newf(fault.Conflict, "the parts were committed or aborted before")
	}
	return nil
}

// Commit is one Put Block List.
func (p *parts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	p.mu.Lock()
	listed := p.listed
	p.mu.Unlock()
	if !listed {
		if _, err := p.Sent(ctx); err != nil {
			return "", err
		}
	}
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
	if err := p.going(); err != nil {
		return nil, 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
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
