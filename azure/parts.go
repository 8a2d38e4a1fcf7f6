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
	p := &parts{b: b, key: key, set: sentparts.New(o.Resume != "", later)}
	if o.Resume != "" {
		id, err := hex.DecodeString(o.Resume)
		if err != nil || len(id) != len(p.id) {
			return nil, fault.Newf(fault.Selection, "%q is not the token of a value in parts", o.Resume)
		}
		copy(p.id[:], id)
	} else {
		_, _ = rand.Read(p.id[:]) // never fails
	}
	return sentparts.Parts(p, p.set, false), nil
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

// Send is one Put Block; an empty part, which Azure refuses, is left out of the value.
func (p *parts) Send(ctx context.Context, n int, data []byte) (block, error) {
	sent := block{sum: crc32.ChecksumIEEE(data), time: p.next()}
	if len(data) == 0 {
		return sent, nil
	}
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
	return sent, err
}

// List sends one Get Block List. Azure forgets the blocks of a value when it is committed. Without
// blocks, either the value was committed by another process, or no part was ever sent.
func (p *parts) List(ctx context.Context) (l sentparts.List[block], err error) {
	var out blockblob.GetBlockListResponse
	err = p.b.ask(ctx, func(ctx context.Context) (err error) {
		if out, err = p.b.block(p.key).GetBlockList(ctx, blockblob.BlockListTypeUncommitted, nil); err != nil {
			return explain(err, false)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fault.NotFound) { // absent: a key with neither a value nor blocks
		return l, err
	}
	if err == nil && out.RequestID == nil {
		return l, foreign("it has no request number") // such as a page of HTML, in which the client finds no blocks
	}
	l.Parts, l.Sums = map[int]sentparts.Part[block]{}, map[int]string{}
	for _, b := range out.UncommittedBlocks {
		if b == nil || b.Name == nil || b.Size == nil || *b.Size < 0 {
			return l, foreign("a block has no name or no size")
		}
		n, of, ok := p.parse(*b.Name)
		if !ok {
			continue
		}
		l.Label = max(l.Label, of.label)
		if part := (sentparts.Part[block]{Size: *b.Size, Sent: *b.Size, At: of}); later(l.Parts[n], part) {
			l.Parts[n] = part
		}
	}
	p.set.Each(func(n int, own sentparts.Part[block]) {
		if own.Size == 0 && later(l.Parts[n], own) { // an empty part is no block
			l.Parts[n] = own
		}
	})
	for n, part := range l.Parts {
		l.Sums[n] = fmt.Sprintf("crc32:%08x", part.At.sum)
	}
	return l, nil
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

// Join is one Put Block List.
func (p *parts) Join(ctx context.Context, all []sentparts.Part[block], o store.PutOptions) (store.Version, error) {
	var blocks []string
	var size int64
	for n, part := range all {
		if part.Size > 0 {
			blocks = append(blocks, p.name(n, part.At))
			size += part.Size
		}
	}
	var out blockblob.CommitBlockListResponse
	err := p.b.ask(provider.SlowAnswer(ctx), func(ctx context.Context) (err error) {
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
	return v, nil
}

// Drop makes no request: Azure has none, and drops uncommitted blocks after a week, or when the key
// is next written. So another process that has sent all parts can still commit them.
func (p *parts) Drop(context.Context) error { return nil }
