package zip_test

import (
	gozip "archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

// live opens the archive for each call, so that it sees the writes of filler. If apart is set,
// every value has a separate archive, because a write changes the versions of all values in an
// archive.
type live struct {
	store.Store // store of the archives
	apart       bool
	deflate     bool

	mu       sync.Mutex
	values   map[string][]byte
	deflater *flate.Writer
}

func newLive(st store.Store, apart, deflate bool) *live {
	return &live{Store: st, apart: apart, deflate: deflate, values: map[string][]byte{}}
}

func (l *live) archive(key string) string {
	if l.apart {
		return fmt.Sprintf("%08x.zip", crc32.ChecksumIEEE([]byte(key)))
	}
	return "all.zip"
}

func (l *live) open(ctx context.Context, archive string) (store.Store, error) {
	st, err := zip.Open(context.WithoutCancel(ctx), l.Store, archive)
	if errors.Is(err, fault.NotFound) {
		_, err = zip.Save(context.WithoutCancel(ctx), l.Store, archive, store.PutOptions{}, func(*zip.Writer) error { return nil })
		if err == nil {
			st, err = zip.Open(context.WithoutCancel(ctx), l.Store, archive)
		}
	}
	return st, err
}

func (l *live) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	// A reader that opened before a write gets fault.Conflict, which another test covers.
	l.mu.Lock()
	defer l.mu.Unlock()
	st, err := l.open(ctx, l.archive(key))
	if err != nil {
		return store.Value{}, err
	}
	return st.Get(ctx, key, o, buf)
}

func (l *live) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		archives := map[string]bool{l.archive(""): true}
		for k := range l.values {
			archives[l.archive(k)] = true
		}
		dirs := map[string]bool{}
		for _, a := range slices.Sorted(maps.Keys(archives)) {
			st, err := l.open(ctx, a)
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			for e, err := range st.List(ctx, prefix, o) {
				if e.Dir && dirs[e.Key] {
					continue
				}
				dirs[e.Key] = e.Dir
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

func (l *live) Put(ctx context.Context, key string, _ []byte, o store.PutOptions) (store.Version, error) {
	st, err := l.open(ctx, l.archive("none"))
	if err != nil {
		return "", err
	}
	return st.Put(ctx, key, nil, o)
}

func (l *live) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	st, err := l.open(ctx, l.archive("none"))
	if err != nil {
		return err
	}
	return st.Delete(ctx, key, o)
}

// filler writes to the archives of a live store.
type filler struct{ *live }

func (f filler) Put(ctx context.Context, key string, value []byte, _ store.PutOptions) (store.Version, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.values[key] = slices.Clone(value)
	return "", f.write(ctx, key)
}

func (f filler) Delete(ctx context.Context, key string, _ store.DeleteOptions) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.values, key)
	return f.write(ctx, key)
}

func (f filler) write(ctx context.Context, key string) error {
	if f.deflate {
		var b bytes.Buffer
		w := gozip.NewWriter(&b)
		w.RegisterCompressor(gozip.Deflate, f.compressor)
		for k, v := range f.of(key) {
			e, err := w.Create(k) // deflated, with a data descriptor
			if err != nil {
				return err
			}
			if _, err := e.Write(v); err != nil {
				return err
			}
		}
		if err := w.Close(); err != nil {
			return err
		}
		_, err := f.Store.Put(ctx, f.archive(key), b.Bytes(), store.PutOptions{})
		return err
	}
	_, err := zip.Save(ctx, f.Store, f.archive(key), store.PutOptions{}, func(w *zip.Writer) error {
		for k, v := range f.of(key) {
			if err := w.Add(k, v); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// compressor returns the store's compressor, which takes a megabyte. archive/zip would allocate one
// for each value whenever its pool is empty. Entries are written one after another.
func (f filler) compressor(w io.Writer) (io.WriteCloser, error) {
	if f.deflater == nil {
		var err error
		f.deflater, err = flate.NewWriter(w, flate.DefaultCompression)
		return f.deflater, err
	}
	f.deflater.Reset(w)
	return f.deflater, nil
}

// of returns the values that share an archive with key.
func (f filler) of(key string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for k, v := range f.values {
			if f.archive(k) == f.archive(key) && !yield(k, v) {
				return
			}
		}
	}
}

// unversioned hides the versions and the optional verbs of a store.
type unversioned struct{ store.Store }

func (u unversioned) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if o.IfVersion != "" || o.IfNotVersion != "" {
		return store.Value{}, errors.ErrUnsupported
	}
	v, err := u.Store.Get(ctx, key, o, buf)
	v.Version = ""
	return v, err
}

func TestStore(t *testing.T) {
	fills := storetest.Writer(func(s store.Store) store.Store { return filler{s.(*live)} })
	few := []storetest.Option{fills, storetest.Keys(150), storetest.Rounds(3)}
	for name, deflate := range map[string]bool{"stored": false, "deflated": true} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(*testing.T) store.Store { return newLive(mem.New(), true, deflate) }, few...)
		})
		t.Run(name+" in one archive without versions", func(t *testing.T) {
			storetest.Run(t, func(*testing.T) store.Store { return newLive(unversioned{mem.New()}, false, deflate) },
				append(few, storetest.Without(storetest.Versions))...)
		})
	}
}

