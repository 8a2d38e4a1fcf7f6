package dir

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// parts is a value under way: a hidden file for each part, beside the value. The token is a random number, which their names have.
type parts struct {
	s     *Store
	key   string
	path  string
	stem  string // of the names, with the path of the folder
	token string

	mu   sync.Mutex
	sent bool // a part was, by this value or another process
	over bool // committed or aborted
}

// PutParts implements [store.PartPutter]. A part may have any size. Commit appends the others to a copy of the first, which file systems that
// share blocks between files do without copying; one part alone is renamed. It makes no folder and no file yet.
func (s *Store) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	path, err := s.path(ctx, key)
	if err != nil {
		return nil, s.failed("put", key, err)
	}
	token := o.Resume
	if id, err := hex.DecodeString(token); err != nil || token != "" && len(id) != 8 {
		return nil, s.failed("put", key, fault.Newf(fault.Selection, "%q is not the token of a value in parts", token))
	}
	if token == "" {
		token = fmt.Sprintf("%016x", rand.Uint64())
	}
	name := fnv.New64a()
	name.Write([]byte(path[len(folder(path)):]))
	return &parts{s: s, key: key, path: path, token: token, sent: o.Resume != "", stem: fmt.Sprintf("%s/%spart-%016x-%s-", folder(path), hidden, name.Sum64(), token)}, nil
}

func (p *parts) Limits() store.PartLimits {
	return store.PartLimits{Min: 1, Max: math.MaxInt64, Parts: 1_000_000}
}

func (p *parts) Token() string { return p.token }

// file is the path of part n.
func (p *parts) file(n int) string { return p.stem + strconv.Itoa(n) }

// do calls f in the tree of the store, if the value is under way.
func (p *parts) do(ctx context.Context, create bool, f func(t tree) error) error {
	err := ctx.Err()
	if err == nil {
		err = p.going()
	}
	if err == nil {
		err = p.within(create, f)
	}
	if err != nil {
		return p.s.failed("put", p.key, err)
	}
	return nil
}

func (p *parts) within(create bool, f func(t tree) error) error {
	t, err := p.s.enter(create)
	if err != nil {
		return err
	}
	defer t.close()
	if err := p.s.still(t); err != nil {
		return err
	}
	return f(t)
}

func (p *parts) going() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return fault.Newf(fault.Conflict, "the parts were committed or aborted before")
	}
	return nil
}

func (p *parts) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
}

