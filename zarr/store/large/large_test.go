package large_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/large"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

var small = large.Options{SplitAbove: 100, PartAbove: 100, Piece: 40, InFlight: 3}

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return large.New(mem.New(), small) })
}

// TestWithoutVersions checks that if reads cannot be pinned, the second and later reads are not
// split.
func TestWithoutVersions(t *testing.T) {
	l := &log{}
	m := noVersions{mem.New()}
	s := large.New(l.around(m), small)
	value := random(300)
	if _, err := m.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]string{{"get whole", "get whole"}, {"get whole"}} {
		if v, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || !bytes.Equal(v.Bytes, value) {
			t.Error(err)
		}
		if got := l.take(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// noVersions is a store whose reads return no version.
type noVersions struct{ *mem.Store }

func (n noVersions) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := n.Store.Get(ctx, key, o, buf)
	var long *store.TooLong
	if errors.As(err, &long) {
		long.Version = ""
	}
	v.Version = ""
	return v, err
}

// log records the requests to a store.
type log struct {
	mu    sync.Mutex
	lines []string
	now   int
	most  int
}

func (l *log) around(s store.Store) store.Store {
	return store.Around(s, store.Hooks{
		Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.now++
			l.most = max(l.most, l.now)
			return ctx, nil
		},
		After: func(_ context.Context, c store.Call, _ store.Result) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.now--
			line := string(c.Op)
			switch c.Op {
			case store.OpGet:
				line += " " + c.Range.String()
			case store.OpPart:
				line += fmt.Sprintf(" %d: %d", c.Part, c.Bytes)
			}
			l.lines = append(l.lines, line)
		},
	})
}

// take returns the requests since its last call, sorted.
func (l *log) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	slices.Sort(lines)
	return lines
}

func random(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(n)})
	_, _ = r.Read(b)
	return b
}

