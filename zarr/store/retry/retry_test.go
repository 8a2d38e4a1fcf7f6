package retry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

func over(t *testing.T, s store.Store, opts ...retry.Option) *retry.Store {
	t.Helper()
	r, err := retry.New(s, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type bare struct{ store.Store }

func TestStore(t *testing.T) {
	t.Run("mem", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Store { return over(t, mem.New()) })
	})
	t.Run("bare", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Store { return over(t, bare{mem.New()}) })
	})
	t.Run("dir", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Store { return over(t, dir.New(t.TempDir())) }, storetest.Keys(50), storetest.Rounds(3))
	})
}

// flaky fails every third request. In half of these cases it performs the request first.
type flaky struct {
	*script
	n int
}

func (f *flaky) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if key != "count" {
		f.shake()
	}
	return f.script.Get(ctx, key, o, buf)
}

func (f *flaky) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if key != "count" { // doc.go warns of increments: two writers send the same bytes
		f.shake()
	}
	return f.script.Put(ctx, key, b, o)
}

func (f *flaky) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	// After a lost response, an absent key may have been absent before or removed by this request.
	if o.IfVersion == "" {
		f.shake()
	}
	return f.script.Delete(ctx, key, o)
}

func (f *flaky) shake() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n++; f.n%3 == 0 && len(f.steps) == 0 {
		f.steps = []step{{err: down, apply: f.n%2 == 0}}
	}
}

// TestFlakyStoreConforms checks that a store that fails often satisfies the contract through
// package retry, including its races.
func TestFlakyStoreConforms(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return over(t, &flaky{script: scripted()}, retry.Backoff(time.Microsecond, 50*time.Microsecond), retry.Tries(50))
	}, storetest.Keys(50), storetest.Rounds(2))
}

// value is the value that the tests read, 100 bytes.
var value = bytes.Repeat([]byte("0123456789"), 10)

func TestGet(t *testing.T) {
	pinned := store.GetOptions{IfVersion: "1"}
	rewrite := func(s **script) func() {
		return func() { _, _ = (*s).Store.Put(context.Background(), "k", value[1:], store.PutOptions{}) }
	}
	var s *script
	tests := []struct {
		name  string
		o     store.GetOptions
		steps []step
		calls string
		want  []byte // nil means that kind is expected
		kind  error
	}{
		{"first time", store.GetOptions{}, nil, "get k whole", value, nil},
		{"fails, then works", store.GetOptions{}, []step{{err: down}, {err: slow}}, "get k whole\nget k whole\nget k whole", value, nil},
		{"cut", store.GetOptions{}, []step{{cut: 30}}, "get k whole\nget k 30+70 if 1", value, nil},
		{"cut twice", store.GetOptions{}, []step{{cut: 30}, {cut: 50}}, "get k whole\nget k 30+70 if 1\nget k 80+20 if 1", value, nil},
		{"cut, fails, cut", store.GetOptions{}, []step{{cut: 30}, {err: down}, {cut: 1}},
			"get k whole\nget k 30+70 if 1\nget k 30+70 if 1\nget k 31+69 if 1", value, nil},
		{"cut in a range", store.GetOptions{Range: store.Within(10, 50), Max: 50}, []step{{cut: 5}}, "get k 10+50\nget k 15+45 if 1", value[10:60], nil},
		{"cut in a tail", store.GetOptions{Range: store.Suffix(40)}, []step{{cut: 5}}, "get k last 40\nget k 65+35 if 1", value[60:], nil},
		{"cut from", store.GetOptions{Range: store.From(90)}, []step{{cut: 5}}, "get k 90-\nget k 95+5 if 1", value[90:], nil},
		{"cut at the very end", store.GetOptions{}, []step{{cut: 100}}, "get k whole", value, nil},
		{"cut without a version", store.GetOptions{}, []step{{cut: 30, plain: true}}, "get k whole\nget k whole", value, nil},
		{"cut while pinned", pinned, []step{{cut: 30}}, "get k whole if 1\nget k 30+70 if 1", value, nil},
		{"cut with IfNotVersion", store.GetOptions{IfNotVersion: "7"}, []step{{cut: 30}}, "get k whole if not 7\nget k 30+70 if 1", value, nil},
		{"cut, then no pins", store.GetOptions{}, []step{{cut: 30}, {err: errors.ErrUnsupported}, {cut: 60}},
			"get k whole\nget k 30+70 if 1\nget k whole\nget k whole", value, nil},
		{"cut and replaced", store.GetOptions{}, []step{{cut: 30, then: rewrite(&s)}}, "get k whole\nget k 30+70 if 1\nget k whole", value[1:], nil},
		{"cut and replaced while pinned", pinned, []step{{cut: 30, then: rewrite(&s)}}, "get k whole if 1\nget k 30+70 if 1", nil, fault.Conflict},
		{"cut and replaced by less", store.GetOptions{}, []step{{cut: 30}, {err: fault.Corrupt}}, "get k whole\nget k 30+70 if 1\nget k whole", value, nil},
		{"cut and replaced by less while pinned", pinned, []step{{cut: 30}, {err: fault.Corrupt}}, "get k whole if 1\nget k 30+70 if 1", nil, fault.Conflict},
		{"corrupt is final", store.GetOptions{}, []step{{err: fault.Corrupt}}, "get k whole", nil, fault.Corrupt},
		{"absent is final", store.GetOptions{}, []step{{err: fault.NotFound}}, "get k whole", nil, fault.NotFound},
		{"refused is final", store.GetOptions{}, []step{{err: fault.Refused}}, "get k whole", nil, fault.Refused},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s = scripted(test.steps...)
				if _, err := s.Store.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
				buf := append(make([]byte, 0, 200), "held"...)
				v, err := over(t, s).Get(t.Context(), "k", test.o, buf)
				if got := s.seen(); got != test.calls {
					t.Errorf("requests:\n%s\nwant:\n%s", got, test.calls)
				}
				if test.kind != nil {
					if !errors.Is(err, test.kind) || v.Bytes != nil {
						t.Errorf("got %+v, %v", v, err)
					}
					return
				}
				want := append([]byte("held"), test.want...)
				if err != nil || !bytes.Equal(v.Bytes, want) || v.Version == "" {
					t.Errorf("got %q at %q, %v, want %q", v.Bytes, v.Version, err, want)
				}
				if unsafe.SliceData(v.Bytes) != unsafe.SliceData(buf) {
					t.Error("another buffer")
				}
			})
		})
	}
}

