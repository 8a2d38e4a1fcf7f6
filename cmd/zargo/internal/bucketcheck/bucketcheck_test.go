package bucketcheck_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/bucketcheck"
	"github.com/zargo-io/zargo/internal/provider/damaged"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// on returns options that check the stores returned by open, without measuring speed.
func on(open func() store.Store) bucketcheck.Options {
	return bucketcheck.Options{Quick: true, NoSpeed: true, Open: func(context.Context, int) (store.Store, error) { return open(), nil }}
}

// left returns the keys that remain in a store.
func left(t *testing.T, s store.Store) []string {
	t.Helper()
	var keys []string
	for e, err := range s.List(context.Background(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, e.Key)
	}
	return keys
}

func TestGoodStores(t *testing.T) {
	m, folder := mem.New(), t.TempDir()
	tests := []struct {
		name        string
		open        func() store.Store
		unsupported []string
		unknown     []string
	}{
		{"mem", func() store.Store { return m }, nil, []string{"checksums"}},
		{"dir", func() store.Store { return dir.New(folder) }, nil, []string{"checksums"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, st := t.Context(), test.open()
			if _, err := st.Put(ctx, "mine/a", []byte("x"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, quick := range []bool{true, false} {
				o := on(test.open)
				o.Quick, o.NoSpeed = quick, quick
				var found []bucketcheck.Finding
				o.Found = func(f bucketcheck.Finding) { found = append(found, f) }
				r, err := bucketcheck.Run(ctx, o)
				if err != nil {
					t.Fatal(err)
				}
				if !r.Complete || !slices.Equal(found, r.Checks) || len(found) != len(bucketcheck.Checks()) || len(r.Left) > 0 {
					t.Errorf("%+v", r)
				}
				for _, f := range r.Checks {
					switch f.Verdict {
					case bucketcheck.Holds:
						if f.Consequence != "" {
							t.Errorf("%+v", f)
						}
					case bucketcheck.Unsupported:
					case bucketcheck.Unknown:
						if !slices.Contains(test.unknown, f.Name) {
							t.Errorf("%+v", f)
						}
					default:
						t.Errorf("%s: %s: %s", f.Name, f.Verdict, f.Seen)
					}
				}
				if got := left(t, st); !slices.Equal(got, []string{"mine/a"}) {
					t.Errorf("left: %q", got)
				}
				if quick != (r.Speed == nil) || len(r.Tuning) > 0 || !quick && r.Speed.Note == "" {
					t.Errorf("speed %+v, tuning %+v", r.Speed, r.Tuning)
				}
				p := o.Plan()
				if r.Objects > p.Objects || r.Cost.Requests > p.Requests || r.Cost.Sent > p.Sent || r.Cost.Received > p.Received {
					t.Errorf("it took %d objects and %+v, the plan was %v", r.Objects, r.Cost, p)
				}
			}
		})
	}
}

// broken is a mem.Store whose methods can break their contract.
type broken struct {
	*mem.Store
	get    func(key string, o store.GetOptions, v store.Value, err error) (store.Value, error)
	put    func(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error)
	delete func(ctx context.Context, key string, o store.DeleteOptions) error
	list   func(e store.Entry) bool // reports whether e is listed
	o      func(*store.ListOptions)
	parts  func(store.Parts) store.Parts
	sent   func(ctx context.Context, key string, value []byte) error
}

func (b *broken) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := b.Store.Get(ctx, key, o, buf)
	if b.get != nil {
		return b.get(key, o, v, err)
	}
	return v, err
}

func (b *broken) Put(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
	if b.put != nil {
		return b.put(ctx, key, v, o)
	}
	return b.Store.Put(ctx, key, v, o)
}

func (b *broken) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if b.delete != nil {
		return b.delete(ctx, key, o)
	}
	return b.Store.Delete(ctx, key, o)
}