func TestRequests(t *testing.T) {
	l := &log{}
	m := mem.New()
	s := large.New(l.around(m), small)
	values, versions := map[string][]byte{}, map[string]store.Version{}
	for _, n := range []int{0, 99, 100, 101, 230} {
		key := fmt.Sprint(n)
		values[key] = random(n)
		v, err := s.Put(t.Context(), key, values[key], store.PutOptions{IfAbsent: true})
		if err != nil {
			t.Fatal(err)
		}
		versions[key] = v
		want := []string{"put"}
		if n >= 100 {
			want = []string{"commit"}
			for i := range (n + 39) / 40 {
				want = append(want, fmt.Sprintf("part %d: %d", i, min(40, n-40*i)))
			}
			want = append(want, "parts")
		}
		if got := l.take(); !slices.Equal(got, want) {
			t.Errorf("put of %d bytes: %q, want %q", n, got, want)
		}
	}
	for _, c := range []struct {
		name     string
		key      string
		o        store.GetOptions
		from, to int
		want     []string
	}{
		{"empty", "0", store.GetOptions{}, 0, 0, []string{"get whole"}},
		{"below", "99", store.GetOptions{}, 0, 99, []string{"get whole"}},
		{"as long", "100", store.GetOptions{}, 0, 100, []string{"get whole"}},
		{"bounded below", "99", store.GetOptions{Max: 100}, 0, 99, []string{"get whole"}},
		{"one more", "101", store.GetOptions{Max: 101}, 0, 101, []string{"get 0+34", "get 34+34", "get 68+33", "get whole"}},
		{"longer", "230", store.GetOptions{}, 0, 230, []string{"get 0+39", "get 117+39", "get 156+39", "get 195+35", "get 39+39", "get 78+39", "get whole"}},
		{"short range", "230", store.GetOptions{Range: store.Within(7, 100)}, 7, 107, []string{"get 7+100"}},
		{"range", "230", store.GetOptions{Range: store.Within(7, 120)}, 7, 127, []string{"get 47+40", "get 7+40", "get 87+40"}},
		{"range by version", "230", store.GetOptions{Range: store.Within(7, 120), IfVersion: "last"}, 7, 127, []string{"get 47+40", "get 7+40", "get 87+40"}},
		{"from", "230", store.GetOptions{Range: store.From(7)}, 7, 230, []string{"get 7-"}},
		{"suffix", "230", store.GetOptions{Range: store.Suffix(150)}, 80, 230, []string{"get last 150"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.o.IfVersion != "" {
				c.o.IfVersion = versions[c.key]
			}
			want := values[c.key]
			buf := append(make([]byte, 0, 5+len(want)), "held "...)
			v, err := s.Get(t.Context(), c.key, c.o, buf)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(v.Bytes, append([]byte("held "), want[c.from:c.to]...)) || &v.Bytes[0] != &buf[0] {
				t.Errorf("other bytes, or not in the caller's buffer")
			}
			if v.Size != int64(len(want)) || v.Version != versions[c.key] {
				t.Errorf("size %d, version %q", v.Size, v.Version)
			}
			if got := l.take(); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if l.most > small.InFlight {
		t.Errorf("%d requests at once", l.most)
	}
	if v, err := s.Get(t.Context(), "230", store.GetOptions{}, nil); err != nil || !bytes.Equal(v.Bytes, values["230"]) || cap(v.Bytes) != 230 {
		t.Errorf("%d bytes in an array of %d, %v", len(v.Bytes), cap(v.Bytes), err)
	}
	l.take()
	var long *store.TooLong
	if _, err := s.Get(t.Context(), "230", store.GetOptions{Max: 229}, nil); !errors.As(err, &long) || *long != (store.TooLong{Announced: 230, Max: 229, Version: versions["230"]}) {
		t.Error(err)
	}
	if got := l.take(); !slices.Equal(got, []string{"get whole"}) {
		t.Errorf("%q", got)
	}
}

// TestNeverMeansNotThere checks that New returns the store itself if its values are never split.
func TestNeverMeansNotThere(t *testing.T) {
	m := mem.New()
	if s := large.New(m, large.Options{}); s != store.Store(m) {
		t.Errorf("%T", s)
	}
}

// replacing is a store that replaces the value after a number of requests, as long as it has other
// values.
type replacing struct {
	*mem.Store
	after, gets atomic.Int64
	values      [][]byte
	mu          sync.Mutex
}

func (r *replacing) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := r.Store.Get(ctx, key, o, buf)
	if r.gets.Add(1) == r.after.Load() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if next := r.values[0]; next != nil {
			_, _ = r.Put(ctx, key, next, store.PutOptions{})
		} else {
			_ = r.Delete(ctx, key, store.DeleteOptions{})
		}
	}
	return v, err
}

// TestReplacedWhileRead checks that bytes of two values are never mixed.
func TestReplacedWhileRead(t *testing.T) {
	old := random(500)
	for _, next := range [][]byte{random(501), random(60), {}, nil} {
		for after := range int64(8) {
			for _, o := range []store.GetOptions{{}, {Range: store.Within(3, 450)}, {IfVersion: "1"}, {Range: store.Within(3, 450), IfVersion: "1"}} {
				r := &replacing{Store: mem.New(), values: [][]byte{next}}
				r.after.Store(after)
				if _, err := r.Put(t.Context(), "k", old, store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
				v, err := large.New(r, small).Get(t.Context(), "k", o, nil)
				off, n, _ := o.Range.Resolve(500)
				switch {
				case err == nil && v.Version == "1" && bytes.Equal(v.Bytes, old[off:off+n]) && v.Size == 500:
				case err == nil && o.IfVersion == "" && o.Range.IsWhole() && next != nil && bytes.Equal(v.Bytes, next):
				case err == nil && o.IfVersion == "" && len(next) > 500 && bytes.Equal(v.Bytes, next[off:off+n]):
				case errors.Is(err, fault.Conflict) && o.IfVersion != "":
				case errors.Is(err, fault.NotFound) && o.IfVersion == "" && next == nil:
				case errors.Is(err, fault.Corrupt) && o.IfVersion == "" && next != nil && len(next) < 453 && !o.Range.IsWhole():
				default:
					t.Errorf("replaced by %d bytes after %d requests, %+v: %d bytes of version %q, %v", len(next), after, o, len(v.Bytes), v.Version, err)
				}
			}
		}
	}
}

// liar is a store that announces more bytes than it has.
type liar struct {
	*mem.Store
	size int64
}

func (l liar) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if _, n, ok := o.Range.IsWithin(); ok && n > 300 {
		return store.Value{}, &fault.KeyError{Op: "get", Store: "liar", Key: key, Err: fault.Newf(fault.Unavailable, "gone")}
	}
	v, err := l.Store.Get(ctx, key, o, buf)
	var long *store.TooLong
	if errors.As(err, &long) {
		long.Announced = l.size
	}
	v.Size = l.size
	return v, err
}

// TestAnnouncedSizeIsNotBelieved checks that an announced length causes an allocation of at most 64
// MiB.
func TestAnnouncedSizeIsNotBelieved(t *testing.T) {
	l := liar{mem.New(), 1 << 50}
	if _, err := l.Put(t.Context(), "k", random(300), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := large.New(l, large.Options{SplitAbove: 100, Piece: 16 << 20}).Get(t.Context(), "k", store.GetOptions{}, nil)
	if !errors.Is(err, fault.Unavailable) && !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
}

// failing is a store in which fail decides which parts and commits fail.
type failing struct {
	*mem.Store
	fail    func(ctx context.Context, c store.Call) error
	aborted atomic.Int64
}

func (f *failing) store() store.Store {
	return store.Around(f.Store, store.Hooks{
		Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if c.Op == store.OpAbort && ctx.Err() == nil {
				f.aborted.Add(1)
			}
			return ctx, f.fail(ctx, c)
		},
	})
}

// TestFailedPutLeavesNothing checks that the parts of a failed Put are removed, even if the context
// has ended.
func TestFailedPutLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	refused := &fault.KeyError{Op: "put", Key: "k", Err: fault.Refused}
	for _, c := range []struct {
		name string
		fail func(context.Context, store.Call) error
		want error
	}{
		{"a part", func(_ context.Context, c store.Call) error {
			if c.Op == store.OpPart && c.Part == 2 {
				return refused
			}
			return nil
		}, fault.Refused},
		{"the commit", func(_ context.Context, c store.Call) error {
			if c.Op == store.OpCommit {
				return refused
			}
			return nil
		}, fault.Refused},
		{"the context", func(ctx context.Context, c store.Call) error {
			if c.Op == store.OpPart && c.Part == 2 {
				cancel()
				return ctx.Err()
			}
			return nil
		}, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &failing{Store: mem.New(), fail: c.fail}
			_, err := large.New(f.store(), small).Put(ctx, "k", random(500), store.PutOptions{})
			if !errors.Is(err, c.want) {
				t.Error(err)
			}
			if f.aborted.Load() != 1 {
				t.Errorf("aborted %d times", f.aborted.Load())
			}
			if _, err := f.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
				t.Error(err)
			}
		})
	}
}

