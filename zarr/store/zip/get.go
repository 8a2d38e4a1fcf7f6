package zip

import (
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/internal/lzma"
	"github.com/zargo-io/zargo/zarr/store"
)

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := s.get(ctx, key, o, buf)
	if err != nil {
		return store.Value{}, s.fail("get", key, err)
	}
	return v, nil
}

const (
	// margin is the number of bytes that are read for the extra fields before a value. The length
	// of these fields is not in the directory. Most writers store about 30 bytes of times and sizes
	// in them. Fields of more than 1 KiB take a second request.
	margin = 1 << 10
	// readThrough is the number of bytes of a stored value up to which a part is read together with
	// the header, in one request.
	readThrough = 64 << 10
	// maxRatio is the maximum compression ratio of deflate.
	maxRatio = 1032
	// maxPooled is the maximum size of a pooled buffer.
	maxPooled = 16 << 20
)

func (s *Store) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Value{}, err
	}
	if err := o.Range.Check(); err != nil {
		return store.Value{}, err
	}
	if err := ctx.Err(); err != nil {
		return store.Value{}, err
	}
	i, err := s.lookup(key, o)
	if err != nil {
		return store.Value{}, err
	}
	e := &s.entries[i]
	if err := e.check(); err != nil {
		return store.Value{}, err
	}
	off, n, err := o.Range.Resolve(e.size)
	if err != nil {
		return store.Value{}, err
	}
	if o.Max > 0 && n > o.Max {
		return store.Value{}, &store.TooLong{Announced: n, Max: o.Max, Version: s.versionOf(e)}
	}
	if n > int64(math.MaxInt-len(buf)) {
		return store.Value{}, fault.Newf(fault.Limit, "a value of %d bytes does not fit in memory", n)
	}
	held := len(buf)
	if e.method == stored && n > 0 && (n < e.size || s.data[i].Load() > 0) {
		buf, err = s.readPart(ctx, i, off, n, buf)
	} else {
		buf, err = s.readWhole(ctx, i, off, n, buf)
	}
	if err == nil && e.method == stored && n == e.size && crc32.ChecksumIEEE(buf[held:]) != e.crc {
		err = corrupt("CRC-32 of the value does not match the %08x in the directory", e.crc)
	}
	if err != nil {
		return store.Value{}, err
	}
	return store.Value{Bytes: buf, Size: e.size, Version: s.versionOf(e)}, nil
}

// lookup returns the index of the entry for key. It checks the conditions in o.
func (s *Store) lookup(key string, o store.GetOptions) (int, error) {
	if s.version == "" && (o.IfVersion != "" || o.IfNotVersion != "") {
		return 0, fmt.Errorf("the archive has no version: %w", errors.ErrUnsupported)
	}
	i, ok := s.find(key)
	switch {
	case !ok && o.IfVersion != "":
		return 0, fault.Newf(fault.Conflict, "the archive does not contain the key")
	case !ok:
		return 0, fault.NotFound
	}
	version := s.versionOf(&s.entries[i])
	switch {
	case o.IfVersion != "" && o.IfVersion != version:
		return 0, fault.Newf(fault.Conflict, "the value has version %q, not %q", version, o.IfVersion)
	case o.IfNotVersion != "" && o.IfNotVersion == version:
		return 0, fault.Unchanged
	}
	return i, nil
}

func (s *Store) find(key string) (int, bool) {
	return sort.Find(len(s.entries), func(i int) int { return strings.Compare(key, s.entries[i].key) })
}

// versionOf returns the version of a value. It combines the version of the archive with the offset
// and the CRC-32 of the entry.
func (s *Store) versionOf(e *entry) store.Version {
	if s.version == "" {
		return ""
	}
	return store.Version(fmt.Sprintf("%s zip %x %08x", s.version, e.off, e.crc))
}

// check returns an error for an entry that cannot be read. It is called before any request or
// allocation.
func (e *entry) check() error {
	switch {
	case e.flags&flagsEncrypted != 0:
		return fmt.Errorf("zip: the entry is encrypted: %w", errors.ErrUnsupported)
	case e.flags&flagPatch != 0 || !slices.Contains([]uint16{stored, deflated, bzipped, lzmaPacked}, e.method):
		return fmt.Errorf("zip: compression method %d is not supported: %w", e.method, errors.ErrUnsupported)
	case e.off >= e.limit || e.packed > e.limit-e.off-lenLocal-int64(len(e.name)):
		return corrupt("entry of %d bytes at offset %d overlaps the next header at %d", e.packed, e.off, e.limit)
	case e.method == stored && e.packed != e.size:
		return corrupt("stored entry of %d bytes declares %d bytes", e.packed, e.size)
	case e.method == deflated && e.size/maxRatio > e.packed:
		return corrupt("%d compressed bytes are too few for a value of %d", e.packed, e.size)
	case e.packed > e.size+e.size/8+margin:
		return corrupt("%d compressed bytes are too many for a value of %d", e.packed, e.size)
	}
	return nil
}

// readWhole reads the header and the compressed value in one request. It appends n bytes of the
// value, starting at offset off.
func (s *Store) readWhole(ctx context.Context, i int, off, n int64, buf []byte) ([]byte, error) {
	e := &s.entries[i]
	p, _ := s.pool.Get().(*[]byte)
	if p == nil {
		p = new([]byte)
	}
	defer func() {
		if cap(*p) <= maxPooled {
			s.pool.Put(p)
		}
	}()
	raw, err := s.read(ctx, e.off, e.reach(e.packed), (*p)[:0])
	if err != nil {
		return nil, err
	}
	*p = raw
	head, err := e.header(raw)
	if err != nil {
		return nil, err
	}
	// The extra fields are longer than margin: read the rest of the value.
	if lack := head + e.packed - int64(len(raw)); lack > 0 {
		if raw, err = s.read(ctx, e.off+int64(len(raw)), lack, raw); err != nil {
			return nil, err
		}
		*p = raw
	}
	s.data[i].Store(e.off + head)
	raw = raw[head : head+e.packed]
	if e.method == stored {
		return append(grow(buf, n), raw[off:off+n]...), nil
	}
	return inflate(ctx, buf, raw, e, off, n)
}