func (b *broken) ListPage(ctx context.Context, prefix string, o store.ListOptions, _ string) ([]store.Entry, string, error) {
	if b.o != nil {
		b.o(&o)
	}
	var page []store.Entry
	for e, err := range b.List(ctx, prefix, o) {
		if err != nil {
			return nil, "", err
		}
		if b.list == nil || b.list(e) {
			page = append(page, e)
		}
	}
	return page, "", nil
}

func (b *broken) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	p, err := b.Store.PutParts(ctx, key, o)
	if err == nil && b.parts != nil {
		p = b.parts(p)
	}
	return p, err
}

func (b *broken) Provide(target any) bool {
	if p, ok := target.(*damaged.Put); ok && b.sent != nil {
		*p = b.sent
		return true
	}
	return false
}

// unordered is a value in parts whose Commit changes its options.
type unordered struct {
	store.Parts
	o func(store.PutOptions) store.PutOptions
}

func (p unordered) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	return p.Parts.Commit(ctx, p.o(o))
}

func refused(op, key string) error { return &fault.KeyError{Op: op, Key: key, Kind: fault.Refused} }

func TestBrokenStoresAreFound(t *testing.T) {
	tests := []struct {
		name    string
		check   string
		verdict bucketcheck.Verdict
		says    string // expected part of the consequence
		breaks  func(b *broken)
	}{
		{"IfAbsent is ignored", "put if absent", bucketcheck.Fails, "Create from one process", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				o.IfAbsent = false
				return b.Store.Put(ctx, key, v, o)
			}
		}},
		{"IfVersion is ignored", "put if version", bucketcheck.Fails, "--single-writer", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				o.IfVersion = ""
				return b.Store.Put(ctx, key, v, o)
			}
		}},
		{"IfAbsent looks and writes", "put if absent, race", bucketcheck.Fails, "overwrite that of another", func(b *broken) {
			b.put = looks(b, func(o store.PutOptions) bool { return o.IfAbsent })
		}},
		{"IfVersion looks and writes", "put if version, race", bucketcheck.Fails, "lose updates", func(b *broken) {
			b.put = looks(b, func(o store.PutOptions) bool { return o.IfVersion != "" })
		}},
		{"versions are of the bytes", "put if version, race", bucketcheck.Holds, "", func(b *broken) {
			var mu sync.Mutex
			b.get = func(_ string, _ store.GetOptions, v store.Value, err error) (store.Value, error) {
				if err == nil {
					v.Version = store.Version(v.Bytes)
				}
				return v, err
			}
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				mu.Lock()
				defer mu.Unlock()
				if now, _ := b.Store.Get(ctx, key, store.GetOptions{}, nil); o.IfVersion != "" && o.IfVersion != store.Version(now.Bytes) {
					return "", &fault.KeyError{Op: "put", Key: key, Kind: fault.Conflict}
				}
				o.IfVersion = ""
				_, err := b.Store.Put(ctx, key, v, o)
				return store.Version(v), err
			}
		}},
		{"IfVersion is not there", "put if version", bucketcheck.Unsupported, "zarr.SingleWriter", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				if o.IfVersion != "" {
					return "", &fault.KeyError{Op: "put", Key: key, Kind: errors.ErrUnsupported}
				}
				return b.Store.Put(ctx, key, v, o)
			}
		}},
		{"deletes ignore their condition", "delete if version", bucketcheck.Fails, "be deleted", func(b *broken) {
			b.delete = func(ctx context.Context, key string, _ store.DeleteOptions) error {
				return b.Store.Delete(ctx, key, store.DeleteOptions{})
			}
		}},
		{"pins are ignored", "get if version", bucketcheck.Fails, "mix two", func(b *broken) {
			b.get = func(key string, o store.GetOptions, v store.Value, err error) (store.Value, error) {
				if o.IfVersion != "" && errors.Is(err, fault.Conflict) {
					return b.Store.Get(context.Background(), key, store.GetOptions{}, nil)
				}
				return v, err
			}
		}},
		{"Unchanged is never said", "get if not version", bucketcheck.Fails, "cached index", func(b *broken) {
			b.get = func(key string, _ store.GetOptions, v store.Value, err error) (store.Value, error) {
				if errors.Is(err, fault.Unchanged) {
					return b.Store.Get(context.Background(), key, store.GetOptions{}, nil)
				}
				return v, err
			}
		}},
		{"one version for all", "versions", bucketcheck.Fails, "lose updates", func(b *broken) {
			b.get = func(_ string, _ store.GetOptions, v store.Value, err error) (store.Value, error) {
				if err == nil {
					v.Version = store.Version(fmt.Sprint(v.Size))
				}
				return v, err
			}
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				_, err := b.Store.Put(ctx, key, v, o)
				return store.Version(fmt.Sprint(len(v))), err
			}
		}},
		{"tails are of the beginning", "tails", bucketcheck.Fails, "read incorrectly", func(b *broken) {
			b.get = func(key string, o store.GetOptions, v store.Value, err error) (store.Value, error) {
				if n, ok := o.Range.IsSuffix(); ok && err == nil {
					return b.Store.Get(context.Background(), key, store.GetOptions{Range: store.Within(0, n)}, nil)
				}
				return v, err
			}
		}},
		{"tails are not there", "tails", bucketcheck.Unsupported, "whole shard", func(b *broken) {
			b.get = func(key string, o store.GetOptions, v store.Value, err error) (store.Value, error) {
				if _, ok := o.Range.IsSuffix(); ok {
					return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: errors.ErrUnsupported}
				}
				return v, err
			}
		}},
		{"ranges give everything", "inner ranges", bucketcheck.Fails, "read incorrectly", func(b *broken) {
			b.get = func(key string, o store.GetOptions, v store.Value, err error) (store.Value, error) {
				if _, _, ok := o.Range.IsWithin(); ok && err == nil {
					return b.Store.Get(context.Background(), key, store.GetOptions{}, nil)
				}
				return v, err
			}
		}},
		{"what is beyond the end is cut", "ranges beyond the end", bucketcheck.Fails, "not detected", func(b *broken) {
			b.get = func(key string, _ store.GetOptions, v store.Value, err error) (store.Value, error) {
				if errors.Is(err, fault.Corrupt) {
					return b.Store.Get(context.Background(), key, store.GetOptions{}, nil)
				}
				return v, err
			}
		}},
		{"the size is that of the range", "size", bucketcheck.Fails, "wrong offset", func(b *broken) {
			b.get = func(_ string, _ store.GetOptions, v store.Value, err error) (store.Value, error) {
				v.Size = int64(len(v.Bytes))
				return v, err
			}
		}},
		{"old values are read", "read after write", bucketcheck.Fails, "do not use a cache", func(b *broken) {
			var first store.Value
			b.get = func(key string, _ store.GetOptions, v store.Value, err error) (store.Value, error) {
				if strings.HasSuffix(key, "after") && err == nil {
					if first.Bytes == nil {
						first = v
					}
					return first, nil
				}
				return v, err
			}
		}},
		{"absent keys are refused", "absent key", bucketcheck.Refused, "s3:ListBucket", func(b *broken) {
			b.get = func(key string, _ store.GetOptions, v store.Value, err error) (store.Value, error) {
				if errors.Is(err, fault.NotFound) {
					return store.Value{}, refused("get", key)
				}
				return v, err
			}
		}},
		{"listings are refused", "list after write", bucketcheck.Refused, "consolidated", func(b *broken) { b.o = nil; b.list = nil }},
		{"listings hide", "list after write", bucketcheck.Fails, "consolidated", func(b *broken) {
			b.list = func(e store.Entry) bool { return !strings.HasSuffix(e.Key, "tree/top") }
		}},
		{"long listings end early", "list pages", bucketcheck.Fails, "may be missing", func(b *broken) {
			b.list = func(e store.Entry) bool { return !strings.HasSuffix(e.Key, "00059") }
		}},
		{"StartAfter is ignored", "list a part", bucketcheck.Fails, "divided", func(b *broken) {
			b.o = func(o *store.ListOptions) { o.StartAfter = "" }
		}},
		{"one level is deep", "list one level", bucketcheck.Fails, "members", func(b *broken) {
			b.o = func(o *store.ListOptions) { o.Depth = store.Deep }
		}},
		{"keys are unescaped", "special characters", bucketcheck.Fails, "other names", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				return b.Store.Put(ctx, strings.ReplaceAll(key, "%41", "A"), v, o)
			}
		}},
		{"some keys are refused", "special characters", bucketcheck.Unsupported, "refused", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				if strings.HasSuffix(key, ".") {
					return "", &fault.KeyError{Op: "put", Key: key, Kind: fault.Path}
				}
				return b.Store.Put(ctx, key, v, o)
			}
		}},
		{"commits ignore their condition", "parts, if absent", bucketcheck.Fails, "without regard to the condition", func(b *broken) {
			b.parts = func(p store.Parts) store.Parts {
				return unordered{p, func(store.PutOptions) store.PutOptions { return store.PutOptions{} }}
			}
		}},
		{"damage is stored", "checksums", bucketcheck.Fails, "crc32c", func(b *broken) {
			b.sent = func(ctx context.Context, key string, v []byte) error {
				_, err := b.Store.Put(ctx, key, v, store.PutOptions{})
				return err
			}
		}},
		{"damage is refused", "checksums", bucketcheck.Holds, "", func(b *broken) {
			b.sent = func(_ context.Context, key string, _ []byte) error {
				return &fault.KeyError{Op: "put", Key: key, Kind: fault.Corrupt}
			}
		}},
		{"a value comes back otherwise", "empty value", bucketcheck.Fails, "empty values", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				if len(v) == 0 {
					v = []byte{0}
				}
				return b.Store.Put(ctx, key, v, o)
			}
		}},
		{"the service is down", "copy", bucketcheck.Unknown, "read and written", func(b *broken) {
			b.put = func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
				if strings.HasSuffix(key, "copy/from") {
					return "", &fault.KeyError{Op: "put", Key: key, Kind: fault.Unavailable}
				}
				return b.Store.Put(ctx, key, v, o)
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := &broken{Store: mem.New()}
			test.breaks(b)
			r, err := bucketcheck.Run(t.Context(), on(func() store.Store {
				if test.name == "listings are refused" {
					return unlisted{b}
				}
				return b
			}))
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(r.Checks, func(f bucketcheck.Finding) bool { return f.Name == test.check })
			f := r.Checks[i]
			if f.Verdict != test.verdict || !strings.Contains(f.Consequence, test.says) || f.Seen == "" {
				t.Errorf("%+v", f)
			}
			if got := left(t, b.Store); len(got) > 0 {
				t.Errorf("left: %q", got)
			}
		})
	}
}

