package listed_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/copying/listed"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// below is a store that records its requests. Its listings have pages of four keys.
type below struct {
	store.Store
	incomplete bool
	before     func(c store.Call) error

	mu    sync.Mutex
	asked []string
}

func (b *below) around() store.Store {
	return store.Around(paged{b.Store}, store.Hooks{
		Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			b.mu.Lock()
			b.asked = append(b.asked, fmt.Sprint(c.Op, " ", c.Key))
			b.mu.Unlock()
			if b.before != nil {
				return ctx, b.before(c)
			}
			return ctx, nil
		},
		Provide: func(target any) bool {
			switch t := target.(type) {
			case *store.Tuning:
				*t = store.Local()
				t.ListPage = 4
			case *store.Listings:
				t.Complete = !b.incomplete
			default:
				return false
			}
			return true
		},
	})
}

// paged lists in pages of four keys, in ascending order.
type paged struct{ store.Store }

func (p paged) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) (page []store.Entry, next string, err error) {
	var all []store.Entry
	for e, err := range p.List(ctx, prefix, o) {
		if err != nil {
			return nil, "", err
		}
		if e.Key > token {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b store.Entry) int { return strings.Compare(a.Key, b.Key) })
	if len(all) > 4 {
		all, next = all[:4], all[3].Key
	}
	return all, next, nil
}

func (p paged) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	return store.PutParts(ctx, p.Store, key, o)
}

// took returns the number of requests of each kind since the previous call.
func (b *below) took() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := map[string]int{}
	for _, a := range b.asked {
		op, _, _ := strings.Cut(a, " ")
		n[op]++
	}
	b.asked = nil
	var all []string
	for _, op := range []string{"get", "put", "delete", "list"} {
		if n[op] > 0 {
			all = append(all, fmt.Sprintf("%d %s", n[op], op))
		}
		delete(n, op)
	}
	if len(n) > 0 {
		all = append(all, fmt.Sprint(n))
	}
	return strings.Join(all, ", ")
}