// counted counts the requests of a store.
type counted struct {
	store.Store
	n int
}

func (c *counted) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	c.n++
	return c.Store.Get(ctx, key, o, buf)
}

func (c *counted) take() int {
	defer func() { c.n = 0 }()
	return c.n
}

// noLast is a store without suffix ranges.
type noLast struct{ store.Store }

func (s noLast) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if _, ok := o.Range.IsSuffix(); ok {
		return store.Value{}, errors.ErrUnsupported
	}
	return s.Store.Get(ctx, key, o, buf)
}

func TestRequests(t *testing.T) {
	ctx := t.Context()
	base := mem.New()
	chunk := func(i int) []byte { return bytes.Repeat([]byte(fmt.Sprintf("%06d ", i)), 40) }
	_, err := zip.Save(ctx, base, "x.zip", store.PutOptions{}, func(w *zip.Writer) error {
		for i := range 10_000 {
			if err := w.Add(fmt.Sprintf("t2m/c/%d", i), chunk(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{Store: base}
	for name, st := range map[string]store.Store{"last": c, "no last": noLast{c}} {
		t.Run(name, func(t *testing.T) {
			z, err := zip.Open(ctx, st, "x.zip", zip.Inner("t2m"))
			if n := c.take(); err != nil || n > 3 {
				t.Fatalf("opening took %d requests: %v", n, err)
			}
			for i := range 10_000 {
				v, err := z.Get(ctx, fmt.Sprintf("c/%d", i), store.GetOptions{}, nil)
				if n := c.take(); err != nil || n != 1 || !bytes.Equal(v.Bytes, chunk(i)) {
					t.Fatalf("chunk %d took %d requests: %v", i, n, err)
				}
			}
		})
	}
}

// TestRequestsOfParts checks that only the first read of a part of a large stored value also reads
// the header.
func TestRequestsOfParts(t *testing.T) {
	ctx := t.Context()
	base := &counted{Store: mem.New()}
	value := bytes.Repeat([]byte("0123456789abcdef"), 1<<14)
	put(t, base, "x.zip", func(w *zip.Writer) error { return w.Add("shard", value) })
	z := open(t, base, "x.zip")
	base.take()
	for _, want := range []int{2, 1, 1} {
		v, err := z.Get(ctx, "shard", store.GetOptions{Range: store.Within(100_000, 20), Max: 20}, nil)
		if n := base.take(); err != nil || n != want || !bytes.Equal(v.Bytes, value[100_000:100_020]) {
			t.Errorf("%d requests, want %d: %v", n, want, err)
		}
	}
}

func put(t *testing.T, st store.Store, key string, fill func(*zip.Writer) error) {
	t.Helper()
	if _, err := zip.Save(t.Context(), st, key, store.PutOptions{}, fill); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, st store.Store, key string, opts ...zip.Option) store.Store {
	t.Helper()
	z, err := zip.Open(t.Context(), st, key, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestReplacedArchive(t *testing.T) {
	base := mem.New()
	fill := func(w *zip.Writer) error { return w.Add("k", []byte("value")) }
	put(t, base, "x.zip", fill)
	z := open(t, base, "x.zip")
	put(t, base, "x.zip", fill)
	if _, err := z.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.Conflict) {
		t.Errorf("replaced: %v", err)
	}
	for name, st := range map[string]store.Store{"pinned": base, "without versions": unversioned{base}} {
		put(t, base, "x.zip", fill)
		z := open(t, st, "x.zip")
		if err := base.Delete(t.Context(), "x.zip", store.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := z.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.Conflict) || errors.Is(err, fault.NotFound) {
			t.Errorf("deleted, %s: %v", name, err)
		}
	}
}

func TestAbsentArchive(t *testing.T) {
	if _, err := zip.Open(t.Context(), mem.New(), "x.zip"); !errors.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
	if _, err := zip.Open(t.Context(), mem.New(), "x.zip", zip.Inner("../a")); !errors.Is(err, fault.Path) {
		t.Errorf("got %v", err)
	}
}

// TestWriterForGo checks that Go's archive/zip accepts archives of the Writer, and that equal
// values make equal archives.
func TestWriterForGo(t *testing.T) {
	var a, b bytes.Buffer
	for _, out := range []*bytes.Buffer{&a, &b} {
		w := zip.NewWriter(out)
		for i := range 70_000 { // more than 16 bits can count, which requires zip64
			if err := w.Add(fmt.Sprintf("é/%d", i), []byte(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Add("é/7", nil); !errors.Is(err, fault.Exists) {
			t.Errorf("twice: %v", err)
		}
		if err := w.Add("../x", nil); !errors.Is(err, fault.Path) {
			t.Errorf("unsafe: %v", err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Add("late", nil); !errors.Is(err, fault.ReadOnly) {
			t.Errorf("after Close: %v", err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two archives of the same values differ")
	}
	r, err := gozip.NewReader(bytes.NewReader(a.Bytes()), int64(a.Len()))
	if err != nil || len(r.File) != 70_000 {
		t.Fatalf("%d files, %v", len(r.File), err)
	}
	for i, f := range r.File[:100] {
		c, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(c)
		if err != nil || string(got) != fmt.Sprint(i) || f.Name != fmt.Sprintf("é/%d", i) {
			t.Errorf("%s holds %q, %v", f.Name, got, err)
		}
	}
	st := mem.New()
	if _, err := st.Put(t.Context(), "x.zip", append([]byte("something before the archive"), a.Bytes()...), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	v, err := open(t, st, "x.zip").Get(t.Context(), "é/69999", store.GetOptions{}, nil)
	if err != nil || string(v.Bytes) != "69999" {
		t.Errorf("%q, %v", v.Bytes, err)
	}
}

// TestSaveInParts checks that Save sends parts, and stores nothing if filling fails.
func TestSaveInParts(t *testing.T) {
	st := mem.New()
	value := bytes.Repeat([]byte("0123456789"), 1_000_000)
	put(t, st, "x.zip", func(w *zip.Writer) error {
		return errors.Join(w.Add("a", value), w.Add("b", value), w.Add("c", slices.Concat(value, value, value, value)))
	})
	z := open(t, st, "x.zip")
	for key, n := range map[string]int{"a": 1, "b": 1, "c": 4} {
		v, err := z.Get(t.Context(), key, store.GetOptions{}, nil)
		if err != nil || !bytes.Equal(v.Bytes, bytes.Repeat(value, n)) {
			t.Errorf("%s: %d bytes, %v", key, len(v.Bytes), err)
		}
	}
	broken := errors.New("broken")
	_, err := zip.Save(t.Context(), st, "y.zip", store.PutOptions{}, func(w *zip.Writer) error {
		return errors.Join(w.Add("a", bytes.Repeat(value, 4)), broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if _, err := st.Get(t.Context(), "y.zip", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
		t.Errorf("an archive that was not completed shows: %v", err)
	}
	_, err = zip.Save(t.Context(), st, "x.zip", store.PutOptions{IfAbsent: true}, func(*zip.Writer) error { return nil })
	if !errors.Is(err, fault.Exists) {
		t.Errorf("over another: %v", err)
	}
}
