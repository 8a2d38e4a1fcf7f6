package storetest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// broken is a store over mem without optional verbs. Each of its verbs can be replaced.
type broken struct {
	mem    *mem.Store
	get    func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error)
	put    func(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error)
	delete func(ctx context.Context, key string, o store.DeleteOptions) error
	list   func(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error]
}

func (b *broken) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if b.get != nil {
		return b.get(ctx, key, o, buf)
	}
	return b.mem.Get(ctx, key, o, buf)
}

func (b *broken) Put(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
	if b.put != nil {
		return b.put(ctx, key, v, o)
	}
	return b.mem.Put(ctx, key, v, o)
}

func (b *broken) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if b.delete != nil {
		return b.delete(ctx, key, o)
	}
	return b.mem.Delete(ctx, key, o)
}

func (b *broken) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	if b.list != nil {
		return b.list(ctx, prefix, o)
	}
	return b.mem.List(ctx, prefix, o)
}

func (b *broken) Close() error { return nil }

// errNone is an error without a kind.
var errNone = errors.New("something")

func TestBrokenStoresAreReported(t *testing.T) {
	tests := []struct {
		name   string
		clause string // clause that must be among the reported clauses
		breaks func(b *broken)
	}{
		{"absent reads as empty", "only a proven absence is fault.NotFound", func(b *broken) {
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				v, err := b.mem.Get(ctx, key, o, buf)
				if errors.Is(err, fault.NotFound) {
					return store.Value{Bytes: buf}, nil
				}
				return v, err
			}
		}},
		{"errors without a KeyError", "errors are *fault.KeyError", func(b *broken) {
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				v, err := b.mem.Get(ctx, key, o, buf)
				if errors.Is(err, fault.NotFound) {
					return v, fault.NotFound
				}
				return v, err
			}
		}},
		{"short values are cut", "a value shorter than the range is fault.Corrupt", func(b *broken) {
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				v, err := b.mem.Get(ctx, key, o, buf)
				if errors.Is(err, fault.Corrupt) {
					o.Range = store.Range{}
					return b.mem.Get(ctx, key, o, buf)
				}
				return v, err
			}
		}},
		{"Size is of the range", "Size is that of the whole value", func(b *broken) {
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				v, err := b.mem.Get(ctx, key, o, buf)
				v.Size = int64(len(v.Bytes) - len(buf))
				return v, err
			}
		}},
		{"Max is ignored", "more bytes than Max are fault.Limit", func(b *broken) {
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				o.Max = 0
				return b.mem.Get(ctx, key, o, buf)
			}
		}},
		{"buf is replaced", "Bytes is buf with the selected bytes appended", func(b *broken) {
			b.get = func(ctx context.Context, key string, o store.GetOptions, _ []byte) (store.Value, error) {
				return b.mem.Get(ctx, key, o, nil)
			}
		}},
		{"buf is copied", "Bytes uses buf's array", func(b *broken) {
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				return b.mem.Get(ctx, key, o, bytes.Clone(buf))
			}
		}},
		{"returned bytes are shared", "the returned bytes belong to the caller", func(b *broken) {
			var last sync.Map
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				v, err := b.mem.Get(ctx, key, o, buf)
				if err != nil || key != "buffer" || buf != nil {
					return v, err
				}
				was, _ := last.LoadOrStore(string(v.Version), v.Bytes)
				v.Bytes = was.([]byte)
				return v, nil
			}
		}},
		{"pins are ignored by Get", "a pinned Get is fault.Conflict", func(b *broken) {
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				o.IfVersion = ""
				return b.mem.Get(ctx, key, o, buf)
			}
		}},
		{"a pinned absence is NotFound", "a pinned Get is fault.Conflict, never NotFound", func(b *broken) {
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				if _, err := b.mem.Get(ctx, key, store.GetOptions{Max: 1}, nil); errors.Is(err, fault.NotFound) {
					return store.Value{}, err
				}
				return b.mem.Get(ctx, key, o, buf)
			}
		}},
		{"the Value is not zero on error", "on error the Value is zero", func(b *broken) {
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				v, err := b.mem.Get(ctx, key, o, buf)
				if err != nil {
					v.Size = 1
				}
				return v, err
			}
		}},
		{"the version is the length", "values that differ in a byte never have the same Version", func(b *broken) {
			version := func(n int) store.Version { return store.Version(fmt.Sprint(n)) }
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				v, err := b.mem.Get(ctx, key, store.GetOptions{Range: o.Range, Max: o.Max}, buf)
				if err == nil {
					v.Version = version(int(v.Size))
				}
				return v, err
			}
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				_, err := b.mem.Put(ctx, key, v, store.PutOptions{})
				return version(len(v)), err
			}
		}},
		{"IfAbsent looks, then writes", "exactly one of many IfAbsent writes succeeds", func(b *broken) {
			var mu sync.Mutex
			waiting, all := 0, make(chan struct{})
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				if !o.IfAbsent || !strings.HasPrefix(key, "race") {
					return b.mem.Put(ctx, key, v, o)
				}
				if _, err := b.mem.Get(ctx, key, store.GetOptions{}, nil); err == nil {
					return "", &fault.KeyError{Op: "put", Key: key, Kind: fault.Exists}
				}
				mu.Lock()
				if waiting++; waiting == 2 {
					close(all) // two goroutines have read before either writes
				}
				mu.Unlock()
				<-all
				return b.mem.Put(ctx, key, v, store.PutOptions{})
			}
		}},
		{"IfVersion looks, then writes", "exactly one of many IfVersion writes over one version succeeds", func(b *broken) {
			var mu sync.Mutex
			waiting, two := 0, make(chan struct{})
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				if o.IfVersion == "" || key != "count" {
					return b.mem.Put(ctx, key, v, o)
				}
				if now, err := b.mem.Get(ctx, key, store.GetOptions{}, nil); err != nil || now.Version != o.IfVersion {
					return "", &fault.KeyError{Op: "put", Key: key, Kind: fault.Conflict}
				}
				mu.Lock()
				if waiting++; waiting == 2 {
					close(two) // two goroutines have read before either writes
				}
				mu.Unlock()
				<-two
				return b.mem.Put(ctx, key, v, store.PutOptions{})
			}
		}},
		{"IfVersion is ignored by Put", "IfVersion is fault.Conflict, never NotFound", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				o.IfVersion = ""
				return b.mem.Put(ctx, key, v, o)
			}
		}},
		{"IfVersion of an absent key is NotFound", "IfVersion is fault.Conflict, never NotFound", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				_, gone := b.mem.Get(ctx, key, store.GetOptions{Max: 1}, nil)
				if o.IfVersion != "" && errors.Is(gone, fault.NotFound) {
					return "", &fault.KeyError{Op: "put", Key: key, Kind: fault.NotFound}
				}
				return b.mem.Put(ctx, key, v, o)
			}
		}},
		{"both conditions are taken", "both conditions together are fault.Selection", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				if o.IfVersion != "" {
					o.IfAbsent = false
				}
				return b.mem.Put(ctx, key, v, o)
			}
		}},
		{"keys are cleaned", "a key that CheckKey refuses is fault.Path", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				return b.mem.Put(ctx, strings.Trim(key, "/"), v, o)
			}
		}},
		{"keys are unescaped", "every key that CheckKey accepts is stored unchanged", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				return b.mem.Put(ctx, strings.ReplaceAll(key, "%41", "A"), v, o)
			}
		}},
		{"deleting an absent key fails", "deleting an absent key is not an error", func(b *broken) {
			b.delete = func(ctx context.Context, key string, o store.DeleteOptions) error {
				if _, err := b.mem.Get(ctx, key, store.GetOptions{}, nil); err != nil {
					return err
				}
				return b.mem.Delete(ctx, key, o)
			}
		}},
		{"Delete ignores its condition", "Delete of another version is fault.Conflict", func(b *broken) {
			b.delete = func(ctx context.Context, key string, o store.DeleteOptions) error {
				return b.mem.Delete(ctx, key, store.DeleteOptions{})
			}
		}},
		{"the prefix ends anywhere", "Deep yields every key below the prefix, and no other", func(b *broken) {
			b.list = func(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
				return func(yield func(store.Entry, error) bool) {
					for e, err := range b.mem.List(ctx, "", o) {
						if (err != nil || strings.HasPrefix(e.Key, prefix)) && !yield(e, err) {
							return
						}
					}
				}
			}
		}},
		{"only the first page", "a listing includes all pages", func(b *broken) {
			b.list = func(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
				return func(yield func(store.Entry, error) bool) {
					n := 0
					for e, err := range b.mem.List(ctx, prefix, o) {
						if n++; n > 1000 || !yield(e, err) {
							return
						}
					}
				}
			}
		}},
		{"the context is ignored", "a cancelled context is context.Canceled", func(b *broken) {
			b.get = func(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
				return b.mem.Get(context.WithoutCancel(ctx), key, o, buf)
			}
		}},
		{"cancellation has a kind", "a cancelled context is context.Canceled, without a kind", func(b *broken) {
			b.delete = func(ctx context.Context, key string, o store.DeleteOptions) error {
				err := b.mem.Delete(ctx, key, o)
				if errors.Is(err, context.Canceled) {
					return &fault.KeyError{Op: "delete", Key: key, Kind: fault.Unavailable, Err: err}
				}
				return err
			}
		}},
		{"writes in two halves", "readers see the old or the new value, never a mixture", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				if old, err := b.mem.Get(ctx, key, store.GetOptions{}, nil); err == nil && key == "mix" && len(v) > 10 {
					if _, err := b.mem.Put(ctx, key, append(bytes.Clone(v[:10]), old.Bytes...), o); err != nil {
						return "", err
					}
					time.Sleep(2 * time.Millisecond) // gives the readers time to read
				}
				return b.mem.Put(ctx, key, v, o)
			}
		}},
		{"the options are ignored", "KeyPrefix selects the paths below the prefix that begin with it", func(b *broken) {
			b.list = func(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
				return b.mem.List(ctx, prefix, store.ListOptions{Depth: o.Depth})
			}
		}},
		{"StartAfter is inclusive", "StartAfter selects the paths below the prefix that are greater", func(b *broken) {
			b.list = func(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
				return func(yield func(store.Entry, error) bool) {
					for e, err := range b.mem.List(ctx, prefix, store.ListOptions{Depth: o.Depth, KeyPrefix: o.KeyPrefix}) {
						path := strings.TrimPrefix(e.Key, prefix+"/")
						if e.Dir {
							path += "/"
						}
						if (err != nil || path >= o.StartAfter) && !yield(e, err) {
							return
						}
					}
				}
			}
		}},
		{"a page that fails", "Deep yields every key below the prefix", func(b *broken) {
			b.list = func(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
				return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, errNone) }
			}
		}},
		{"it panics", "a store does not panic", func(b *broken) {
			b.get = func(context.Context, string, store.GetOptions, []byte) (store.Value, error) { panic(io.EOF) }
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := storetest.Check(t.Context(), func() (store.Store, error) {
				b := &broken{mem: mem.New()}
				test.breaks(b)
				return b, nil
			}, storetest.Rounds(3))
			for _, m := range misbehaviours(t, err) {
				if strings.HasPrefix(m.Clause, test.clause) {
					return
				}
			}
			t.Fatalf("no report of %q in:\n%v", test.clause, err)
		})
	}
}