func (b *below) keys(t *testing.T) (keys []string) {
	t.Helper()
	for e, err := range store.Pages(t.Context(), b.Store, "", store.ListOptions{}) {
		check(t, err)
		keys = append(keys, e.Key)
	}
	slices.Sort(keys)
	return keys
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var v3 = meta.KeyEncoding{Name: "default", Separator: "/"}

// array returns a store for an array "a" of n objects, and puts the objects there.
func array(t *testing.T, b *below, n int, there ...int) *listed.Store {
	t.Helper()
	b.Store = mem.New()
	for _, i := range there {
		put(t, b.Store, i)
	}
	s := listed.New(b.around(), "a")
	s.Describe(v3, []int{n})
	return s
}

func put(t *testing.T, s store.Store, i int) {
	t.Helper()
	_, err := s.Put(t.Context(), fmt.Sprintf("a/c/%d", i), []byte("x"), store.PutOptions{})
	check(t, err)
}

func remove(t *testing.T, s store.Store, i int) {
	t.Helper()
	check(t, s.Delete(t.Context(), fmt.Sprintf("a/c/%d", i), store.DeleteOptions{}))
}

// TestLearn checks that only keys in the listing and keys that are not positions of the grid are
// requested from the underlying store.
func TestLearn(t *testing.T) {
	for _, c := range []struct {
		name       string
		keys       meta.KeyEncoding
		grid       []int
		there      []string
		incomplete bool
		refuse     error
		ask        []string
		want       string // keys that the underlying store receives gets for
	}{
		{"v3", v3, []int{9, 9}, []string{"a/c/1/2"}, false, nil, []string{"a/c/1/2", "a/c/1/3", "a/c/9/0", "a/c/1", "a/zarr.json", "c/1/3"}, "a/c/1/2 a/c/9/0 a/c/1 a/zarr.json c/1/3"},
		{"v3, points", meta.KeyEncoding{Name: "default", Separator: "."}, []int{9, 9}, []string{"a/c.1.2"}, false, nil, []string{"a/c.1.2", "a/c.1.3", "a/c/1/2"}, "a/c.1.2 a/c/1/2"},
		{"v2", meta.KeyEncoding{Name: "v2", Separator: "."}, []int{9, 9}, []string{"a/1.2"}, false, nil, []string{"a/1.2", "a/1.3", "a/01.3"}, "a/1.2 a/01.3"},
		{"v2, slashes", meta.KeyEncoding{Name: "v2", Separator: "/"}, []int{9, 9}, []string{"a/1/2"}, false, nil, []string{"a/1/2", "a/1/3"}, "a/1/2"},
		{"no dimensions", v3, []int{}, nil, false, nil, []string{"a/c"}, ""},
		{"more positions than are kept", v3, []int{1 << 30, 1 << 30, 8}, nil, false, nil, []string{"a/c/0/0/0"}, "a/c/0/0/0"},
		{"listings that prove no absence", v3, []int{9}, nil, true, nil, []string{"a/c/1"}, "a/c/1"},
		{"listings that are refused", v3, []int{9}, nil, false, fault.Refused, []string{"a/c/1"}, "a/c/1"},
		{"no listings", v3, []int{9}, nil, false, errors.ErrUnsupported, []string{"a/c/1"}, "a/c/1"},
	} {
		b := &below{Store: mem.New(), incomplete: c.incomplete, before: func(call store.Call) error {
			if call.Op == store.OpList {
				return c.refuse
			}
			return nil
		}}
		for _, key := range c.there {
			_, err := b.Put(t.Context(), key, []byte("x"), store.PutOptions{})
			check(t, err)
		}
		s := listed.New(b.around(), "a")
		s.Describe(c.keys, c.grid)
		check(t, s.Learn(t.Context()))
		b.took()
		for _, key := range c.ask {
			_, err := s.Get(t.Context(), key, store.GetOptions{}, nil)
			if there := slices.Contains(c.there, key); there != (err == nil) || !there && !errors.Is(err, fault.NotFound) {
				t.Errorf("%s: %s: %v", c.name, key, err)
			}
		}
		if got := strings.ReplaceAll(strings.Join(b.asked, " "), "get ", ""); got != c.want {
			t.Errorf("%s: %q was asked for, not %q", c.name, got, c.want)
		}
	}
}

// TestLearnFails checks that a listing that fails before its end proves nothing and returns its
// error.
func TestLearnFails(t *testing.T) {
	b := &below{}
	s := array(t, b, 20, 1, 2, 3, 4, 5, 6)
	lists := 0
	b.before = func(c store.Call) error {
		if c.Op == store.OpList {
			if lists++; lists == 2 {
				return fault.Unavailable
			}
		}
		return nil
	}
	if err := s.Learn(t.Context()); !errors.Is(err, fault.Unavailable) {
		t.Fatal(err)
	}
	if s.Absent("a/c/9") {
		t.Error("absence was taken from half a listing")
	}
}

// TestDeletes checks the number of requests of deletes. Deletes of objects that cannot exist are
// skipped, and existing objects are deleted.
func TestDeletes(t *testing.T) {
	upTo := func(n int) (all []int) {
		for i := range n {
			all = append(all, i)
		}
		return all
	}
	for _, c := range []struct {
		name       string
		n          int
		there      []int
		expect     int64
		incomplete bool
		want       string
	}{
		{"a new array", 40, nil, 40, false, "1 list"},
		{"some are there", 40, []int{3, 17, 39}, 40, false, "3 delete, 1 list"},
		{"few are written", 8, nil, 8, false, "8 delete"},
		{"it is not known how many are written", 40, nil, 0, false, "40 delete"},
		{"listings that prove no absence", 40, nil, 40, true, "40 delete"},
		// The first listing stops at more than 4 keys, after 2 pages. The second, after one delete,
		// stops at more than 8 keys, after 3 pages. The third, after three deletes, has all 9 keys
		// in 3 pages.
		{"more than a page", 40, upTo(12), 40, false, "12 delete, 8 list"},
		// The first four listings stop at more than 4, 8, 16 and 32 keys, after 2, 3, 5 and 9
		// pages. The last one, at the 16th delete, has the remaining 25 keys in 7 pages.
		{"all are there", 40, upTo(40), 40, false, "40 delete, 26 list"},
	} {
		b := &below{incomplete: c.incomplete}
		s := array(t, b, c.n, c.there...)
		if c.expect > 0 {
			s.ExpectWrites(c.expect)
		}
		for i := range c.n {
			remove(t, s, i)
		}
		if got := b.took(); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
		if left := b.keys(t); len(left) > 0 {
			t.Errorf("%s: %v are left", c.name, left)
		}
	}
}

// TestDeletesOfPuts checks that objects that this process puts, before or after the listing, are
// deleted by a later Delete.
func TestDeletesOfPuts(t *testing.T) {
	b := &below{}
	s := array(t, b, 40)
	s.ExpectWrites(40)
	put(t, s, 1)
	remove(t, s, 2) // lists
	put(t, s, 3)
	b.took()
	for i := range 40 {
		remove(t, s, i)
	}
	if got := b.took(); got != "2 delete" {
		t.Error(got)
	}
	if left := b.keys(t); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	if err := s.Delete(t.Context(), "a/c/9", store.DeleteOptions{IfVersion: "1"}); !errors.Is(err, fault.Conflict) {
		t.Errorf("the condition was not looked at: %v", err)
	}
}

// TestReadsOfPuts: after a Put, objects that were stored since the listing can be read. The listing
// no longer proves their absence.
func TestReadsOfPuts(t *testing.T) {
	b := &below{}
	s := array(t, b, 40)
	s.ExpectWrites(40)
	remove(t, s, 2) // lists
	if _, err := b.Put(t.Context(), "a/c/5", []byte("by another process"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	put(t, s, 3)
	for _, key := range []string{"a/c/3", "a/c/5"} {
		if s.Absent(key) {
			t.Errorf("%s is said to be absent", key)
		}
		if _, err := s.Get(t.Context(), key, store.GetOptions{}, nil); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestDeletesOfPutsUnderWay puts an object concurrently with the listing, which therefore lacks it.
// A later Delete must remove the object.
func TestDeletesOfPutsUnderWay(t *testing.T) {
	b := &below{}
	s := array(t, b, 40)
	s.ExpectWrites(40)
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan error)
	b.before = func(c store.Call) error {
		if c.Op == store.OpPut {
			close(begun)
			<-end
		}
		return nil
	}
	go func() {
		_, err := s.Put(t.Context(), "a/c/7", []byte("x"), store.PutOptions{})
		done <- err
	}()
	<-begun
	remove(t, s, 2) // lists
	close(end)
	check(t, <-done)
	remove(t, s, 7)
	if left := b.keys(t); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// TestDeletesAfterParts checks that a value whose parts are sent is deleted after the commit.
func TestDeletesAfterParts(t *testing.T) {
	b := &below{}
	s := array(t, b, 40)
	s.ExpectWrites(40)
	p, err := s.PutParts(t.Context(), "a/c/7", store.PartsOptions{})
	check(t, err)
	check(t, p.Part(t.Context(), 0, []byte("x")))
	remove(t, s, 2) // lists
	_, err = p.Commit(t.Context(), store.PutOptions{})
	check(t, err)
	if len(b.keys(t)) != 1 {
		t.Fatal("nothing was committed")
	}
	remove(t, s, 7)
	if left := b.keys(t); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// TestDeletesInBoundedMemory puts more objects at distant positions than the Store records. Each
// delete must then be sent.
func TestDeletesInBoundedMemory(t *testing.T) {
	b := &below{Store: mem.New()}
	s := listed.New(b.around(), "a")
	s.Describe(v3, []int{1 << 30})
	s.ExpectWrites(1 << 30)
	remove(t, s, 1)
	remove(t, s, 2)
	if got := b.took(); got != "1 list" {
		t.Fatal(got)
	}
	for i := range 20_000 {
		_, err := s.Put(t.Context(), fmt.Sprintf("a/c/%d", i<<15), nil, store.PutOptions{})
		check(t, err)
	}
	b.took()
	for i := range 20_000 {
		remove(t, s, i<<15)
	}
	remove(t, s, 1)
	if got := b.took(); got != "20001 delete" {
		t.Error(got)
	}
	if left := b.keys(t); len(left) > 0 {
		t.Errorf("%d are left", len(left))
	}
}

// TestReadsAgain checks that a listing that was stopped, because the first objects were all absent,
// is repeated after more requests.
func TestReadsAgain(t *testing.T) {
	var there []int
	for i := 3000; i < 3040; i++ {
		there = append(there, i)
	}
	b := &below{}
	s := array(t, b, 4000, there...)
	s.ExpectReads(4000, 1)
	found := 0
	for i := range 4000 {
		_, err := s.Get(t.Context(), fmt.Sprintf("a/c/%d", i), store.GetOptions{}, nil)
		if err == nil {
			found++
		} else if !errors.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
	}
	// The first listing, after 16 absent objects, stops at more than 4 keys, after 2 pages. The
	// second, after 17, stops at more than 20 keys, after 6 pages. The third, after 18, expects 40
	// keys. It has all 40 in 10 pages.
	if got := b.took(); got != "58 get, 18 list" || found != 40 {
		t.Errorf("%s, %d found", got, found)
	}
}

// TestDirectory reads an array in a directory with a file in the place of a directory, and with
// other names that a listing does not show as objects. A get of each object must return the same
// error as without a listing.
func TestDirectory(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(root string) error
		sent bool // gets are sent despite a listing
	}{
		{"only objects", func(string) error { return nil }, false},
		{"a file above objects", func(root string) error { return os.WriteFile(root+"/a/c/7", nil, 0o666) }, true},
		{"a link without a target", func(root string) error { return os.Symlink("none", root+"/a/c/7") }, true},
		{"a directory in the place of an object", func(root string) error {
			return errors.Join(os.MkdirAll(root+"/a/c/7/8", 0o777), os.WriteFile(root+"/a/c/7/8/x", nil, 0o666))
		}, true},
		{"another file", func(root string) error { return os.WriteFile(root+"/a/notes", nil, 0o666) }, false},
		{"a change", nil, true},
	} {
		root := t.TempDir()
		plain := dir.New(root)
		for _, key := range []string{"a/zarr.json", "a/c/1/1", "a/c/3/99"} {
			_, err := plain.Put(t.Context(), key, []byte("x"), store.PutOptions{})
			check(t, err)
		}
		if c.make != nil {
			check(t, c.make(root))
			time.Sleep(100 * time.Millisecond)
		}
		sent := 0
		s := listed.New(store.Around(plain, store.Hooks{Before: func(ctx context.Context, call store.Call) (context.Context, error) {
			if call.Op == store.OpGet {
				sent++
			}
			return ctx, nil
		}}), "a")
		if !s.Proves() {
			t.Skip("directories do not prove absence on this system")
		}
		s.Describe(v3, []int{100, 100})
		s.ExpectReads(10_000, 1)
		for i := range 10_000 {
			key := fmt.Sprintf("a/c/%d/%d", i/100, i%100)
			_, err := s.Get(t.Context(), key, store.GetOptions{}, nil)
			_, want := plain.Get(t.Context(), key, store.GetOptions{}, nil)
			if (err == nil) != (want == nil) || errors.Is(err, fault.NotFound) != errors.Is(want, fault.NotFound) {
				t.Fatalf("%s: %s: %v, without a listing %v", c.name, key, err, want)
			}
		}
		if c.sent != (sent == 10_000) {
			t.Errorf("%s: %d gets were sent", c.name, sent)
		}
	}
}

func TestConforms(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return listed.New(mem.New(), "a") }, storetest.Keys(50), storetest.Rounds(3))
}
