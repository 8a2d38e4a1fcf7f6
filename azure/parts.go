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
	"github.com/zargo-io/zargo/internal/provider/sentparts"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// parts is an upload in parts, stored as uncommitted blocks. In Azure, blocks belong to a key and
// not to an upload. Their IDs start with a random number, which separates concurrent uploads to one
// key. An ID also contains the checksum of the block, because Azure does not list checksums; the
// time, which shows the latest block of a part; and the label of the part. When a value is
// committed, Azure drops all blocks of the key. The label of a block that arrives later shows that
// earlier blocks were dropped.
type parts struct {
	b   *bucket
	key string
	id  [8]byte
	set *sentparts.Set[block]

	mu   sync.Mutex
	last int64 // time of the last block
}

// Azure's limits for a block blob, since version 2019-12-12.
const (
	maxBlocks = 50_000
	maxBlock  = 4000 << 20
)

// putParts starts or resumes an upload without a request. The token is the random number in the IDs
// of blocks.
func (b *bucket) putParts(_ context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	p := &parts{b: b, key: key, set: sentparts.New(o.Resume != "", later)}
	if o.Resume != "" {
		id, err := hex.DecodeString(o.Resume)
		if err != nil || len(id) != len(p.id) {
			return nil, fault.Newf(fault.Selection, "%q is not the token of an upload in parts", o.Resume)
		}
		copy(p.id[:], id)
	} else {
		_, _ = rand.Read(p.id[:]) // never fails
	}
	return sentparts.Parts(p, p.set, false), nil
}

// Limits implements sentparts.Upload. Azure does not have a minimum size of a part.
func (p *parts) Limits() store.PartLimits {
	return store.PartLimits{Min: 1, Max: maxBlock, Parts: maxBlocks}
}

func (p *parts) Token() string { return hex.EncodeToString(p.id[:]) }

// block holds the fields of a block's ID, except the number of the part.
type block struct {
	label int
	sum   uint32
	time  int64 // Unix nanoseconds, unique in the process
}

// later reports whether b was sent after a.
func later(a, b sentparts.Part[block]) bool { return a.At.time < b.At.time }

// name returns the ID of a block of part n. All IDs of a blob must have the same length. Number and
// label have 16 bits each. The ID contains label - 1, or 0 if the label adds nothing to the number.
func (p *parts) name(n int, b block) string {
	id := binary.BigEndian.AppendUint16(p.id[:8:8], uint16(max(b.label-1, 0)))
	id = binary.BigEndian.AppendUint16(id, uint16(n))
	id = binary.BigEndian.AppendUint32(id, b.sum)
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint64(id, uint64(b.time)))
}

// next returns a time that is unique among the blocks of this upload.
func (p *parts) next() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = max(p.last+1, time.Now().UnixNano())
	return p.last
}

// Send sends one Put Block. For an empty part, which Azure would reject, it sends nothing.
func (p *parts) Send(ctx context.Context, n int, data []byte) (block, error) {
	sent := block{sum: crc32.ChecksumIEEE(data), time: p.next()}
	if len(data) == 0 {
		return sent, nil
	}
	sent.label = p.set.Begin(n)
	body := &lent{b: data}
	defer body.giveBack()
	o := &blockblob.StageBlockOptions{TransactionalValidation: p.b.sum(data)}
	err := p.b.renewed(ctx, func(ctx context.Context) error {
		if _, err := p.b.block(p.key).StageBlock(ctx, p.name(n, sent), body.again(), o); err != nil {
			return explain(err, false)
		}
		return nil
	})
	return sent, err
}

// List sends one Get Block List. Azure drops the blocks of a key when a value is committed. An
// empty list therefore means that another process has committed the value, or that no part was ever
// sent.
func (p *parts) List(ctx context.Context) (l sentparts.List[block], err error) {
	var out blockblob.GetBlockListResponse
	err = p.b.renewed(ctx, func(ctx context.Context) (err error) {
		if out, err = p.b.block(p.key).GetBlockList(ctx, blockblob.BlockListTypeUncommitted, nil); err != nil {
			return explain(err, false)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fault.NotFound) { // the key has neither a value nor blocks
		return l, err
	}
	if err == nil && out.RequestID == nil {
		// The response may be an HTML page, which the client parses as a list without blocks.
		return l, foreign("it has no request ID")
	}
	l.Parts, l.Sums = map[int]sentparts.Part[block]{}, map[int]string{}
	for _, b := range out.UncommittedBlocks {
		if b == nil || b.Name == nil || b.Size == nil || *b.Size < 0 {
			return l, foreign("its list has a block without a name or a size")
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
		if own.Size == 0 && later(l.Parts[n], own) { // an empty part has no block
			l.Parts[n] = own
		}
	})
	for n, part := range l.Parts {
		l.Sums[n] = fmt.Sprintf("crc32:%08x", part.At.sum)
	}
	return l, nil
}

// parse is the inverse of name. It returns false for blocks of other uploads.
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

// Join sends one Put Block List.
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
	err := p.b.renewed(provider.SlowAnswer(ctx), func(ctx context.Context) (err error) {
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

// Drop does nothing, because Azure does not provide a request that drops blocks. Azure drops
// uncommitted blocks after a week, or when the key is next written. Until then another process that
// has sent all parts can commit them.
func (p *parts) Drop(context.Context) error { return nil }