// TestCutCostsAPart checks that only the part that failed is sent again.
func TestCutCostsAPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &log{}
		var failed atomic.Int64
		f := &failing{Store: mem.New(), fail: func(_ context.Context, c store.Call) error {
			cut := c.Op == store.OpPart && c.Part == 3 || c.Op == store.OpGet && c.Range == store.Within(200, 100)
			if cut && failed.Add(1)%3 != 0 {
				return &fault.KeyError{Op: "put", Key: "k", Err: fault.Unavailable}
			}
			return nil
		}}
		below, err := retry.New(l.around(f.store()))
		if err != nil {
			t.Fatal(err)
		}
		s := large.New(below, large.Options{SplitAbove: 100, PartAbove: 100, Piece: 100})
		value := random(500)
		if _, err := s.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		want := []string{"commit", "part 0: 100", "part 1: 100", "part 2: 100", "part 3: 100", "part 3: 100", "part 3: 100", "part 4: 100", "parts"}
		if got := l.take(); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if v, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || !bytes.Equal(v.Bytes, value) {
			t.Error(err)
		}
		want = []string{"get 0+100", "get 100+100", "get 200+100", "get 200+100", "get 200+100", "get 300+100", "get 400+100", "get whole"}
		if got := l.take(); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	})
}

// distant is a store with a value of 1 GiB. It simulates connections of 85 MB/s with a latency of
// 30 ms, and transfers no bytes.
type distant struct{ *mem.Store }

const gib = 1 << 30

func wait(ctx context.Context, n int64) error {
	if concurrency.Sleep(ctx, 30*time.Millisecond+time.Duration(n)*time.Second/85e6) != nil {
		return ctx.Err()
	}
	return nil
}

func (distant) Get(ctx context.Context, _ string, o store.GetOptions, buf []byte) (store.Value, error) {
	_, n, err := o.Range.Resolve(gib)
	if err == nil && o.Max > 0 && n > o.Max {
		err, n = &store.TooLong{Announced: n, Max: o.Max, Version: "1"}, 0
	}
	if err := errors.Join(err, wait(ctx, n)); err != nil {
		return store.Value{}, err
	}
	return store.Value{Bytes: buf[:len(buf)+int(n)], Size: gib, Version: "1"}, nil
}

func (d distant) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	p, err := d.Store.PutParts(ctx, key, o)
	return distantParts{p}, errors.Join(err, wait(ctx, 0))
}

type distantParts struct{ store.Parts }

func (distantParts) Part(ctx context.Context, _ int, b []byte) error { return wait(ctx, int64(len(b))) }

func (p distantParts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	return "1", wait(ctx, 0)
}

// TestAtOnce checks that with the default settings 1 GiB takes about one second, and not 12.6 s.
func TestAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := large.New(distant{mem.New()}, large.Options{SplitAbove: 32 << 20, PartAbove: 64 << 20})
		value := make([]byte, gib) // its pages are never touched
		begin := time.Now()
		if _, err := s.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		put := time.Since(begin)
		begin = time.Now()
		if _, err := s.Get(t.Context(), "k", store.GetOptions{}, value[:0]); err != nil {
			t.Fatal(err)
		}
		get := time.Since(begin)
		t.Logf("1 GiB put in %v, read in %v", put, get)
		if put > time.Second || get > time.Second {
			t.Errorf("1 GiB put in %v, read in %v", put, get)
		}
	})
}