func misbehaviours(t *testing.T, err error) []*storetest.Misbehaviour {
	t.Helper()
	if err == nil {
		return nil
	}
	var out []*storetest.Misbehaviour
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		var m *storetest.Misbehaviour
		if !errors.As(e, &m) {
			t.Fatalf("%T in the report: %v", e, e)
		}
		out = append(out, m)
	}
	return out
}

// TestWithoutIsChecked checks that each feature that a store declares as lacking but supports is
// reported, because such features must be refused.
func TestWithoutIsChecked(t *testing.T) {
	lacks := []storetest.Feature{
		storetest.IfVersionGet, storetest.IfNotVersionGet, storetest.IfVersionPut, storetest.IfAbsentPut,
		storetest.IfVersionDelete, storetest.LastRange,
	}
	err := storetest.Check(t.Context(), func() (store.Store, error) { return mem.New(), nil }, storetest.Without(lacks...), storetest.Keys(20))
	for _, f := range lacks {
		if err == nil || !strings.Contains(err.Error(), string(f)) {
			t.Errorf("nothing about %s in: %v", f, err)
		}
	}
	err = storetest.Check(t.Context(), func() (store.Store, error) { return mem.New(), nil }, storetest.Without(storetest.Versions))
	if err == nil || !strings.Contains(err.Error(), "a store without Versions returns none") {
		t.Errorf("nothing about Versions in: %v", err)
	}
}

