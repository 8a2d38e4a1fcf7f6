package gcs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// googles returns a bucket on the fake server that takes the server for Google's.
func googles(t *testing.T, f *Fake, opts ...Option) *bucket {
	t.Helper()
	noEnvironment(t)
	c := &config{}
	if err := c.read(f.At("p"), opts); err != nil {
		t.Fatal(err)
	}
	client, closes, err := c.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closes() })
	b := newBucket(client, c)
	b.google = true
	return b
}

func gen(o object) store.Version { return store.Version(fmt.Sprint(o.generation)) }

// TestCopyConditions checks that conditions on the destination are not sent to other servers than
// Google's, and that a condition on the source is checked there by a read.
func TestCopyConditions(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Set("p/a", object{value: []byte("a")})
	s := bare(t, f.At("p"))
	fake.CopyUnsupported(t, f.Server, s, gen(f.Object("p/a")))
	if n := len(f.Requests()); n != 2 {
		t.Errorf("%d requests, want a read and a copy", n)
	}
	for host, want := range map[string]bool{"": true, "https://storage.googleapis.com": true, "https://restricted.googleapis.com:443": true,
		"http://127.0.0.1:4443": false, "https://googleapis.com.example.org": false} {
		if isGoogle(host) != want {
			t.Errorf("%q is Google's: %v", host, !want)
		}
	}
}

// TestCopyConditionsOfGoogle checks the results of conditions on both objects of a copy. GCS sends
// the same response for a failed condition on either of them.
func TestCopyConditionsOfGoogle(t *testing.T) {
	f := NewFake(t)
	b := googles(t, f)
	f.Set("p/a", object{value: []byte("a")})
	f.Set("p/b", object{value: []byte("b")})
	va, vb := gen(f.Object("p/a")), gen(f.Object("p/b"))
	for _, o := range []store.CopyOptions{{FromVersion: "x"}, {IfVersion: "x"}} {
		if _, err := b.copy(t.Context(), "a", "b", o); !errors.Is(err, fault.Conflict) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	fake.CopyConditions(t, f.Server, va, vb, b.copy)
}

// TestCopySteps checks that a rewrite is continued until it is done, and ends with the context.
func TestCopySteps(t *testing.T) {
	f := NewFake(t)
	b := googles(t, f, StorageClass("NEARLINE"))
	f.Set("p/a", object{value: []byte("a"), ctype: "text/plain"})
	f.mu.Lock()
	f.calls = 3
	f.mu.Unlock()
	v, err := b.copy(t.Context(), "a", "b", store.CopyOptions{})
	got := f.Object("p/b")
	if err != nil || v != gen(got) || string(got.value) != "a" || got.class != "NEARLINE" || got.ctype != "application/octet-stream" {
		t.Errorf("%q, %+v, %v", v, got, err)
	}
	if l := f.Requests(); len(l) != 4 || strings.Contains(l[0], "rewriteToken") || !strings.Contains(l[3], "rewriteToken=token-3") {
		t.Errorf("requests: %q", l)
	}
	ctx, cancel := context.WithCancel(t.Context())
	f.Answer(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("rewriteToken") == "token-2" {
			cancel()
		}
		return false
	})
	if _, err := b.copy(ctx, "a", "d", store.CopyOptions{}); !errors.Is(err, context.Canceled) || f.Object("p/d").value != nil {
		t.Errorf("%+v, %v", f.Object("p/d"), err)
	}
}

// TestCopyKeys checks that both objects of a copy have the customer's key.
func TestCopyKeys(t *testing.T) {
	f := NewFake(t)
	s := bare(t, f.At("p"), EncryptionKey([]byte(strings.Repeat("k", 32))))
	if _, err := s.Put(t.Context(), "a", []byte("v"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Copy(t.Context(), s, "a", "b", store.CopyOptions{}); err != nil {
		t.Fatal(err)
	}
	if a, b := f.Object("p/a"), f.Object("p/b"); b.key == "" || b.key != a.key {
		t.Errorf("keys %q and %q", a.key, b.key)
	}
	f.Answer(fake.Page(200, "application/json", `{"kind":"storage#rewriteResponse","done":true}`))
	_, err := store.Copy(t.Context(), s, "a", "b", store.CopyOptions{})
	fake.WantKind(t, err, fault.Unavailable)
}
