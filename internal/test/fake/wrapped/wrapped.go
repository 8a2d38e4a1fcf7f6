package wrapped

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/zarr/store"
)

// Provider describes a provider whose fake server has the bucket "zarr-test".
type Provider struct {
	Scheme string
	// Open opens the bucket of that name with gocloud.dev. The server need not have it.
	Open func(t *testing.T, name string) *gcblob.Bucket
	// From is FromBucket of the provider.
	From func(b *gcblob.Bucket, url string) (store.Store, error)
	// Requests is the number of requests since its last call.
	Requests func() int
}

// FromBucket checks that the store of an opened bucket uses the bucket and the keys that the opened
// bucket uses, or is refused without a request.
func FromBucket(t *testing.T, p Provider) {
	none := func(b *gcblob.Bucket) *gcblob.Bucket { return b }
	prefix := func(prefix string) func(*gcblob.Bucket) *gcblob.Bucket {
		return func(b *gcblob.Bucket) *gcblob.Bucket { return gcblob.PrefixedBucket(b, prefix) }
	}
	for _, c := range []struct {
		name string
		wrap func(*gcblob.Bucket) *gcblob.Bucket
		url  string // after the scheme
		key  string // under which the server stores the key "k"
		says string // of the error, instead
	}{
		{"as opened", none, "zarr-test", "k", ""},
		{"as opened, with a prefix", none, "zarr-test/p", "p/k", ""},
		{"another bucket", none, "another", "", `"another"`},
		{"prefix dropped", prefix("tenant1/"), "zarr-test", "", `repeat the prefix`},
		{"another prefix", prefix("tenant1/"), "zarr-test/tenant10", "", `"tenant1/"`},
		{"prefix repeated", prefix("tenant1/"), "zarr-test/tenant1", "tenant1/k", ""},
		{"below the prefix", prefix("tenant1/"), "zarr-test/tenant1/p", "tenant1/p/k", ""},
		{"prefix without a slash", prefix("ten"), "zarr-test/tenant1", "tenant1/k", ""},
		{"prefix of a prefix", func(b *gcblob.Bucket) *gcblob.Bucket {
			return gcblob.PrefixedBucket(gcblob.PrefixedBucket(b, "a/"), "b/")
		}, "zarr-test/b/a", "", `"a/b/"`},
		{"one key", func(b *gcblob.Bucket) *gcblob.Bucket { return gcblob.SingleKeyBucket(b, "k") }, "zarr-test", "", "opened bucket"},
		{"other keys", func(b *gcblob.Bucket) *gcblob.Bucket {
			return gcblob.NewBucket(&wrapper{b: b, key: func(k string) string { return k + ".enc" }})
		}, "zarr-test", "", "blob.New"},
		{"keys by their length", func(b *gcblob.Bucket) *gcblob.Bucket {
			return gcblob.NewBucket(&wrapper{b: b, key: func(k string) string { return strconv.Itoa(len(k)) + "/" + k }})
		}, "zarr-test/9", "", "blob.New"},
		{"other bytes", func(b *gcblob.Bucket) *gcblob.Bucket {
			return gcblob.NewBucket(&wrapper{b: b, key: func(k string) string { return k }})
		}, "zarr-test", "", "blob.New"},
		{"hidden requests", func(b *gcblob.Bucket) *gcblob.Bucket {
			return gcblob.NewBucket(&wrapper{b: b, key: func(k string) string { return k }, hides: true})
		}, "zarr-test", "", "blob.New"},
		{"closed", func(b *gcblob.Bucket) *gcblob.Bucket { _ = gcblob.PrefixedBucket(b, "p/"); return b }, "zarr-test", "", "closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			name, _, _ := strings.Cut(c.url, "/")
			if c.key == "" {
				name = "zarr-test"
			}
			b := c.wrap(p.Open(t, name))
			p.Requests()
			s, err := p.From(b, p.Scheme+"://"+c.url)
			if n := p.Requests(); n != 0 {
				t.Errorf("%d requests", n)
			}
			if c.says != "" {
				var u *store.UsageError
				if err == nil || !errors.As(err, &u) || !strings.Contains(err.Error(), c.says) {
					t.Fatalf("%v, want a usage error that contains %q", err, c.says)
				}
				_ = b.Close()
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			_ = s.Close()
			whole, err := p.From(p.Open(t, "zarr-test"), p.Scheme+"://zarr-test")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = whole.Close() }()
			if got, err := whole.Get(t.Context(), c.key, store.GetOptions{}, nil); string(got.Bytes) != "v" {
				t.Errorf("%s holds %q, %v", c.key, got.Bytes, err)
			}
		})
	}
}