// unlisted is a store that refuses listings.
type unlisted struct{ *broken }

func (unlisted) ListPage(_ context.Context, prefix string, _ store.ListOptions, _ string) ([]store.Entry, string, error) {
	return nil, "", refused("list", prefix)
}

// looks returns a Put that checks its condition before it writes, but not atomically, so that two
// concurrent Puts may both succeed.
func looks(b *broken, when func(store.PutOptions) bool) func(context.Context, string, []byte, store.PutOptions) (store.Version, error) {
	two := make(chan struct{}, 1)
	return func(ctx context.Context, key string, v []byte, o store.PutOptions) (store.Version, error) {
		if !when(o) || !strings.Contains(key, "/race/") {
			return b.Store.Put(ctx, key, v, o)
		}
		now, err := b.Store.Get(ctx, key, store.GetOptions{}, nil)
		if o.IfAbsent && err == nil {
			return "", &fault.KeyError{Op: "put", Key: key, Kind: fault.Exists}
		}
		if o.IfVersion != "" && now.Version != o.IfVersion {
			return "", &fault.KeyError{Op: "put", Key: key, Kind: fault.Conflict}
		}
		select {
		case two <- struct{}{}: // the first waits until another Put has checked its condition
			two <- struct{}{}
		case <-two:
		}
		return b.Store.Put(ctx, key, v, store.PutOptions{})
	}
}
