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

	"github.com/zargo-io/zargo/internal/provider/sentparts"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// parts is an upload in parts. Each part is a hidden file in the directory of the value. A file
// name consists of the token, which is a random number, and the label, size and number of the part.
// When a part with a higher number is sent, the file of part 0 is renamed to have a new label. The
// label of part 0 thus records the number of parts even if the last parts have been removed.
type parts struct {
	s     *Store
	key   string
	path  string
	stem  string // prefix of the file names, including the directory
	token string
	set   *sentparts.Set[string] // the parts, with the paths of their files

	mu sync.Mutex // held while part 0 is renamed
}

// PutParts implements [store.PartPutter]. A part may have any size. Commit renames the file of a
// single part. It concatenates several parts to a new file, which copies no data on file systems
// that share blocks between files. PutParts itself does not write to the directory.
func (s *Store) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	path, err := s.path(ctx, key)
	if err != nil {
		return nil, s.failed("put", key, err)
	}
	token := o.Resume
	if id, err := hex.DecodeString(token); err != nil || token != "" && len(id) != 8 {
		return nil, s.failed("put", key, fault.Newf(fault.Selection, "%q is not the token of an upload", token))
	}
	if token == "" {
		token = fmt.Sprintf("%016x", rand.Uint64())
	}
	name := fnv.New64a()
	name.Write([]byte(path[len(folder(path)):]))
	stem := fmt.Sprintf("%s/%spart-%016x-%s-", folder(path), hidden, name.Sum64(), token)
	return &parts{s: s, key: key, path: path, token: token, stem: stem, set: sentparts.New[string](o.Resume != "", nil)}, nil
}

func (p *parts) Limits() store.PartLimits {
	return store.PartLimits{Min: 1, Max: math.MaxInt64, Parts: 1_000_000}
}

func (p *parts) Token() string { return p.token }

// file returns the path of the file for part n with the given label and size.
func (p *parts) file(n, label int, size int64) string {
	return fmt.Sprintf("%s%d-%d-%d", p.stem, label, size, n)
}

// parse parses the end of a path that the method file returned. ok reports whether the path is that
// of a part.
func (p *parts) parse(end string) (n, label int, size int64, ok bool) {
	var numbers [3]int64
	fields := strings.Split(end, "-")
	if len(fields) != len(numbers) {
		return 0, 0, 0, false
	}
	for i, f := range fields {
		v, err := strconv.ParseInt(f, 10, 64)
		if err != nil || v < 0 || strconv.FormatInt(v, 10) != f {
			return 0, 0, 0, false
		}
		numbers[i] = v
	}
	most := int64(p.Limits().Parts)
	return int(numbers[2]), int(numbers[0]), numbers[1], numbers[0] <= most && numbers[2] < most
}

