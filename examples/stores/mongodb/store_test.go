package mongodb_test

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/zargo-io/zargo/examples/stores/mongodb"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

const variable, ferret = "ZARR_TEST_MONGODB_URL", "ZARR_TEST_FERRETDB_URL"

// TestMain runs the examples only if there is a server. The tests report that there is none.
func TestMain(m *testing.M) {
	if flag.Parse(); os.Getenv(variable) == "" {
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

// collection returns an empty collection that no other test has, on the server of a variable.
func collection(t testing.TB, variable string) *mongo.Collection {
	t.Helper()
	url := os.Getenv(variable)
	if url == "" && os.Getenv("CI") == "true" {
		t.Fatalf("no server, and CI=true: %s is not set", variable)
	} else if url == "" {
		t.Skipf("SKIPPED: no server: %s is not set; see integration/servers/servers.py", variable)
	}
	client, err := mongo.Connect(options.Client().ApplyURI(url))
	must(t, err)
	c := client.Database("zargo_test").Collection("t" + strings.ToLower(rand.Text()))
	t.Cleanup(func() { must(t, c.Drop(context.Background()), client.Disconnect(context.Background())) })
	return c
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return mongodb.New(collection(t, variable)) })
}

// TestFerretDB runs all cases on a second implementation of the protocol. FerretDB 1 finds and then
// updates or deletes a document, in two steps that another write can separate; MongoDB does it in
// one. The lock makes the steps one.
func TestFerretDB(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return &oneWriter{Store: mongodb.New(collection(t, ferret))}
	})
}

type oneWriter struct {
	*mongodb.Store
	mu sync.Mutex
}

func (w *oneWriter) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Store.Put(ctx, key, b, o)
}

func (w *oneWriter) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Store.Delete(ctx, key, o)
}

func TestTooLarge(t *testing.T) {
	ctx, key := t.Context(), strings.Repeat("k", store.MaxKey)
	for _, server := range []string{variable, ferret} {
		t.Run(server, func(t *testing.T) {
			s, large := mongodb.New(collection(t, server)), (*mongodb.TooLarge)(nil)
			_, err := s.Put(ctx, key, make([]byte, mongodb.MaxValue), store.PutOptions{IfAbsent: true})
			must(t, err)
			_, err = s.Put(ctx, key, make([]byte, mongodb.MaxValue+1), store.PutOptions{})
			if !errors.As(err, &large) || !errors.Is(err, fault.Limit) || !strings.Contains(err.Error(), "16775168") {
				t.Errorf("Put of a value that is too large: %v", err)
			}
			v, err := s.Get(ctx, key, store.GetOptions{}, nil)
			must(t, err)
			if v.Size != mongodb.MaxValue {
				t.Errorf("the value has %d bytes", v.Size)
			}
		})
	}
}

// TestOtherDocuments checks that a document of another program is not an absent key.
func TestOtherDocuments(t *testing.T) {
	ctx, c := t.Context(), collection(t, variable)
	s := mongodb.New(c)
	for i, d := range []bson.M{{}, {"v": "x"}, {"v": 5}, {"v": "x", "n": 0}, {"v": "x", "n": 3, "b": []byte("12")}, {"v": "x", "n": -1, "b": []byte("12")}, {"v": "x", "n": "many"}} {
		d["_id"] = fmt.Sprint("k", i)
		_, err := c.InsertOne(ctx, d)
		must(t, err)
		for _, o := range []store.GetOptions{{}, {Max: 1}, {IfNotVersion: "y"}, {Range: store.Suffix(1)}} {
			if _, err := s.Get(ctx, fmt.Sprint("k", i), o, nil); !errors.Is(err, fault.Corrupt) && !errors.Is(err, fault.Limit) {
				t.Errorf("Get of %v with %+v: %v", d, o, err)
			}
		}
	}
}

// TestFailures checks that a server that cannot be reached is not an absence.
func TestFailures(t *testing.T) {
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50"))
	must(t, err)
	_, err = mongodb.New(client.Database("d").Collection("c")).Get(t.Context(), "k", store.GetOptions{}, nil)
	if !errors.Is(err, fault.Unavailable) || errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

func ExampleNew() {
	ctx := context.Background()
	client, err := mongo.Connect(options.Client().ApplyURI(os.Getenv("ZARR_TEST_MONGODB_URL")))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Disconnect(ctx) }()

	st, err := retry.New(mongodb.New(client.Database("climate").Collection("era5")))
	if err != nil {
		log.Fatal(err)
	}
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Float32})
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