// plain is a store that lacks all optional features and refuses them.
type plain struct{ *broken }

func (p plain) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	_, isLast := o.Range.IsSuffix()
	if err := errors.Join(store.CheckKey(key), o.Range.Check()); err == nil && (isLast || o.IfVersion != "" || o.IfNotVersion != "") {
		return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: errors.ErrUnsupported}
	}
	v, err := p.broken.Get(ctx, key, o, buf)
	v.Version = ""
	return v, err
}

func (p plain) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if o.IfAbsent != (o.IfVersion != "") {
		return "", &fault.KeyError{Op: "put", Key: key, Kind: errors.ErrUnsupported}
	}
	if strings.ContainsAny(key, "%: +") {
		return "", &fault.KeyError{Op: "put", Key: key, Kind: fault.Path}
	}
	_, err := p.broken.Put(ctx, key, b, o)
	return "", err
}

func (p plain) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if o.IfVersion != "" {
		return &fault.KeyError{Op: "delete", Key: key, Kind: errors.ErrUnsupported}
	}
	return p.broken.Delete(ctx, key, o)
}

func (p plain) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range p.broken.List(ctx, prefix, o) {
			e.Version = ""
			if !e.Dir && err == nil {
				e.Size = -1
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func TestReducedStorePasses(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return plain{&broken{mem: mem.New()}} }, storetest.Without(
		storetest.Versions, storetest.IfAbsentPut, storetest.LastRange, storetest.AnyKey), storetest.Keys(50), storetest.Rounds(2))
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []storetest.Option{storetest.Keys(0), storetest.Rounds(-1), storetest.Without("Nonsense")} {
		if err := storetest.Check(t.Context(), func() (store.Store, error) { return mem.New(), nil }, o); err == nil {
			t.Errorf("%v was taken", o)
		}
	}
}