func TestPut(t *testing.T) {
	ifOne := store.PutOptions{IfVersion: "1"}
	absent := store.PutOptions{IfAbsent: true}
	var s *script
	other := func() { _, _ = s.Store.Put(context.Background(), "k", []byte("another's"), store.PutOptions{}) }
	gone := func() { _ = s.Store.Delete(context.Background(), "k", store.DeleteOptions{}) }
	tests := []struct {
		name  string
		held  bool // the key holds "old" at version 1
		o     store.PutOptions
		steps []step
		calls string
		kind  error
	}{
		{"plain, fails", true, store.PutOptions{}, []step{{err: down}, {err: slow}}, "put k\nput k\nput k", nil},
		{"plain, answer lost", true, store.PutOptions{}, []step{{err: down, apply: true}}, "put k\nput k", nil},
		{"if absent, fails", false, absent, []step{{err: down}}, "put k if absent\nget k whole\nput k if absent", nil},
		{"if absent, answer lost", false, absent, []step{{err: down, apply: true}}, "put k if absent\nget k whole", nil},
		{"if absent, throttled", false, absent, []step{{err: slow}}, "put k if absent\nput k if absent", nil},
		{"if absent, exists", true, absent, nil, "put k if absent", fault.Exists},
		{"if absent, throttled, exists", true, absent, []step{{err: slow}}, "put k if absent\nput k if absent", fault.Exists},
		{"if absent, another was first", false, absent, []step{{err: down, then: func() { other() }}}, "put k if absent\nget k whole", fault.Exists},
		{"if absent, late success", false, absent, []step{{err: down}, {}, {err: fault.Exists, apply: true}},
			"put k if absent\nget k whole\nput k if absent\nget k whole", nil},
		{"if absent, read back fails too", false, absent, []step{{err: down, apply: true}, {err: down}}, "put k if absent\nget k whole\nget k whole", nil},
		{"if version, fails", true, ifOne, []step{{err: down}}, "put k if 1\nget k whole if not 1\nput k if 1", nil},
		{"if version, answer lost", true, ifOne, []step{{err: down, apply: true}}, "put k if 1\nget k whole if not 1", nil},
		{"if version, throttled", true, ifOne, []step{{err: slow}}, "put k if 1\nput k if 1", nil},
		{"if version, conflict", false, ifOne, nil, "put k if 1", fault.Conflict},
		{"if version, lost and replaced", true, ifOne, []step{{err: down, apply: true, then: func() { other() }}},
			"put k if 1\nget k whole if not 1", fault.Conflict},
		{"if version, lost and deleted", true, ifOne, []step{{err: down, apply: true, then: func() { gone() }}},
			"put k if 1\nget k whole if not 1", fault.Conflict},
		{"if version, lost, throttled, conflict of our own", true, ifOne, []step{{err: down}, {}, {err: slow, apply: true}},
			"put k if 1\nget k whole if not 1\nput k if 1\nput k if 1\nget k whole if not 1", nil},
		{"if version, never sent", true, ifOne, []step{{err: unsent{down}}}, "put k if 1\nput k if 1", nil},
		{"refused is final", true, ifOne, []step{{err: fault.Refused}}, "put k if 1", fault.Refused},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s = scripted(test.steps...)
				if test.held {
					if _, err := s.Store.Put(t.Context(), "k", []byte("old"), store.PutOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				v, err := over(t, s).Put(t.Context(), "k", []byte("new value"), test.o)
				if got := s.seen(); got != test.calls {
					t.Errorf("requests:\n%s\nwant:\n%s", got, test.calls)
				}
				if test.kind != nil {
					if !errors.Is(err, test.kind) || v != "" {
						t.Errorf("got %q, %v", v, err)
					}
					return
				}
				now, readErr := s.Store.Get(t.Context(), "k", store.GetOptions{}, nil)
				if err != nil || readErr != nil || string(now.Bytes) != "new value" || now.Version != v {
					t.Errorf("got %q, %v; the key holds %q at %q", v, err, now.Bytes, now.Version)
				}
			})
		})
	}
}