func (p *parts) Part(ctx context.Context, n int, b []byte) error {
	if n < 0 || n >= p.Limits().Parts {
		return p.s.failed("put", p.key, fault.Newf(fault.Limit, "part %d is not among %d", n, p.Limits().Parts))
	}
	return p.do(ctx, true, func(t tree) error {
		temp, _, err := p.s.write(t, p.path, b)
		if err != nil {
			return blocked(err)
		}
		if err := rename(t, temp, p.file(n)); err != nil {
			_ = t.remove(temp)
			return blocked(err)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sent = true
		return nil
	})
}

// Sent reads the parts for their checksums.
func (p *parts) Sent(ctx context.Context) (sent []store.PartInfo, err error) {
	err = p.do(ctx, false, func(t tree) error {
		sizes, err := p.arrived(t)
		if err != nil {
			return err
		}
		for _, n := range slices.Sorted(maps.Keys(sizes)) {
			sum, err := p.sum(ctx, t, n)
			if err != nil {
				return err
			}
			sent = append(sent, store.PartInfo{N: n, Size: sizes[n], Sum: sum})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sent, nil
}

// arrived gives the lengths of the parts that are there. None where there were, or where another process is to have sent some, is fault.Conflict.
func (p *parts) arrived(t tree) (map[int]int64, error) {
	sizes, err := p.find(t)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(sizes) == 0 && p.sent {
		return nil, fault.Newf(fault.Conflict, "the parts are gone: committed, aborted, or never sent")
	}
	return sizes, nil
}

// find gives the lengths of the parts that are there.
func (p *parts) find(t tree) (map[int]int64, error) {
	dir, err := t.openFile(folder(p.path), os.O_RDONLY|nonblock, 0)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	prefix := p.stem[len(folder(p.path))+1:]
	sizes := map[int]int64{}
	for {
		names, err := dir.ReadDir(batch)
		for _, d := range names {
			digits, ok := strings.CutPrefix(d.Name(), prefix)
			n, bad := strconv.Atoi(digits)
			if !ok || bad != nil || n < 0 || strconv.Itoa(n) != digits {
				continue
			}
			fi, err := t.lstat(p.file(n))
			if absent(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			sizes[n] = fi.Size()
		}
		if err == io.EOF {
			return sizes, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (p *parts) sum(ctx context.Context, t tree, n int) (string, error) {
	f, err := t.openFile(p.file(n), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := crc32.NewIEEE()
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if _, err := io.CopyN(sum, f, piece); err == io.EOF {
			return fmt.Sprintf("crc32:%08x", sum.Sum32()), nil
		} else if err != nil {
			return "", err
		}
	}
}

func (p *parts) Commit(ctx context.Context, o store.PutOptions) (v store.Version, err error) {
	err = p.do(ctx, o.IfVersion == "", func(t tree) error {
		v, err = p.commit(ctx, t, o)
		return err
	})
	if err != nil {
		return "", err
	}
	return v, nil
}

func (p *parts) commit(ctx context.Context, t tree, o store.PutOptions) (store.Version, error) {
	if o.IfAbsent && o.IfVersion != "" {
		return "", fault.Newf(fault.Selection, "both IfAbsent and IfVersion are set")
	}
	sizes, err := p.arrived(t)
	if err != nil {
		return "", err
	}
	for n := range len(sizes) {
		if _, ok := sizes[n]; !ok {
			return "", fault.Newf(fault.Selection, "%d parts were sent, but not part %d", len(sizes), n)
		}
	}
	if err := p.early(ctx, t, o); err != nil {
		return "", err
	}
	temp, in, err := p.join(ctx, t, len(sizes))
	if err != nil {
		return "", blocked(err)
	}
	version, err := p.s.settle(ctx, t, temp, p.path, in, o)
	if err != nil {
		if len(sizes) != 1 {
			_ = t.remove(temp)
		}
		return "", err
	}
	p.end()
	p.remove(t, sizes)
	return version, nil
}

// early refuses what is bound to fail before the parts are joined.
func (p *parts) early(ctx context.Context, t tree, o store.PutOptions) error {
	if o.IfVersion != "" {
		h, err := p.s.exclude(ctx, t, p.path)
		if err == nil || errors.Is(err, errors.ErrUnsupported) {
			h.release()
		}
		if errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	return early(t, p.path, o)
}

// join makes one file of the parts. That of one part is the part.
func (p *parts) join(ctx context.Context, t tree, count int) (temp string, in info, err error) {
	if count == 1 {
		in, err = p.s.stamp(t, p.file(0), 0)
		return p.file(0), in, err
	}
	if temp, in, err = p.s.write(t, p.path, nil); err != nil || count == 0 {
		return temp, in, err
	}
	to, err := t.openFile(temp, os.O_WRONLY, 0)
	if err == nil {
		for n := 0; n < count && err == nil; n++ {
			err = p.appendTo(ctx, t, to, n)
		}
		if err == nil && p.s.sync {
			err = to.Sync()
		}
		err = errors.Join(err, to.Close())
	}
	if err == nil {
		in, err = p.s.stamp(t, temp, 0)
	}
	if err != nil {
		_ = t.remove(temp)
	}
	return temp, in, err
}

// joinStep is how much is copied between two looks at the context: a quarter of a second on a slow disk.
const joinStep = 32 << 20

// appendTo copies a part, in the kernel where it can (copy_file_range).
func (p *parts) appendTo(ctx context.Context, t tree, to *os.File, n int) error {
	from, err := t.openFile(p.file(n), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := io.CopyN(to, from, joinStep); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// remove removes the parts, the first before the others: what is left of them when this is cut has a gap and cannot pass for a value.
func (p *parts) remove(t tree, sizes map[int]int64) {
	for _, n := range slices.Sorted(maps.Keys(sizes)) {
		_ = t.remove(p.file(n))
	}
}

// Abort removes what has arrived from any process.
func (p *parts) Abort(ctx context.Context) error {
	if p.going() != nil {
		return nil
	}
	err := p.do(ctx, false, func(t tree) error {
		sizes, err := p.find(t)
		p.remove(t, sizes)
		return err
	})
	if err == nil {
		p.end()
	}
	return err
}