// do calls f with the tree of the Store, or returns an error if the upload has ended.
func (p *parts) do(ctx context.Context, create bool, f func(t tree) error) error {
	err := ctx.Err()
	if err == nil {
		err = p.set.Going()
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
	if err := p.s.checkRoot(t); err != nil {
		return err
	}
	return f(t)
}

func (p *parts) Part(ctx context.Context, n int, b []byte) error {
	if n < 0 || n >= p.Limits().Parts {
		return p.s.failed("put", p.key, fault.Newf(fault.Limit, "part number must be 0 to %d, is %d", p.Limits().Parts-1, n))
	}
	return p.do(ctx, true, func(t tree) error {
		if p.set.Unlisted() {
			if _, err := p.arrived(t); err != nil {
				return err
			}
		}
		temp, _, err := p.s.write(t, p.path, b)
		if err != nil {
			return blocked(err)
		}
		size := int64(len(b))
		p.mu.Lock()
		defer p.mu.Unlock()
		label := p.set.Begin(n)
		name := p.file(n, label, size)
		if err := rename(t, temp, name); err != nil {
			_ = t.remove(temp)
			return blocked(err)
		}
		old, replaced := p.set.Sent(n, sentparts.Part[string]{Size: size, Sent: size, At: name})
		if replaced && old.At != name {
			_ = t.remove(old.At)
		}
		p.relabel(t, label)
		return nil
	})
}

// relabel sets the label of part 0 by renaming its file. Another process may rename the file
// concurrently.
func (p *parts) relabel(t tree, label int) {
	first, ok := p.set.At(0)
	if !ok {
		return
	}
	name := p.file(0, label, first.Sent)
	if name != first.At && rename(t, first.At, name) == nil {
		p.set.Move(0, name)
	}
}

// Sent implements [store.Parts]. It reads the parts to compute their checksums.
func (p *parts) Sent(ctx context.Context) (sent []store.PartInfo, err error) {
	err = p.do(ctx, false, func(t tree) error {
		found, err := p.arrived(t)
		if err != nil {
			return err
		}
		for _, n := range slices.Sorted(maps.Keys(found)) {
			sum, err := p.sum(ctx, t, found[n].At)
			if err != nil {
				return err
			}
			sent = append(sent, store.PartInfo{N: n, Size: found[n].Size, Sum: sum})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sent, nil
}

// arrived returns the parts that all processes have sent.
func (p *parts) arrived(t tree) (map[int]sentparts.Part[string], error) {
	found, label, _, err := p.find(t)
	if err != nil {
		return nil, err
	}
	return found, p.set.Listed(found, label)
}

// find returns the latest file of each part, the greatest label, and the names of the files of all
// parts.
func (p *parts) find(t tree) (found map[int]sentparts.Part[string], label int, names []string, err error) {
	dir, err := t.openFile(folder(p.path), os.O_RDONLY|nonblock, 0)
	if absent(err) {
		return nil, 0, nil, nil
	}
	if err != nil {
		return nil, 0, nil, err
	}
	defer func() { _ = dir.Close() }()
	prefix := p.stem[len(folder(p.path))+1:]
	found = map[int]sentparts.Part[string]{}
	times := map[int]int64{}
	for {
		entries, err := dir.ReadDir(batch)
		for _, d := range entries {
			end, ok := strings.CutPrefix(d.Name(), prefix)
			if !ok {
				continue
			}
			n, of, size, ok := p.parse(end)
			if !ok {
				continue
			}
			name := p.stem + end
			fi, err := t.lstat(name)
			if absent(err) {
				continue
			}
			if err != nil {
				return nil, 0, nil, err
			}
			names = append(names, name)
			label = max(label, of)
			if at := fi.ModTime().UnixNano(); at >= times[n] {
				times[n], found[n] = at, sentparts.Part[string]{Size: fi.Size(), Sent: size, At: name}
			}
		}
		if err == io.EOF {
			return found, label, names, nil
		}
		if err != nil {
			return nil, 0, nil, err
		}
	}
}

func (p *parts) sum(ctx context.Context, t tree, name string) (string, error) {
	f, err := t.openFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return "", removed(err)
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

// removed converts the error of opening a part that was found before. If the part is now absent, it
// returns fault.Conflict, and otherwise err.
func removed(err error) error {
	if absent(err) {
		return fault.Newf(fault.Conflict, "a part was removed: another process committed or aborted the upload")
	}
	return err
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
	if _, err := p.arrived(t); err != nil {
		return "", err
	}
	all, err := p.set.Parts()
	if err != nil {
		return "", err
	}
	if err := p.early(ctx, t, o); err != nil {
		return "", err
	}
	temp, in, err := p.join(ctx, t, all)
	if err != nil {
		return "", blocked(err)
	}
	version, err := p.s.settle(ctx, t, temp, p.path, in, o)
	if err != nil {
		if len(all) != 1 {
			_ = t.remove(temp)
		}
		return "", err
	}
	p.set.End()
	_ = p.remove(t)
	return version, nil
}

// early returns errors that can be detected before the parts are concatenated.
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

// join concatenates the parts to a temporary file. If there is only one part, it returns the file
// of the part.
func (p *parts) join(ctx context.Context, t tree, all []sentparts.Part[string]) (temp string, in info, err error) {
	if len(all) == 1 {
		in, err = p.s.stamp(t, all[0].At, 0)
		return all[0].At, in, whole(all[0], in.size, err)
	}
	if temp, in, err = p.s.write(t, p.path, nil); err != nil || len(all) == 0 {
		return temp, in, err
	}
	to, err := t.openFile(temp, os.O_WRONLY, 0)
	if err == nil {
		for i := 0; i < len(all) && err == nil; i++ {
			err = p.appendTo(ctx, t, to, all[i])
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

// whole returns err, or an error if "size" is not the size of the part.
func whole(part sentparts.Part[string], size int64, err error) error {
	if err == nil && size != part.Size {
		return fault.Newf(fault.Corrupt, "a part has %d bytes, want %d", size, part.Size)
	}
	return removed(err)
}

// joinStep is the number of bytes that are copied between two checks of the context. Copying
// them takes about a quarter of a second on a slow disk.
const joinStep = 32 << 20

// appendTo copies a part to the end of a file, in the kernel if possible (copy_file_range).
func (p *parts) appendTo(ctx context.Context, t tree, to *os.File, part sentparts.Part[string]) error {
	from, err := t.openFile(part.At, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return removed(err)
	}
	defer func() { _ = from.Close() }()
	for size := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.CopyN(to, from, joinStep)
		if size += n; err == io.EOF {
			return whole(part, size, nil)
		}
		if err != nil {
			return err
		}
	}
}

// remove removes the parts of all processes, starting with part 0. The remaining parts of an
// interrupted removal thus have a gap and cannot be committed.
func (p *parts) remove(t tree) error {
	_, _, names, err := p.find(t)
	isFirst := func(name string) bool { return strings.HasSuffix(name, "-0") }
	for _, first := range []bool{true, false} {
		for _, name := range names {
			if isFirst(name) == first {
				_ = t.remove(name)
			}
		}
	}
	return err
}

// Abort removes the parts of all processes.
func (p *parts) Abort(ctx context.Context) error {
	if p.set.Over() {
		return nil
	}
	err := p.do(ctx, false, p.remove)
	if err == nil {
		p.set.End()
	}
	return err
}