// TestConflictAfterALostAnswerSaysSo checks that the error after a lost response and a conflict
// says that the write may have been applied.
func TestConflictAfterALostAnswerSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted()
		v, err := s.Store.Put(t.Context(), "k", []byte("old"), store.PutOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s.steps = []step{{err: down, apply: true, then: func() {
			_, _ = s.Store.Put(context.Background(), "k", []byte("longer than what we sent"), store.PutOptions{})
		}}}
		_, err = over(t, s).Put(t.Context(), "k", []byte("new"), store.PutOptions{IfVersion: v})
		if !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "may have been applied") {
			t.Errorf("got %v", err)
		}
	})
}

func TestDelete(t *testing.T) {
	ifOne := store.DeleteOptions{IfVersion: "1"}
	var s *script
	other := func() { _, _ = s.Store.Put(context.Background(), "k", []byte("another's"), store.PutOptions{}) }
	tests := []struct {
		name  string
		o     store.DeleteOptions
		steps []step
		calls string
		kind  error
	}{
		{"plain, answer lost", store.DeleteOptions{}, []step{{err: down, apply: true}}, "delete k\ndelete k", nil},
		{"if version, fails", ifOne, []step{{err: down}}, "delete k if 1\nget k whole if not 1\ndelete k if 1", nil},
		{"if version, answer lost", ifOne, []step{{err: down, apply: true}}, "delete k if 1\nget k whole if not 1", nil},
		{"if version, throttled", ifOne, []step{{err: slow}}, "delete k if 1\ndelete k if 1", nil},
		{"if version, lost and made again", ifOne, []step{{err: down, apply: true, then: func() { other() }}},
			"delete k if 1\nget k whole if not 1", fault.Conflict},
		{"if version, conflict", store.DeleteOptions{IfVersion: "7"}, nil, "delete k if 7", fault.Conflict},
		{"if version, never sent, conflict", store.DeleteOptions{IfVersion: "7"}, []step{{err: unsent{down}}},
			"delete k if 7\ndelete k if 7", fault.Conflict},
		{"if version, late success", ifOne, []step{{err: down}, {}, {err: fault.Conflict, apply: true}},
			"delete k if 1\nget k whole if not 1\ndelete k if 1\nget k whole if not 1", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s = scripted(test.steps...)
				if _, err := s.Store.Put(t.Context(), "k", []byte("old"), store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
				err := over(t, s).Delete(t.Context(), "k", test.o)
				if got := s.seen(); got != test.calls {
					t.Errorf("requests:\n%s\nwant:\n%s", got, test.calls)
				}
				if !errors.Is(err, test.kind) {
					t.Errorf("got %v, want %v", err, test.kind)
				}
			})
		})
	}
}

