package manifest

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Result is the result of a check. Keys are sorted.
type Result struct {
	Same    int      `json:"same"`
	Missing []string `json:"missing"` // only in the manifest
	Changed []string `json:"changed"`
	Extra   []string `json:"extra"` // only in the store
}

const (
	// part is the maximum number of bytes of a value that one request reads. It is large enough
	// that the overhead of a request is small.
	part = 8 << 20
	// inFlight is the number of values that are read concurrently: 16 · 8 MiB = 128 MiB.
	inFlight = 16
	// maxLine bounds the length of a line of a manifest: the longest key with each byte escaped,
	// and its sum.
	maxLine = 2*store.MaxKey + 128
)

// OK reports whether the store contains exactly the keys and values of the manifest.
func (r *Result) OK() bool { return len(r.Missing)+len(r.Changed)+len(r.Extra) == 0 }

// Options configure Write and Check. The zero value uses the limits of the process.
type Options struct {
	// Progress is called after the listing, and after each value or part of a large value, with the
	// number of bytes read and the total. Calls are not concurrent. If the listing does not report
	// the size of a value, the size is added to both numbers when the value is read.
	Progress func(done, total int64)
	Limits   *concurrency.Limits // Bytes bounds the memory of values; nil means concurrency.Default
}

// work is the state of one call to Write or Check.
type work struct {
	st store.Store
	o  Options

	mu          sync.Mutex
	done, total int64
}

func newWork(st store.Store, o Options) *work {
	if o.Limits == nil {
		o.Limits = concurrency.Default()
	}
	return &work{st: st, o: o}
}

// begin sets the total number of bytes to read.
func (r *work) begin(keys []string, sizes map[string]int64) {
	for _, key := range keys {
		r.total += max(sizes[key], 0)
	}
	r.read(0, 0)
}

// read counts n bytes that were read. size is the length of the value in the listing, or -1 if it
// is unknown.
func (r *work) read(n int, size int64) {
	if r.o.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += int64(n)
	if size < 0 {
		r.total += int64(n)
	}
	r.o.Progress(r.done, r.total)
}

