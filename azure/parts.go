package azure

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/sentparts"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Azure's limits for a block blob, since version 2019-12-12.
const (
	maxBlocks = 50_000
	maxBlock  = 4000 << 20
)

// parts is a value that is being sent, as uncommitted blocks. Blocks belong to the key and not to
// an upload, so their ids begin with a random number: uploads to one key at the same time do not
// mix. Azure lists no checksums, so an id has that of its block; and a time, so that of two blocks
// for one part the later is known; and the label of the part. Azure drops all blocks of a key when
// a value is committed, so a block that arrives later says by its label that others were dropped.
type parts struct {
	b   *bucket
	key string
	id  [8]byte
	set *sentparts.Set[block]

	mu   sync.Mutex
	last int64 // the time of the last block
}

// putParts makes no request. A token is the random number.
func (b *bucket) putParts(_ context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	p := &parts{b: b, key: key, set: sentparts.New[block](o.Resume != "")}
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

// block is what the id of a block says beside the number of its part.
type block struct {
	label int
	sum   uint32
	time  int64 // Unix nanoseconds, no two of a process alike
}

// later reports whether b was sent after a.
func later(a, b sentparts.Part[block]) bool { return a.At.time < b.At.time }

// name is the id of a block for part n: all of a blob's ids must have the same length. Number and
// label have 16 bits each; a label is one less in an id, where 0 says no more than the number does.
func (p *parts) name(n int, b block) string {
	id := binary.BigEndian.AppendUint16(p.id[:8:8], uint16(max(b.label-1, 0)))
	id = binary.BigEndian.AppendUint16(id, uint16(n))
	id = binary.BigEndian.AppendUint32(id, b.sum)
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint64(id, uint64(b.time)))
}

// next is a time that no block of this value has.
func (p *parts) next() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = max(p.last+1, time.Now().UnixNano())
	return p.last
}

// Part is one Put Block; an empty part, which Azure refuses, is left out of the value.
func (p *parts) Part(ctx context.Context, n int, data []byte) error {
	if n < 0 || n >= maxBlocks {
		return fault.Newf(fault.Limit, "part %d is not among the %d that Azure takes", n, maxBlocks)
	}
	if int64(len(data)) > maxBlock {
		return fault.Newf(fault.Limit, "%d bytes are more than the %d that a part can hold", len(data), int64(maxBlock))
	}
	if err := p.look(ctx); err != nil {
		return err
	}
	sent := block{sum: crc32.ChecksumIEEE(data), time: p.next()}
	if len(data) > 0 {
		sent.label = p.set.Begin(n)
		body := &lent{b: data}
		defer body.giveBack()
		o := &blockblob.StageBlockOptions{TransactionalValidation: p.b.sum(data)}
		err := p.b.ask(ctx, func(ctx context.Context) error {
			if _, err := p.b.block(p.key).StageBlock(ctx, p.name(n, sent), body.again(), o); err != nil {
				return explain(err, false)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	size := int64(len(data))
	p.set.Sent(n, sentparts.Part[block]{Size: size, Sent: size, At: sent}, later)
	return nil
}

// look refuses what is over, and lists the blocks of a value that another process began, if that
// was not done.
func (p *parts) look(ctx context.Context) error {
	err := p.set.Going()
	if err == nil && p.set.Unlisted() {
		_, err = p.Sent(ctx)
	}
	return err
}

// Sent is one Get Block List. Azure forgets the blocks of a value that was committed, so where
// there are none, and another process may have sent some, it was; or none was ever sent.
func (p *parts) Sent(ctx context.Context) ([]store.PartInfo, error) {
	if err := p.set.Going(); err != nil {
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
	found := map[int]sentparts.Part[block]{}
	most := 0
	for _, b := range out.UncommittedBlocks {
		if b == nil || b.Name == nil || b.Size == nil || *b.Size < 0 {
			return nil, foreign("a block has no name or no size")
		}
		n, of, ok := p.parse(*b.Name)
		if !ok {
			continue
		}
		most = max(most, of.label)
		if part := (sentparts.Part[block]{Size: *b.Size, Sent: *b.Size, At: of}); later(found[n], part) {
			found[n] = part
		}
	}
	p.set.Each(func(n int, own sentparts.Part[block]) {
		if own.Size == 0 && later(found[n], own) { // an empty part is no block
			found[n] = own
		}
	})
	if err := p.set.Listed(found, most); err != nil {
		return nil, err
	}
	var sent []store.PartInfo
	for _, n := range slices.Sorted(maps.Keys(found)) {
		sent = append(sent, store.PartInfo{N: n, Size: found[n].Size, Sum: fmt.Sprintf("crc32:%08x", found[n].At.sum)})
	}
	return sent, nil
}

// parse is name's inverse; false for blocks of other values under way.
func (p *parts) parse(name string) (int, block, bool) {
	id, err := base64.StdEncoding.DecodeString(name)
	if err != nil || len(id) != len(p.id)+16 || !bytes.HasPrefix(id, p.id[:]) {
		return 0, block{}, false
	}
	id = id[len(p.id):]
	n := int(binary.BigEndian.Uint16(id[2:]))
	b := block{label: int(binary.BigEndian.Uint16(id)) + 1, sum: binary.BigEndian.Uint32(id[4:]), time: int64(binary.BigEndian.Uint64(id[8:]))}
	return n, b, n < maxBlocks && b.label <= maxBlocks && b.time > 0
}

// Commit is one Put Block List.
func (p *parts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	if err := p.look(ctx); err != nil {
		return "", err
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
	p.set.End()
	return v, nil
}

// list returns the ids of the blocks in order.
func (p *parts) list() (blocks []string, size int64, err error) {
	all, err := p.set.Parts()
	for n, part := range all {
		if part.Size > 0 {
			blocks = append(blocks, p.name(n, part.At))
			size += part.Size
		}
	}
	return blocks, size, err
}

// Abort makes no request: Azure has none, and drops uncommitted blocks after a week, or when the
// key is next written. So another process that has sent all parts can still commit them.
func (p *parts) Abort(context.Context) error {
	p.set.End()
	return nil
}