func TestList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(step{err: down}, step{}, step{err: slow}, step{err: down})
		for i := range 1500 {
			if _, err := s.Store.Put(t.Context(), fmt.Sprintf("k%04d", i), nil, store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for _, err := range over(t, s).List(t.Context(), "", store.ListOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		const first, second = `list "" from ""`, `list "" from "k1000"`
		want := strings.Join([]string{first, first, second, second, second}, "\n")
		if got := s.seen(); n != 1500 || got != want {
			t.Errorf("%d entries, requests:\n%s\nwant:\n%s", n, got, want)
		}
	})
}

func TestListWithoutPages(t *testing.T) {
	tests := []struct {
		name    string
		breaks  []int
		entries int
		kind    error
	}{
		{"before the first entry", []int{0, 0}, 3, nil},
		{"after an entry", []int{0, 2}, 2, fault.Unavailable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := mem.New()
				for i := range 3 {
					if _, err := m.Put(t.Context(), fmt.Sprint(i), nil, store.PutOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				n, last := 0, error(nil)
				for _, err := range over(t, &unpaged{Store: bare{m}, breaks: test.breaks}).List(t.Context(), "", store.ListOptions{}) {
					if last = err; err == nil {
						n++
					}
				}
				if n != test.entries || !errors.Is(last, test.kind) {
					t.Errorf("%d entries, %v", n, last)
				}
			})
		})
	}
}

func TestParts(t *testing.T) {
	absent := store.PutOptions{IfAbsent: true}
	var s *script
	other := func(v string) func() {
		return func() { _, _ = s.Store.Put(context.Background(), "k", []byte(v), store.PutOptions{}) }
	}
	tests := []struct {
		name  string
		o     store.PutOptions
		steps []step
		calls string // calls after the two parts
		kind  error
	}{
		{"works", absent, nil, "commit if absent", nil},
		{"throttled", absent, []step{{err: slow}}, "commit if absent\ncommit if absent", nil},
		{"fails", absent, []step{{err: down}}, "commit if absent\nget k 9+1\ncommit if absent", nil},
		{"answer lost", absent, []step{{err: down, apply: true}}, "commit if absent\nget k 9+1\nget k 0+6 if 1\nget k 6+4 if 1\nabort", nil},
		{"plain, answer lost", store.PutOptions{}, []step{{err: down, apply: true}}, "commit\nget k 9+1\nget k 0+6 if 1\nget k 6+4 if 1\nabort", nil},
		{"another's of our size", absent, []step{{err: down, then: func() { other("012345678X")() }}},
			"commit if absent\nget k 9+1\nget k 0+6 if 1\nget k 6+4 if 1", fault.Exists},
		{"another's, shorter", absent, []step{{err: down, then: func() { other("short")() }}}, "commit if absent\nget k 9+1", fault.Exists},
		{"late success", absent, []step{{err: down}, {}, {err: fault.Refused, apply: true}},
			"commit if absent\nget k 9+1\ncommit if absent\nget k 9+1\nget k 0+6 if 1\nget k 6+4 if 1\nabort", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s = scripted(step{err: down}, step{}, step{err: slow}, step{}, step{err: down, apply: true}, step{})
				p, err := over(t, s).PutParts(t.Context(), "k", store.PartsOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(p.Part(t.Context(), 1, []byte("6789")), p.Part(t.Context(), 0, []byte("012345"))); err != nil {
					t.Fatal(err)
				}
				if got, want := s.seen(), "parts k\nparts k\npart 1\npart 1\npart 0\npart 0"; got != want {
					t.Errorf("requests:\n%s\nwant:\n%s", got, want)
				}
				s.steps = test.steps
				v, err := p.Commit(t.Context(), test.o)
				if got := s.seen(); got != test.calls {
					t.Errorf("requests:\n%s\nwant:\n%s", got, test.calls)
				}
				if test.kind != nil {
					if !errors.Is(err, test.kind) {
						t.Errorf("got %v, want %v", err, test.kind)
					}
					return
				}
				now, readErr := s.Store.Get(t.Context(), "k", store.GetOptions{}, nil)
				if err != nil || readErr != nil || string(now.Bytes) != "0123456789" || now.Version != v {
					t.Errorf("got %q, %v; the key holds %q at %q", v, err, now.Bytes, now.Version)
				}
			})
		})
	}
}

