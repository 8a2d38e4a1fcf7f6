package fake

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Opened returns a function that takes the results of an Open: an error fails the test, and the
// store is closed when the test ends.
func Opened(t testing.TB) func(store.Store, error) store.Store {
	return func(s store.Store, err error) store.Store {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

// Opening is what the tests of a provider's Open need to know of it. O is its type of options.
type Opening[O any] struct {
	Open func(ctx context.Context, url string, opts ...O) (store.Store, error)

	Scheme, Bucket string // "s3" and "bucket", as messages have them
	Server         string // how the server is named instead of by host and port
	Query          string // parameters that every URL needs, such as "region=us-east-1", or ""
	Text           string // the name of a parameter that holds text
	TooFew         O      // MaxInFlight(-1)
}

// Mistake is a URL, or options, that Open refuses.
type Mistake[O any] struct {
	name, url, says string
	opts            []O
}

// Mistake is refused with a *store.UsageError that mentions says.
func (p Opening[O]) Mistake(name, url, says string, opts ...O) Mistake[O] {
	return Mistake[O]{name, url, says, opts}
}

// url is the URL of what is in the bucket "b": rest follows the bucket's name.
func (p Opening[O]) url(rest string) string {
	return strings.TrimSuffix(p.Scheme+"://b"+rest+"?"+p.Query, "?")
}

// mistakes are those of every provider.
func (p Opening[O]) mistakes() []Mistake[O] {
	at := p.Scheme + "://"
	form := at + p.Bucket + "/prefix, and " + p.Server
	return []Mistake[O]{
		p.Mistake("other scheme", "other://b", `the scheme is "other", not `+p.Scheme),
		p.Mistake("no bucket", at+"/k?"+p.Query, form),
		p.Mistake("a port", p.url(":9000/k"), form),
		p.Mistake("secrets in the URL", at+"key:hush@b?"+p.Query, "no user or password: credentials"),
		p.Mistake("secrets in a broken URL", at+"key:hu%shush@b?"+p.Query, "cannot be read"),
		p.Mistake("unknown parameter", at+"b?colour=red", "colour is not known"),
		p.Mistake("parameter twice", at+"b?"+p.Text+"=x&"+p.Text+"=y", p.Text+" is given 2 times"),
		p.Mistake("not a flag", at+"b?anonymous=perhaps", `anonymous is "perhaps"`),
		p.Mistake("fragment", p.url("/a#c"), `no fragment; "#" in a prefix is written %23`),
		p.Mistake("too few requests", p.url(""), "MaxInFlight(-1) is less than one", p.TooFew),
	}
}

// Mistakes holds an Open to refusing what cannot be meant, without a secret in the message: the
// mistakes of every provider and its own. A prefix that is no key is fault.Path.
func Mistakes[O any](t *testing.T, p Opening[O], own ...Mistake[O]) {
	for _, m := range append(p.mistakes(), own...) {
		t.Run(m.name, func(t *testing.T) { p.refuses(t, m.url, m.says, m.opts...) })
	}
	for _, prefix := range []string{"a//b", "a/../b", "a%5Cb"} {
		t.Run("prefix "+prefix, func(t *testing.T) {
			_, err := p.Open(t.Context(), p.url("/"+prefix))
			WantKind(t, err, fault.Path)
		})
	}
}

// refuses wants a *store.UsageError.
func (p Opening[O]) refuses(t *testing.T, url, says string, opts ...O) {
	t.Helper()
	s, err := p.Open(t.Context(), url, opts...)
	var u *store.UsageError
	if s != nil || !errors.As(err, &u) || !strings.Contains(err.Error(), says) {
		t.Fatalf("want an error that mentions %q, got %v", says, err)
	}
	if strings.Contains(err.Error(), "hush") {
		t.Errorf("it tells the secret: %v", err)
	}
}

// ClientContradicts holds an Open with a client of the caller's to refusing every option about the
// connection, in a message that mentions says.
func ClientContradicts[O any](t *testing.T, p Opening[O], url, says string, client O, others map[string]O) {
	for _, name := range slices.Sorted(maps.Keys(others)) {
		t.Run(name, func(t *testing.T) { p.refuses(t, url, says, client, others[name]) })
	}
}

// OpenCancelled holds an Open to a context that has ended.
func OpenCancelled[O any](t *testing.T, p Opening[O]) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Open(ctx, p.url("")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Bucket is a bucket of gocloud.dev.
type Bucket interface {
	comparable
	Exists(ctx context.Context, key string) (bool, error)
}

// Taking is a bucket that gocloud.dev has opened and a provider's FromBucket takes over.
type Taking[B Bucket] struct {
	Bucket B
	Other  B      // a bucket of another provider
	URL    string // names the bucket, with a prefix
	Name   string // of the store
	Page   int    // keys in a page of a listing
	// From is FromBucket, with nine requests in flight.
	From func(b B, url string) (store.Store, error)
}

// FromBucket holds a provider to this: a bucket that gocloud.dev has opened keeps versions,
// conditions and tuning, and is closed with the store.
func FromBucket[B Bucket](t *testing.T, b Taking[B]) {
	s, err := b.From(b.Bucket, b.URL)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{IfAbsent: true})
	if err != nil || v == "" {
		t.Error(v, err)
	}
	if _, err := s.Put(t.Context(), "k", []byte("w"), store.PutOptions{IfVersion: v}); err != nil {
		t.Error(err)
	}
	var got B
	if !store.As(s, &got) || got != b.Bucket || store.Name(s) != b.Name {
		t.Errorf("%s is not over the bucket", store.Name(s))
	}
	if n := store.TuningOf(s); n.Requests != 9 || n.ListPage != b.Page {
		t.Errorf("tuning %+v", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := b.Bucket.Exists(t.Context(), "k"); err == nil {
		t.Error("the bucket is open after Close")
	}
	var u *store.UsageError
	if _, err := b.From(b.Other, b.URL); !errors.As(err, &u) {
		t.Errorf("a bucket of another provider: %v", err)
	}
}
