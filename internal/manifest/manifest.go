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

const (
	// part is the most of a value that is in memory. 8 MiB: a request of it costs little beside its
	// bytes.
	part = 8 << 20
	// inFlight is how many values are read at once. 16 of 8 MiB: 128 MiB.
	inFlight = 16
	// maxLine bounds a line of a manifest: the longest key, each byte escaped, and its sum.
	maxLine = 2*store.MaxKey + 128
)

type sum [sha256.Size]byte

// Result is what a check found; keys are sorted.
type Result struct {
	Same    int      `json:"same"`
	Missing []string `json:"missing"` // in the manifest alone
	Changed []string `json:"changed"`
	Extra   []string `json:"extra"` // in the store alone
}

// OK reports whether the store holds what the manifest says, and no more.
func (r *Result) OK() bool { return len(r.Missing)+len(r.Changed)+len(r.Extra) == 0 }

// Option changes what Write and Check do besides.
type Option func(*work)

// Progress has f called when it is known what is there, and after each value or part of a large
// one, one call at a time: how many bytes were read, and of how many. Values whose length the
// listing does not say add to both when they are read.
func Progress(f func(done, total int64)) Option { return func(w *work) { w.progress = f } }

// Limits reserves the memory for values from l instead of concurrency.Default.
func Limits(l *concurrency.Limits) Option { return func(w *work) { w.limits = l } }

// work is one call of Write or Check.
type work struct {
	st       store.Store
	limits   *concurrency.Limits
	progress func(done, total int64)

	mu          sync.Mutex
	done, total int64
}

func newWork(st store.Store, opts []Option) *work {
	r := &work{st: st, limits: concurrency.Default()}
	for _, o := range opts {
		o(r)
	}
	return r
}

// begin says how many bytes there are to read.
func (r *work) begin(keys []string, sizes map[string]int64) {
	for _, key := range keys {
		r.total += max(sizes[key], 0)
	}
	r.read(0, 0)
}

// read counts bytes that were read, of a value whose length is size by the listing.
func (r *work) read(n int, size int64) {
	if r.progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += int64(n)
	if size < 0 {
		r.total += int64(n)
	}
	r.progress(r.done, r.total)
}

// Write writes the manifest of all keys in a store. Nothing is written before all values were read.
func Write(ctx context.Context, st store.Store, w io.Writer, opts ...Option) error {
	r := newWork(st, opts)
	sizes, err := list(ctx, st)
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

// Check reads a manifest, and all values that it names. A line that is none of sha256sum is
// fault.Metadata.
func Check(ctx context.Context, st store.Store, manifest io.Reader, opts ...Option) (*Result, error) {
	w := newWork(st, opts)
	want, err := parse(manifest)
	if err != nil {
		return nil, err
	}
	sizes, err := list(ctx, st)
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

// list gives the size of each value, -1 where the listing does not have it.
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

// hash sums a value, in parts where it is large.
func (r *work) hash(ctx context.Context, key string, size int64) (sum, error) {
	n := int64(part)
	if size >= 0 {
		n = min(n, size)
	}
	hold, err := r.limits.Bytes.Acquire(ctx, concurrency.Task, n)
	if err != nil {
		return sum{}, err
	}
	defer hold.Release()
	if size <= part {
		v, err := r.st.Get(ctx, key, store.GetOptions{Max: part}, hold.Buffer(int(max(size, 0))))
		if !errors.Is(err, fault.Limit) {
			r.read(len(v.Bytes), size)
			return sha256.Sum256(v.Bytes), err
		}
	}
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

// parse reads lines as sha256sum writes them.
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
			return nil, fault.Newf(fault.Metadata, "line %d of the manifest is not one of sha256sum", n)
		}
		key = strings.TrimPrefix(key[1:], "./")
		if escaped {
			key = unescape.Replace(key)
		}
		if was, ok := sums[key]; ok && was != sum(b) {
			return nil, fault.Newf(fault.Metadata, "line %d of the manifest has another sum for a key that it has already", n)
		}
		sums[key] = sum(b)
	}
	if err := lines.Err(); err != nil {
		return nil, fault.Newf(fault.Metadata, "line %d of the manifest: %w", n+1, err)
	}
	return sums, nil
}