// TestPartsResumed continues an upload of another process. Its parts are listed before the commit,
// because they cannot be listed afterwards. A lost response is resolved by the provider's
// checksums, or not at all.
func TestPartsResumed(t *testing.T) {
	tests := []struct {
		name   string
		noSums bool
		steps  []step // outcomes of the second process's requests after its part
		calls  string
		kind   error
	}{
		{"works", false, nil, "sent\ncommit if absent", nil},
		{"the list is repeated", false, []step{{err: down}}, "sent\nsent\ncommit if absent", nil},
		{"answer lost", false, []step{{}, {err: down, apply: true}}, "sent\ncommit if absent\nget k 9+1\nget k 0+6 if 1\nget k 6+4 if 1\nabort", nil},
		{"answer lost, no checksums", true, []step{{}, {err: down, apply: true}}, "sent\ncommit if absent\nget k 9+1\nget k 0+6 if 1", fault.Unavailable},
		{"gone", false, []step{{err: &fault.KeyError{Op: "put", Kind: fault.Conflict}}}, "sent", fault.Conflict},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := scripted()
				s.noSums = tt.noSums
				first, err := over(t, s).PutParts(t.Context(), "k", store.PartsOptions{})
				if err == nil {
					err = first.Part(t.Context(), 0, []byte("012345"))
				}
				if err != nil {
					t.Fatal(err)
				}
				p, err := over(t, s).PutParts(t.Context(), "k", store.PartsOptions{Resume: first.Token()})
				if err == nil {
					err = p.Part(t.Context(), 1, []byte("6789"))
				}
				if err != nil {
					t.Fatal(err)
				}
				s.seen()
				s.steps = tt.steps
				_, err = p.Commit(t.Context(), store.PutOptions{IfAbsent: true})
				if got := s.seen(); got != tt.calls || !errors.Is(err, tt.kind) || tt.kind == nil && err != nil {
					t.Errorf("%v, requests:\n%s\nwant:\n%s", err, got, tt.calls)
				}
			})
		})
	}
}

func TestCopies(t *testing.T) {
	tests := []struct {
		name  string
		o     store.CopyOptions
		steps []step
		calls string
		kind  error
		note  string
	}{
		{"works", store.CopyOptions{}, nil, "copy a k", nil, ""},
		{"fails", store.CopyOptions{}, []step{{err: down}, {err: slow}}, "copy a k\ncopy a k\ncopy a k", nil, ""},
		{"plain, answer lost", store.CopyOptions{}, []step{{err: down, apply: true}}, "copy a k\ncopy a k", nil, ""},
		{"throttled", store.CopyOptions{IfAbsent: true}, []step{{err: slow}}, "copy a k if absent\ncopy a k if absent", nil, ""},
		{"answer lost", store.CopyOptions{IfAbsent: true}, []step{{err: down, apply: true}}, "copy a k if absent\ncopy a k if absent", fault.Exists, "may have been applied"},
		{"another's", store.CopyOptions{IfVersion: "other"}, nil, "copy a k if other", fault.Conflict, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := scripted(tt.steps...)
				if _, err := s.Store.Put(t.Context(), "a", value, store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
				_, err := store.Copy(t.Context(), over(t, s), "a", "k", tt.o)
				if got := s.seen(); got != tt.calls || !errors.Is(err, tt.kind) || tt.kind == nil && err != nil {
					t.Errorf("%v, requests:\n%s\nwant:\n%s", err, got, tt.calls)
				}
				if err != nil && strings.Contains(err.Error(), "may have been applied") != (tt.note != "") {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestOtherVerbsAreRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(step{err: down, apply: true}, step{})
		if _, err := s.Store.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		r := over(t, s)
		if err := store.DeleteAll(t.Context(), r, []string{"k", "l"}); err != nil {
			t.Error(err)
		}
		if got, want := s.seen(), "delete k,l\ndelete k,l"; got != want {
			t.Errorf("requests:\n%s\nwant:\n%s", got, want)
		}
	})
}

func repeat(st step, n int) []step {
	all := make([]step, n)
	for i := range all {
		all[i] = st
	}
	return all
}

func TestGivesUpAfterTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(repeat(step{err: slow}, 100)...)
		var waits []time.Duration
		r := over(t, s, retry.Notify(func(a store.Retry) { waits = append(waits, a.Wait) }))
		_, err := r.Get(t.Context(), "k", store.GetOptions{}, nil)
		if !errors.Is(err, fault.Throttled) || !strings.Contains(err.Error(), "tried 10 times") {
			t.Errorf("got %v", err)
		}
		if n := len(strings.Split(s.seen(), "\n")); n != 10 {
			t.Errorf("%d requests", n)
		}
		for i, w := range waits {
			if bound := min(15*time.Second, 100*time.Millisecond<<i); w < 0 || w > bound {
				t.Errorf("wait %d is %v, above %v", i, w, bound)
			}
		}
	})
}