// TestRequestsOfASmallRun checks the number of requests of a small run. The suite must finish in
// seconds for a network store, to which it sends most requests concurrently.
func TestRequestsOfASmallRun(t *testing.T) {
	var n requests
	err := storetest.Check(t.Context(), func() (store.Store, error) { return &counted{mem.New(), &n}, nil }, storetest.Keys(20), storetest.Rounds(2))
	if err != nil {
		t.Fatal(err)
	}
	if got := n.n.Load(); got > 2000 {
		t.Errorf("%d requests", got)
	} else {
		t.Logf("%d requests", got)
	}
}

// TestVanish checks that a store that continues as an empty store after its directory is gone is
// detected.
func TestVanish(t *testing.T) {
	err := storetest.Check(t.Context(), func() (store.Store, error) { return mem.New(), nil }, storetest.Keys(5), storetest.Rounds(1), storetest.Vanish(func(s store.Store) error {
		return s.Delete(t.Context(), "a/held", store.DeleteOptions{})
	}))
	for _, want := range []string{
		"does not prove absence: Get(a/held)", "does not prove absence: Get(a/never)", "does not prove absence: List()", "does not prove absence: Pages(a)",
		"refuses writes: Put(a/held)", "refuses writes: Put(new, IfAbsent)", "refuses writes: Delete(a/held)",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("nothing about %q in %v", want, err)
		}
	}
}
