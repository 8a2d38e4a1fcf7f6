package gcs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func TestOneRequestPerWrite(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	const up = "POST /upload/storage/v1/b/zarr-test/o"
	v, err := s.Put(t.Context(), "k", []byte("one"), store.PutOptions{IfAbsent: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Requests(); !slices.Equal(got, []string{up + " ifGenerationMatch=0 uploadType=multipart"}) {
		t.Errorf("requests %q", got)
	}
	_, err = s.Put(t.Context(), "k", []byte("two"), store.PutOptions{IfAbsent: true})
	wantKind(t, err, fault.Exists)
	f.Requests()
	v2, err := s.Put(t.Context(), "k", []byte("two"), store.PutOptions{IfVersion: v})
	if err != nil || v2 == v {
		t.Errorf("version %s after %s, %v", v2, v, err)
	}
	if got := f.Requests(); !slices.Equal(got, []string{up + " ifGenerationMatch=" + string(v) + " uploadType=multipart"}) {
		t.Errorf("requests %q", got)
	}
	_, err = s.Put(t.Context(), "k", []byte("three"), store.PutOptions{IfVersion: v})
	wantKind(t, err, fault.Conflict)
	if err := s.Delete(t.Context(), "k", store.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if err := s.Delete(t.Context(), "k", store.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	wantKind(t, s.Delete(t.Context(), "k", store.DeleteOptions{IfVersion: v}), fault.Conflict)
}

// TestLongPut checks that a value longer than the SDK's buffers is one request, and that a value
// damaged in transit is not stored.
func TestLongPut(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := bare(t, f.At(""), StorageClass("NEARLINE"), ContentType("application/x"), KMSKey("projects/p/k"))
	if _, err := s.Put(t.Context(), "k", make([]byte, 20<<20), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := len(f.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
	if o := f.Object("k"); len(o.value) != 20<<20 || o.class != "NEARLINE" || o.ctype != "application/x" || o.kms != "projects/p/k" {
		t.Errorf("%d bytes, %q, %q, %q", len(o.value), o.class, o.ctype, o.kms)
	}
}

// TestPutAllocatesLittle checks that a put does not allocate the SDK's default buffer, which has
// 16.8 MB for any value.
func TestPutAllocatesLittle(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	value := make([]byte, 64<<10)
	r := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	if n := r.AllocedBytesPerOp(); n > 1<<20 { // includes the server in this process
		t.Errorf("%d bytes allocated for a put of 64 KiB", n)
	}
}

// TestPutKeepsTheReason checks that a put reports the cause of its failure. The SDK's writer fails
// in one goroutine and is closed in another, in either order.
func TestPutKeepsTheReason(t *testing.T) {
	noEnvironment(t)
	s := bare(t, NewFake(t).At(""), TokenSource(noToken{errors.New("revoked")}))
	for range 500 {
		_, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{})
		wantKind(t, err, fault.Refused)
		if errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

func TestPutAnswers(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	for _, c := range []struct {
		name string
		page func() (int, string)
		want error
	}{
		{"no generation", func() (int, string) { return 200, `{"name":"k"}` }, fault.Unavailable},
		{"half a document", func() (int, string) { return 200, `{"name":` }, fault.Unavailable},
		{"403", func() (int, string) { return 403, jsonError(403, "forbidden", "m") }, fault.Refused},
		{"429", func() (int, string) { return 429, jsonError(429, "rateLimitExceeded", "m") }, fault.Throttled},
		{"412", func() (int, string) { return 412, jsonError(412, "conditionNotMet", "m") }, fault.Exists},
		{"413", func() (int, string) { return 413, jsonError(413, "uploadTooLarge", "m") }, fault.Limit},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body := c.page()
			f.Answer(fake.Page(status, "application/json", body))
			_, err := s.Put(t.Context(), "k "+c.name, make([]byte, 1<<20), store.PutOptions{IfAbsent: true})
			wantKind(t, err, c.want)
		})
	}
}

// TestAnswerBeforeTheValue checks that a success response that is sent before the value was read is
// an error, and that no goroutine waits forever.
func TestAnswerBeforeTheValue(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Answer(fake.Page(200, "application/json", `{"name":"k","generation":"5"}`))
	s := bare(t, f.At(""))
	value := make([]byte, 64<<20) // larger than the buffers of sockets
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := s.Put(ctx, "k", value, store.PutOptions{})
		cancel()
		wantKind(t, err, fault.Unavailable)
	}
}

func TestListing(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	for _, k := range []string{"p/a/b", "p/a/", "p/a/c/d", "p/ab", "q"} {
		f.Set(k, object{value: []byte(k)})
	}
	s := bare(t, f.At("p"))
	var got []string
	for e, err := range s.List(t.Context(), "a", store.ListOptions{Depth: store.OneLevel}) {
		if err != nil {
			t.Fatal(err)
		}
		if !e.Dir && (e.Version == "" || e.Size != int64(len("p/"+e.Key))) {
			t.Errorf("entry %+v", e)
		}
		got = append(got, e.Key)
	}
	slices.Sort(got)
	if want := []string{"a/b", "a/c"}; !slices.Equal(got, want) { // without the directory marker
		t.Errorf("got %q, want %q", got, want)
	}
	t.Run("outside of the prefix", func(t *testing.T) {
		f.Answer(fake.Page(200, "application/json", `{"items":[{"name":"q"}]}`))
		wantKind(t, fake.ListError(t.Context(), s, store.Deep), fault.Unavailable)
	})
	t.Run("no progress", func(t *testing.T) {
		f.Answer(fake.Page(200, "application/json", `{"nextPageToken":"t"}`))
		wantKind(t, fake.ListError(t.Context(), s, store.Deep), fault.Unavailable)
	})
}

// TestListPart checks that a listing of a part of the keys selects them on the server, so that only
// their pages are requested.
func TestListPart(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	for i := range fake.PartsOf {
		f.Set(fmt.Sprintf("p/a/%04d", i), object{value: []byte("1")})
	}
	fake.ListParts(t, f.Server, bare(t, f.At("p")))
}

func TestKeys(t *testing.T) {
	noEnvironment(t)
	s := bare(t, NewFake(t).At("p"))
	_, err := s.Get(t.Context(), strings.Repeat("k", 1023), store.GetOptions{}, nil)
	wantKind(t, err, fault.Path)
	_, err = bare(t, NewFake(t).At("")).Get(t.Context(), ".well-known/acme-challenge/k", store.GetOptions{}, nil)
	wantKind(t, err, fault.Path)
}