// TestTraces checks that each retry is traced with the wait before it, including immediate retries.
func TestTraces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(step{err: slow}, step{err: down}, step{})
		var traced, told []store.Retry
		ctx := store.WithTrace(t.Context(), &store.Trace{Retry: func(ctx context.Context, r store.Retry) {
			if store.TraceOf(ctx) == nil {
				t.Error("the trace has another context")
			}
			traced = append(traced, r)
		}})
		r := over(t, s, retry.Notify(func(r store.Retry) { told = append(told, r) }))
		start := time.Now()
		if _, err := r.Put(ctx, "k", value, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		waited := time.Duration(0)
		for i, r := range traced {
			if waited += r.Wait; r.Op != store.OpPut || r.Key != "k" || r.Try != i+1 || r.Err == nil {
				t.Errorf("%+v", r)
			}
		}
		if len(traced) != 2 || !slices.Equal(traced, told) || waited != time.Since(start) {
			t.Errorf("%v waited %v; the option was given %v", traced, waited, told)
		}
	})
}

func TestGivesUpAfterElapsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(repeat(step{err: down}, 10_000)...)
		start := time.Now()
		_, err := over(t, s, retry.Tries(math.MaxInt), retry.Elapsed(time.Minute)).Get(t.Context(), "k", store.GetOptions{}, nil)
		if took := time.Since(start); !errors.Is(err, fault.Unavailable) || took > time.Minute || took < 30*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// TestProgressStartsTheCountAnew checks that each interruption after some bytes counts as progress,
// so that a long body may be interrupted more often than there are attempts.
func TestProgressStartsTheCountAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(repeat(step{cut: 7}, 14)...)
		if _, err := s.Store.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		v, err := over(t, s, retry.Tries(2)).Get(t.Context(), "k", store.GetOptions{}, nil)
		if err != nil || !bytes.Equal(v.Bytes, value) {
			t.Errorf("got %d bytes, %v", len(v.Bytes), err)
		}
		s = scripted(repeat(step{cut: 1}, 200)...)
		if _, err := s.Store.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err = over(t, s, retry.Tries(5)).Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.Unavailable) {
			t.Errorf("a byte at a time: %v", err)
		}
	})
}

func TestReplacedAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted()
		rewrite := func() { _, _ = s.Store.Put(context.Background(), "k", value, store.PutOptions{}) }
		rewrite()
		for range 50 {
			s.steps = append(s.steps, step{cut: 2, then: rewrite}, step{})
		}
		_, err := over(t, s).Get(t.Context(), "k", store.GetOptions{}, nil)
		if !errors.Is(err, fault.Unavailable) || errors.Is(err, fault.Conflict) {
			t.Errorf("got %v", err)
		}
	})
}

type after struct {
	error
	d time.Duration
}

func (a after) RetryAfter() time.Duration { return a.d }
func (a after) Unwrap() error             { return a.error }

type busyKey struct{ after }

func (busyKey) OneKey() bool { return true }

// TestRetryAfter checks that the wait that the server requests is added, up to the bound of the
// wait without it, and that the whole wait applies if the refusal concerns only the key.
func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		name        string
		err         error
		n           int // number of refusals
		least, most time.Duration
	}{
		{"one", after{slow, 40 * time.Second}, 1, 100 * time.Millisecond, 200 * time.Millisecond},
		{"short", after{slow, 10 * time.Millisecond}, 1, 10 * time.Millisecond, 110 * time.Millisecond},
		{"eight", after{slow, 40 * time.Second}, 8, 35 * time.Second, 51 * time.Second},
		{"no service", after{down, 40 * time.Second}, 8, 25 * time.Second, 51 * time.Second},
		{"short, eight", after{slow, 40 * time.Millisecond}, 8, 10 * time.Second, 26 * time.Second},
		{"hours", after{slow, 1000 * time.Hour}, 1, 100 * time.Millisecond, 200 * time.Millisecond},
		{"in the past", after{slow, -1000 * time.Hour}, 1, time.Millisecond, 100 * time.Millisecond},
		{"one key", busyKey{after{slow, 40 * time.Second}}, 1, 40 * time.Second, 41 * time.Second},
		{"one key, hours", busyKey{after{slow, 1000 * time.Hour}}, 1, time.Minute, 61 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				if _, err := over(t, scripted(repeat(step{err: c.err}, c.n)...)).Put(t.Context(), "k", nil, store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took < c.least || took > c.most {
					t.Errorf("waited %v, want %v to %v", took, c.least, c.most)
				}
			})
		})
	}
}

