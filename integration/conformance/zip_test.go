package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

// zipped stores each value in a separate archive, which it opens for each request so that the
// request sees the latest write. With a single archive, each write would change all versions.
type zipped struct {
	base store.Store
	mu   sync.RWMutex // prevents replacing an archive while it is read; another test covers that
	keys map[string]bool
}

const emptyArchive = "empty.zip"

func archives(t *testing.T, base store.Store) pair {
	t.Helper()
	z := &zipped{base: base, keys: map[string]bool{}}
	_, err := zip.Save(t.Context(), base, emptyArchive, store.PutOptions{}, func(*zip.Writer) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return pair{z, zipWriter{z}}
}

func (z *zipped) archive(key string) string {
	if !z.keys[key] {
		return emptyArchive
	}
	return fmt.Sprintf("%08x.zip", crc32.ChecksumIEEE([]byte(key)))
}

// holding opens the archive of a key.
func (z *zipped) holding(ctx context.Context, key string) (store.Store, error) {
	return zip.Open(ctx, z.base, z.archive(key))
}

func (z *zipped) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	z.mu.RLock()
	defer z.mu.RUnlock()
	st, err := z.holding(ctx, key)
	if err != nil {
		return store.Value{}, err
	}
	return st.Get(ctx, key, o, buf)
}

func (z *zipped) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		z.mu.RLock()
		defer z.mu.RUnlock()
		folders := map[string]bool{}
		for _, key := range append([]string{""}, slices.Sorted(maps.Keys(z.keys))...) {
			st, err := z.holding(ctx, key)
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			for e, err := range st.List(ctx, prefix, o) {
				if e.Dir && folders[e.Key] {
					continue
				}
				folders[e.Key] = e.Dir
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// Put is the Put of an opened archive.
func (z *zipped) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	st, err := z.holding(ctx, "")
	if err != nil {
		return "", err
	}
	return st.Put(ctx, key, value, o)
}

func (z *zipped) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	st, err := z.holding(ctx, "")
	if err != nil {
		return err
	}
	return st.Delete(ctx, key, o)
}

func (z *zipped) Close() error { return z.base.Close() }

// zipWriter writes the archives that zipped reads.
type zipWriter struct{ *zipped }

// Put returns no version, because it would have to open the archive for it.
func (w zipWriter) Put(ctx context.Context, key string, value []byte, _ store.PutOptions) (store.Version, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keys[key] = true
	_, err := zip.Save(ctx, w.base, w.archive(key), store.PutOptions{}, func(a *zip.Writer) error { return a.Add(key, value) })
	return "", err
}

func (w zipWriter) Delete(_ context.Context, key string, _ store.DeleteOptions) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.keys, key) // the archive remains, but is not read
	return nil
}

// buckets runs a test on every bucket.
func buckets(t *testing.T, test func(t *testing.T, b bucket.Provider)) {
	for _, b := range bucket.All() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			test(t, b)
		})
	}
}

func TestZipInBucket(t *testing.T) {
	t.Parallel()
	buckets(t, func(t *testing.T, b bucket.Provider) {
		p := inBucket(b)
		p.limits = nil // names in archives have no special characters
		check(t, p, nil, func() pair { return archives(t, p.open(t).s) }, few()...)
	})
}

// TestZipWrites checks that an archive's writer supports conditions, parts, and atomic writes on a
// bucket.
func TestZipWrites(t *testing.T) {
	t.Parallel()
	buckets(t, func(t *testing.T, b bucket.Provider) {
		st := inBucket(b).open(t).s
		defer func() { _ = st.Close() }()
		fill := func(w *zip.Writer) error { return w.Add("k", []byte("value")) }
		save := func(o store.PutOptions, fill func(*zip.Writer) error) (store.Version, error) {
			return zip.Save(t.Context(), st, "x.zip", o, fill)
		}
		first, err := save(store.PutOptions{IfAbsent: true}, fill)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := save(store.PutOptions{IfAbsent: true}, fill); !errors.Is(err, fault.Exists) {
			t.Errorf("over another: %v", err)
		}
		reader, err := zip.Open(t.Context(), st, "x.zip")
		if err != nil {
			t.Fatal(err)
		}
		large := bytes.Repeat([]byte("0123456789abcdef"), 9<<16) // 9 MiB
		parts := func(w *zip.Writer) error {                     // more than two parts of 16 MiB
			return errors.Join(w.Add("a", large), w.Add("b", large), w.Add("c", large), w.Add("d", large))
		}
		if _, err := save(store.PutOptions{IfVersion: first}, parts); err != nil {
			t.Fatal(err)
		}
		if _, err := save(store.PutOptions{IfVersion: first}, parts); !errors.Is(err, fault.Conflict) {
			t.Errorf("over another version: %v", err)
		}
		if _, err := reader.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.Conflict) {
			t.Errorf("reading a replaced archive: %v", err)
		}
		broken := errors.New("broken")
		if _, err := save(store.PutOptions{}, func(w *zip.Writer) error { return errors.Join(parts(w), broken) }); !errors.Is(err, broken) {
			t.Errorf("what fill says is lost: %v", err)
		}
		reader, err = zip.Open(t.Context(), st, "x.zip")
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"a", "d"} {
			v, err := reader.Get(t.Context(), key, store.GetOptions{}, nil)
			if err != nil || !bytes.Equal(v.Bytes, large) {
				t.Errorf("%s: %d bytes, %v", key, len(v.Bytes), err)
			}
		}
	})
}

// TestZipRequests checks that opening an archive of ten thousand chunks takes at most three
// requests, and that a chunk takes one.
func TestZipRequests(t *testing.T) {
	t.Parallel()
	const chunks = 10_000
	name := func(i int) string { return fmt.Sprintf("c/%d/%d", i/100, i%100) }
	chunk := func(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%06d ", i), 40) }
	buckets(t, func(t *testing.T, b bucket.Provider) {
		url := b.URL(t)
		p := inBucket(b)
		proxy := faultproxy.Start(t, bucket.Endpoint(t, url), faultproxy.Config{RewriteHost: b.OwnHost})
		st := p.net.open(t, url, proxy.Addr()).s
		defer func() { _ = st.Close() }()
		_, err := zip.Save(t.Context(), st, "x.zip", store.PutOptions{}, func(w *zip.Writer) error {
			for i := range chunks {
				if err := w.Add(name(i), chunk(i)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		proxy.Reset()
		z, err := zip.Open(t.Context(), st, "x.zip")
		if err != nil {
			t.Fatal(err)
		}
		opening := proxy.Stats().Requests
		if opening < 1 || opening > 3 {
			t.Errorf("opening took %d requests", opening)
		}
		proxy.Reset()
		const sample = 500
		err = concurrency.EachN(t.Context(), 16, sample, func(ctx context.Context, i int) error {
			n := i * (chunks - 1) / (sample - 1) // includes the first and the last
			v, err := z.Get(ctx, name(n), store.GetOptions{}, nil)
			if err == nil && !bytes.Equal(v.Bytes, chunk(n)) {
				err = fmt.Errorf("chunk %d holds %q", n, v.Bytes)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := proxy.Stats().Requests; n != sample {
			t.Errorf("%d chunks took %d requests", sample, n)
		}
		t.Logf("opening took %d requests, %d chunks %d", opening, sample, proxy.Stats().Requests)
	})
}