// Write writes the manifest of all keys in a store. Nothing is written before all values have been
// read.
func Write(ctx context.Context, st store.Store, w io.Writer, o Options) error {
	r := newWork(st, o)
	sizes, err := list(ctx, r.st)
	if err != nil {
		return err
	}
	keys := slices.Sorted(maps.Keys(sizes))
	r.begin(keys, sizes)
	sums := make([]sum, len(keys))
	err = concurrency.EachN(ctx, inFlight, len(keys), func(ctx context.Context, i int) error {
		var err error
		sums[i], err = r.hash(ctx, keys[i], sizes[keys[i]])
		return err
	})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)
	for i, key := range keys {
		mark := ""
		if escaped := escape.Replace(key); escaped != key {
			mark, key = `\`, escaped
		}
		fmt.Fprintf(out, "%s%x  %s\n", mark, sums[i], key)
	}
	return out.Flush()
}

type sum [sha256.Size]byte

// Check reads a manifest and all values that it names. It returns fault.Metadata if a line is not
// in the format of sha256sum.
func Check(ctx context.Context, st store.Store, manifest io.Reader, o Options) (*Result, error) {
	want, err := parse(manifest)
	if err != nil {
		return nil, err
	}
	w := newWork(st, o)
	sizes, err := list(ctx, w.st)
	if err != nil {
		return nil, err
	}
	r := &Result{Missing: []string{}, Changed: []string{}, Extra: []string{}}
	for _, key := range slices.Sorted(maps.Keys(sizes)) {
		if _, ok := want[key]; !ok {
			r.Extra = append(r.Extra, key)
		}
	}
	keys := slices.Sorted(maps.Keys(want))
	const same, changed, missing = 0, 1, 2
	w.begin(keys, sizes)
	state := make([]uint8, len(keys))
	err = concurrency.EachN(ctx, inFlight, len(keys), func(ctx context.Context, i int) error {
		size, ok := sizes[keys[i]]
		if !ok {
			state[i] = missing
			return nil
		}
		got, err := w.hash(ctx, keys[i], size)
		switch {
		case errors.Is(err, fault.NotFound):
			state[i] = missing
			return nil
		case err == nil && got != want[keys[i]]:
			state[i] = changed
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		switch state[i] {
		case same:
			r.Same++
		case changed:
			r.Changed = append(r.Changed, key)
		case missing:
			r.Missing = append(r.Missing, key)
		}
	}
	return r, nil
}

// list returns the size of each value by key. The size is -1 if the listing does not report it.
func list(ctx context.Context, st store.Store) (map[string]int64, error) {
	sizes := map[string]int64{}
	for e, err := range store.ListAll(ctx, st, "", store.ListOptions{}) {
		if err != nil {
			return nil, err
		}
		sizes[e.Key] = e.Size
	}
	return sizes, nil
}

// hash returns the sum of a value whose length in the listing is size. If the value is long, or has
// become long since the listing, hash reads it in parts.
func (r *work) hash(ctx context.Context, key string, size int64) (sum, error) {
	if size > part {
		return r.hashParts(ctx, key, size)
	}
	n := int64(part)
	if size >= 0 {
		n = size
	}
	hold, err := r.o.Limits.Bytes.Acquire(ctx, concurrency.Task, n)
	if err != nil {
		return sum{}, err
	}
	v, err := r.st.Get(ctx, key, store.GetOptions{Max: max(n, 1)}, hold.Buffer(int(n)))
	if errors.Is(err, fault.Limit) {
		hold.Release()
		return r.hashParts(ctx, key, size)
	}
	defer hold.Release()
	r.read(len(v.Bytes), size)
	return sha256.Sum256(v.Bytes), err
}

// hashParts returns the sum of a value that is read in parts of one version.
func (r *work) hashParts(ctx context.Context, key string, size int64) (sum, error) {
	hold, err := r.o.Limits.Bytes.Acquire(ctx, concurrency.Task, part)
	if err != nil {
		return sum{}, err
	}
	defer hold.Release()
	h, buf := sha256.New(), hold.Buffer(part)
	v, err := r.st.Get(ctx, key, store.GetOptions{Range: store.Within(0, part)}, buf)
	for off := int64(0); ; {
		if err != nil {
			return sum{}, err
		}
		h.Write(v.Bytes)
		r.read(len(v.Bytes), size)
		if off += int64(len(v.Bytes)); off >= v.Size {
			return sum(h.Sum(nil)), nil
		}
		o := store.GetOptions{Range: store.Within(off, min(part, v.Size-off)), IfVersion: v.Version}
		v, err = r.st.Get(ctx, key, o, buf)
	}
}

// parse parses lines in the format of sha256sum.
func parse(r io.Reader) (map[string]sum, error) {
	sums := map[string]sum{}
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r")
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		line, escaped := strings.CutPrefix(lines.Text(), `\`)
		digits, key, ok := strings.Cut(line, " ")
		b, err := hex.DecodeString(digits)
		if !ok || err != nil || len(b) != sha256.Size || len(key) < 2 || key[0] != ' ' && key[0] != '*' {
			return nil, fault.Newf(fault.Metadata, "line %d of the manifest is not in the format of sha256sum", n)
		}
		key = strings.TrimPrefix(key[1:], "./")
		if escaped {
			key = unescape.Replace(key)
		}
		if was, ok := sums[key]; ok && was != sum(b) {
			return nil, fault.Newf(fault.Metadata, "line %d of the manifest repeats a key with another sum", n)
		}
		sums[key] = sum(b)
	}
	if err := lines.Err(); err != nil {
		return nil, fault.Newf(fault.Metadata, "line %d of the manifest: %w", n+1, err)
	}
	return sums, nil
}