// TestRetryAfterIsNotElapsed checks that waits that the server requested do not count against the
// limit of the elapsed time, and that a request that the server always refuses nevertheless ends.
func TestRetryAfterIsNotElapsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(repeat(step{err: busyKey{after{slow, time.Minute}}}, 6)...)
		start := time.Now()
		_, err := over(t, s, retry.Elapsed(7*time.Minute)).Put(t.Context(), "k", nil, store.PutOptions{})
		if took := time.Since(start); err != nil || took < 6*time.Minute {
			t.Errorf("%v after %v", err, took)
		}
		for _, failure := range []error{slow, down} {
			q := retry.NewQuota()
			s := scripted(repeat(step{err: busyKey{after{failure, time.Minute}}}, 10_000)...)
			other := over(t, scripted(), retry.From(q))
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { // the bucket serves others, so the number of attempts is not limited
				defer close(done)
				for ctx.Err() == nil {
					_, _ = other.Put(ctx, "other", nil, store.PutOptions{})
					time.Sleep(time.Second)
				}
			}()
			start := time.Now()
			_, err := over(t, s, retry.From(q), retry.Tries(math.MaxInt)).Put(t.Context(), "k", nil, store.PutOptions{})
			if took := time.Since(start); !errors.Is(err, failure) || took < 3*time.Minute || took > 6*time.Minute {
				t.Errorf("%v after %v", err, took)
			}
			cancel()
			<-done
		}
	})
}

func TestCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(repeat(step{err: after{slow, time.Minute}}, 10)...)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := over(t, s).Put(ctx, "k", nil, store.PutOptions{})
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, fault.Throttled) || !strings.Contains(err.Error(), "429") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("waited %v", took)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []retry.Option{retry.Tries(0), retry.Elapsed(-1), retry.Backoff(0, 1), retry.Backoff(2, 1)} {
		if _, err := retry.New(mem.New(), o); !errors.Is(err, fault.Limit) {
			t.Errorf("%v: %v", o, err)
		}
	}
}

func ExampleNew() {
	st, err := retry.New(mem.New(), retry.Tries(5), retry.Elapsed(time.Minute))
	if err != nil {
		panic(err)
	}
	_, err = st.Get(context.Background(), "absent", store.GetOptions{}, nil)
	fmt.Println(err)
	// Output: get "absent" in mem://: not found
}

// TestReadBackIsInTheBudget checks that reading back uses attempts and time of the write.
func TestReadBackIsInTheBudget(t *testing.T) {
	for name, write := range map[string]func(context.Context, store.Store) error{
		"put": func(ctx context.Context, s store.Store) error {
			_, err := s.Put(ctx, "k", value, store.PutOptions{IfAbsent: true})
			return err
		},
		"delete": func(ctx context.Context, s store.Store) error {
			return s.Delete(ctx, "k", store.DeleteOptions{IfVersion: "1"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := scripted(repeat(step{err: down}, 100)...)
				if err := write(t.Context(), over(t, s)); !errors.Is(err, fault.Unavailable) {
					t.Errorf("got %v", err)
				}
				if n := len(strings.Split(s.seen(), "\n")); n != 10 {
					t.Errorf("%d requests, want 10 tries in all", n)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				s := scripted(repeat(step{err: down, then: func() { time.Sleep(10 * time.Second) }}, 100)...)
				start := time.Now()
				if err := write(t.Context(), over(t, s, retry.Elapsed(time.Minute))); !errors.Is(err, fault.Unavailable) {
					t.Errorf("got %v", err)
				}
				if took := time.Since(start); took > 70*time.Second {
					t.Errorf("it took %v, with a budget of a minute", took)
				}
			})
		})
	}
}

// TestLongTriesAreTriedAgain checks that a long attempt counts as progress: an upload that breaks
// after an hour is retried, although the time limit is shorter.
func TestLongTriesAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hour := func() { time.Sleep(time.Hour) }
		s := scripted(step{err: down, then: hour}, step{err: down, then: hour}, step{then: hour})
		if _, err := over(t, s).Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
			t.Error(err)
		}
		s = scripted(repeat(step{err: down, then: hour}, 100)...)
		_, err := over(t, s).Put(t.Context(), "k", value, store.PutOptions{})
		if n := len(strings.Split(s.seen(), "\n")); !errors.Is(err, fault.Unavailable) || n != 3 {
			t.Errorf("%d requests, %v", n, err)
		}
	})
}

