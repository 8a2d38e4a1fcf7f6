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

// Opened returns a function that takes the results of a provider's Open and returns the store. The
// function fails the test on an error, and closes the store when the test ends.
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

// Opening describes a provider's Open to the tests. O is the provider's type of options.
type Opening[O any] struct {
	Open func(ctx context.Context, url string, opts ...O) (store.Store, error)

	Scheme, Bucket string // such as "s3" and "bucket", as in messages
	Server         string // text of messages about how to specify the server
	Query          string // parameters that every URL needs, such as "region=us-east-1", or ""
	Text           string // name of a parameter with a text value
	TooFew         O      // MaxInFlight(-1)
}

// Mistake contains a URL or options that Open rejects.
type Mistake[O any] struct {
	name, url, says string
	opts            []O
}

// Mistake returns a mistake that Open rejects with a *store.UsageError. The message must contain
// the text in says.
func (p Opening[O]) Mistake(name, url, says string, opts ...O) Mistake[O] {
	return Mistake[O]{name, url, says, opts}
}

// url returns a URL in the bucket "b". rest follows the name of the bucket.
func (p Opening[O]) url(rest string) string {
	return strings.TrimSuffix(p.Scheme+"://b"+rest+"?"+p.Query, "?")
}

// mistakes returns the mistakes that every provider rejects.
func (p Opening[O]) mistakes() []Mistake[O] {
	at := p.Scheme + "://"
	form := at + p.Bucket + "/prefix; " + p.Server
	return []Mistake[O]{
		p.Mistake("other scheme", "other://b", `the scheme must be `+p.Scheme+`, is "other"`),
		p.Mistake("no bucket", at+"/k?"+p.Query, form),
		p.Mistake("a port", p.url(":9000/k"), form),
		p.Mistake("secrets in the URL", at+"key:hush@b?"+p.Query, "not contain a user or password: credentials"),
		p.Mistake("secrets in a broken URL", at+"key:hu%shush@b?"+p.Query, "is malformed"),
		p.Mistake("unknown parameter", at+"b?colour=red", "unknown parameter colour"),
		p.Mistake("parameter twice", at+"b?"+p.Text+"=x&"+p.Text+"=y", p.Text+" occurs 2 times"),
		p.Mistake("not a flag", at+"b?anonymous=perhaps", `anonymous must be true or false, is "perhaps"`),
		p.Mistake("fragment", p.url("/a#c"), `not have a fragment: write "#" in a prefix as %23`),
		p.Mistake("too few requests", p.url(""), "MaxInFlight must be at least 0, is -1", p.TooFew),
	}
}

// Mistakes checks that Open rejects the mistakes of every provider, and the mistakes of this
// provider in own. The messages must not contain a secret. The error for an invalid prefix must be
// fault.Path.
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

// refuses checks that Open returns a *store.UsageError. The message must contain the text in says
// and no secret.
func (p Opening[O]) refuses(t *testing.T, url, says string, opts ...O) {
	t.Helper()
	s, err := p.Open(t.Context(), url, opts...)
	var u *store.UsageError
	if s != nil || !errors.As(err, &u) || !strings.Contains(err.Error(), says) {
		t.Fatalf("want an error that mentions %q, got %v", says, err)
	}
	if strings.Contains(err.Error(), "hush") {
		t.Errorf("the error contains the secret: %v", err)
	}
}

// ClientContradicts checks that Open rejects a client of the caller together with another option
// about the connection. The message must contain the text in says.
func ClientContradicts[O any](t *testing.T, p Opening[O], url, says string, client O, others map[string]O) {
	for _, name := range slices.Sorted(maps.Keys(others)) {
		t.Run(name, func(t *testing.T) { p.refuses(t, url, says, client, others[name]) })
	}
}

// OpenCancelled checks that Open returns the error of a context that has ended.
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

// Taking is a bucket opened by gocloud.dev for a provider's FromBucket.
type Taking[B Bucket] struct {
	Bucket B
	Other  B      // a bucket of another provider
	URL    string // URL of the bucket with a prefix
	Name   string // expected name of the store
	Page   int    // expected number of keys in a page of a listing
	// From calls the provider's FromBucket, and sets the maximum number of requests in flight to
	// nine.
	From func(b B, url string) (store.Store, error)
}

// FromBucket checks that a store from a bucket of gocloud.dev has versions, conditions and tuning.
// It also checks that closing the store closes the bucket.
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