// readPart appends n bytes of a stored value, starting at offset off. It does not read the header
// if the position of the value in the archive is already known.
func (s *Store) readPart(ctx context.Context, i int, off, n int64, buf []byte) ([]byte, error) {
	e := &s.entries[i]
	if s.data[i].Load() == 0 {
		if off+n <= readThrough && e.size <= readThrough {
			return s.readWhole(ctx, i, off, n, buf)
		}
		raw, err := s.read(ctx, e.off, e.reach(0), nil)
		if err != nil {
			return nil, err
		}
		head, err := e.header(raw)
		if err != nil {
			return nil, err
		}
		s.data[i].Store(e.off + head)
	}
	return s.read(ctx, s.data[i].Load()+off, n, buf)
}

// reach returns the number of bytes to read for the header and the first n bytes of the value.
func (e *entry) reach(n int64) int64 {
	return min(e.limit-e.off, lenLocal+int64(len(e.name))+n+margin)
}

// header checks the local header (APPNOTE 4.3.7) and returns its length. It ignores the sizes in
// the header, which are zero if the value has a data descriptor.
func (e *entry) header(b []byte) (int64, error) {
	if len(b) < lenLocal+len(e.name) || le.Uint32(b) != sigLocal {
		return 0, corrupt("no entry at offset %d", e.off)
	}
	name, extra := int(le.Uint16(b[26:])), int64(le.Uint16(b[28:]))
	if name != len(e.name) || string(b[lenLocal:lenLocal+name]) != e.name {
		return 0, corrupt("entry at offset %d has another name than in the directory", e.off)
	}
	if method := le.Uint16(b[8:]); method != e.method || le.Uint16(b[6:])&flagsEncrypted != 0 {
		return 0, corrupt("entry at offset %d has another compression method than in the directory", e.off)
	}
	head := lenLocal + int64(name) + extra
	if head+e.packed > e.limit-e.off {
		return 0, corrupt("entry of %d bytes at offset %d overlaps the next header at %d", e.packed, e.off, e.limit)
	}
	return head, nil
}

// unpacker returns a reader of the content of a compressed value.
func unpacker(packed []byte, e *entry) (io.Reader, error) {
	switch e.method {
	case bzipped:
		return bzip2.NewReader(bytes.NewReader(packed)), nil
	case lzmaPacked:
		return lzma.NewReader(packed, e.size)
	}
	return flate.NewReader(bytes.NewReader(packed)), nil
}

// inflate decompresses the value and checks all of it. It appends n bytes, starting at offset off.
func inflate(ctx context.Context, buf, packed []byte, e *entry, off, n int64) ([]byte, error) {
	z, err := unpacker(packed, e)
	if err != nil {
		return nil, err
	}
	sum := crc32.NewIEEE()
	r := io.TeeReader(&cancelled{ctx, z}, sum)
	if _, err = io.CopyN(io.Discard, r, off); err == nil {
		buf, err = appendN(buf, r, n, int64(len(packed)))
	}
	if err == nil {
		_, err = io.CopyN(io.Discard, r, e.size-off-n)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, corrupt("value of %d bytes cannot be inflated: %v", e.size, err)
	}
	if m, err := io.ReadFull(z, make([]byte, 1)); m != 0 || !errors.Is(err, io.EOF) {
		return nil, corrupt("value has more than the %d bytes in the directory", e.size)
	}
	if sum.Sum32() != e.crc {
		return nil, corrupt("CRC-32 of the value is %08x, want %08x", sum.Sum32(), e.crc)
	}
	return buf, nil
}

// appendN appends n bytes of r to buf. It allocates memory for at most maxRatio bytes per packed
// byte, and more only after r has returned so many.
func appendN(buf []byte, r io.Reader, n, packed int64) ([]byte, error) {
	for n > 0 {
		step := min(n, max(packed*maxRatio, int64(len(buf)), margin))
		held := len(buf)
		buf = grow(buf, step)[:held+int(step)]
		if _, err := io.ReadFull(r, buf[held:]); err != nil {
			return nil, err
		}
		n -= step
	}
	return buf, nil
}

// cancelled is a reader that ends with ctx.
type cancelled struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// grow returns buf with capacity for n more bytes. If it allocates a new buffer, the buffer has
// exactly this capacity.
func grow(buf []byte, n int64) []byte {
	if int64(cap(buf)-len(buf)) >= n {
		return buf
	}
	return append(make([]byte, 0, len(buf)+int(n)), buf...)
}

// read appends n bytes of the archive, starting at offset off.
func (s *Store) read(ctx context.Context, off, n int64, buf []byte) ([]byte, error) {
	v, err := s.st.Get(ctx, s.archive, store.GetOptions{Range: store.Within(off, n), IfVersion: s.version, Max: n}, buf)
	if errors.Is(err, fault.NotFound) {
		// The directory has the value, so the error must not be fault.NotFound. After
		// fault.NotFound an array would read its fill value.
		return nil, fault.Newf(fault.Conflict, "the archive no longer exists: %v", err)
	}
	if err != nil {
		return nil, whole(err)
	}
	return v.Bytes, nil
}