// TestProgressRestoresTheTime checks that a long body that stalls several times arrives, no matter
// how long it takes.
func TestProgressRestoresTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(repeat(step{cut: 7, then: func() { time.Sleep(2 * time.Minute) }}, 14)...)
		if _, err := s.Store.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		v, err := over(t, s).Get(t.Context(), "k", store.GetOptions{}, nil)
		if err != nil || !bytes.Equal(v.Bytes, value) || time.Since(start) < 20*time.Minute {
			t.Errorf("got %d bytes after %v, %v", len(v.Bytes), time.Since(start), err)
		}
	})
}

// uncertain is a refusal after which the request may have been processed.
type uncertain struct{ error }

func (uncertain) Uncertain() bool { return true }
func (u uncertain) Unwrap() error { return u.error }

// TestUncertainRefusal checks that a conditional write that was refused is read back unless the
// refusal proves that nothing was applied.
func TestUncertainRefusal(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		calls string
	}{
		"certain":   {slow, "put k if absent\nput k if absent"},
		"uncertain": {uncertain{slow}, "put k if absent\nget k whole"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := scripted(step{err: c.err, apply: name == "uncertain"})
				_, err := over(t, s).Put(t.Context(), "k", value, store.PutOptions{IfAbsent: true})
				if got := s.seen(); err != nil || got != c.calls {
					t.Errorf("%v, requests:\n%s", err, got)
				}
			})
		})
	}
}

// busy is a store that refuses the first attempts of one request while its bucket serves other
// requests.
type busy struct {
	store.Store
	refuse int
	tries  int
	n      int
}

func (b *busy) Get(ctx context.Context, key string, _ store.GetOptions, _ []byte) (store.Value, error) {
	if key == "other" {
		return store.Value{}, nil
	}
	if b.tries++; b.tries <= b.refuse {
		return store.Value{}, slow
	}
	if r := store.RepeatOf(ctx); r == nil || r.Try != b.refuse {
		b.n++
	}
	return store.Value{}, nil
}

// TestFullBucketIsWaitedFor checks a bucket that responds to other requests and is thus only busy.
// Neither refusals nor an empty quota end a request to it. Without any response ten attempts do.
func TestFullBucketIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		others bool
		quota  *retry.Quota
		fails  bool
	}{
		"full":                    {true, retry.NewQuota(), false},
		"full, and few repeats":   {true, retry.NewQuotaOf(2, 1), false},
		"full, without a quota":   {true, nil, false},
		"nothing is answered":     {false, retry.NewQuota(), true},
		"nothing, without quota":  {false, nil, true},
		"nothing and few repeats": {false, retry.NewQuotaOf(2, 1), true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &busy{Store: mem.New(), refuse: 15}
				s := over(t, b, retry.From(c.quota), retry.Backoff(100*time.Millisecond, time.Second))
				stop := make(chan struct{})
				done := make(chan struct{})
				go func() {
					defer close(done)
					for c.others {
						select {
						case <-stop:
							return
						case <-time.After(20 * time.Millisecond):
							_, _ = s.Get(t.Context(), "other", store.GetOptions{}, nil)
						}
					}
				}()
				_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
				close(stop)
				<-done
				if errors.Is(err, fault.Throttled) != c.fails || b.n != 0 || !c.fails && b.tries != 16 || c.fails && b.tries > 10 {
					t.Errorf("%v after %d tries; %d did not say which try they were", err, b.tries, b.n)
				}
			})
		})
	}
}

// TestOneTryIsOne checks that Tries(1) disables retries, even if the bucket is only busy.
func TestOneTryIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{Store: mem.New(), refuse: 1}
		s := over(t, b, retry.Tries(1))
		for range 3 {
			b.tries = 0
			if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.Throttled) || b.tries != 1 {
				t.Errorf("%v after %d tries", err, b.tries)
			}
			_, _ = s.Get(t.Context(), "other", store.GetOptions{}, nil)
		}
	})
}

// unsent is the error of a request that was not sent.
type unsent struct{ error }

func (unsent) Unsent() bool    { return true }
func (u unsent) Unwrap() error { return u.error }
