package redis_test

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/zargo-io/zargo/examples/stores/redis"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

var url = os.Getenv("ZARR_TEST_REDIS_URL")

func options() goredis.Options {
	o, err := goredis.ParseURL(url)
	if err != nil {
		log.Fatal(err)
	}
	return *o
}

// TestMain runs the examples only if there is a server. The tests report that there is none.
func TestMain(m *testing.M) {
	if flag.Parse(); url == "" {
		if err := flag.Set("test.run", "^Test"); err != nil {
			panic(err) // package testing defines this flag
		}
	}
	os.Exit(m.Run())
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// open opens an empty store of a name that no other test has, and removes its keys afterwards.
func open(t testing.TB) (s *redis.Store, name string) {
	t.Helper()
	if url == "" && os.Getenv("CI") == "true" {
		t.Fatal("no server, and CI=true: ZARR_TEST_REDIS_URL is not set")
	} else if url == "" {
		t.Skip("SKIPPED: no server: ZARR_TEST_REDIS_URL is not set; see integration/servers/servers.py")
	}
	name = "zargo-test-" + rand.Text()
	s, err := redis.Open(t.Context(), options(), name)
	must(t, err)
	t.Cleanup(func() {
		c, ctx := client(), context.Background()
		keys, err := c.Keys(ctx, "{"+name+"}:*").Result()
		must(t, err)
		if len(keys) > 0 {
			must(t, c.Del(ctx, keys...).Err())
		}
		must(t, c.Close())
	})
	return s, name
}

// client returns a client that bypasses the store.
func client() *goredis.Client {
	o := options()
	return goredis.NewClient(&o)
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { s, _ := open(t); return s })
}

// TestLostValues checks that a value that Redis has lost is not an absent key.
func TestLostValues(t *testing.T) {
	ctx := t.Context()
	s, name := open(t)
	defer s.Close()
	_, err := s.Put(ctx, "a/b", []byte("1"), store.PutOptions{})
	c := client()
	must(t, err, c.Del(ctx, "{"+name+"}:v:a/b").Err())
	for _, o := range []store.GetOptions{{}, {Range: store.Suffix(1)}} {
		if _, err := s.Get(ctx, "a/b", o, nil); !errors.Is(err, fault.Corrupt) || errors.Is(err, fault.NotFound) {
			t.Errorf("Get of a lost value: %v", err)
		}
	}
	must(t, c.Set(ctx, "{"+name+"}:v:a/b", "short", 0).Err())
	if _, err := s.Get(ctx, "a/b", store.GetOptions{}, nil); !errors.Is(err, fault.Corrupt) {
		t.Errorf("Get of a value without a version: %v", err)
	}

	const policy = "maxmemory-policy"
	must(t, c.ConfigSet(ctx, policy, "allkeys-lru").Err())
	defer func() { must(t, c.ConfigSet(ctx, policy, "noeviction").Err(), c.Close()) }()
	if _, err := redis.Open(ctx, options(), name); !errors.Is(err, fault.Refused) {
		t.Errorf("Open of a server that evicts keys: %v", err)
	}
}

// TestFailures checks that a server that cannot be reached is not an absence.
func TestFailures(t *testing.T) {
	s, name := open(t)
	must(t, s.Close())
	_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
	_, none := redis.Open(t.Context(), goredis.Options{Addr: "127.0.0.1:1"}, name)
	for _, err := range []error{err, none} {
		if !errors.Is(err, fault.Unavailable) || errors.Is(err, fault.NotFound) {
			t.Error(err)
		}
	}
}

// TestSkippedDirectories checks pages of directories.
func TestSkippedDirectories(t *testing.T) {
	ctx := t.Context()
	s, _ := open(t)
	defer s.Close()
	var want []string
	for d := range 1100 {
		want = append(want, fmt.Sprintf("a/%04d", d))
		for i := range 2 {
			_, err := s.Put(ctx, fmt.Sprintf("a/%04d/%d", d, i), nil, store.PutOptions{})
			must(t, err)
		}
	}
	page, next, err := s.ListPage(ctx, "a", store.ListOptions{Depth: store.OneLevel}, "")
	rest, last, err2 := s.ListPage(ctx, "a", store.ListOptions{Depth: store.OneLevel}, next)
	must(t, err, err2)
	var got []string
	for _, e := range append(page, rest...) {
		got = append(got, e.Key)
	}
	if len(page) != 1000 || last != "" || !slices.Equal(got, want) {
		t.Errorf("%d and %d entries, next %q", len(page), len(rest), last)
	}
}

func ExampleOpen() {
	ctx := context.Background()
	st, err := redis.Open(ctx, options(), "era5"+rand.Text())
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	retried, err := retry.New(st)
	if err != nil {
		log.Fatal(err)
	}
	a, err := zarr.Create(ctx, retried, "t2m", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []float32{280, 281, 282, 283}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[float32](ctx, a, zarr.Range(1, 3)))
	for e, err := range st.List(ctx, "t2m", store.ListOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Key, st.Delete(ctx, e.Key, store.DeleteOptions{}))
	}
	// Output:
	// [281 282] <nil>
	// t2m/c/0 <nil>
	// t2m/c/1 <nil>
	// t2m/zarr.json <nil>
}
