package s3

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func TestPutHeader(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	for _, c := range []struct {
		name   string
		params string
		opts   []Option
		o      store.PutOptions
		want   map[string]string
	}{
		{"plain", "", nil, store.PutOptions{}, map[string]string{
			"Content-Type": "application/octet-stream", "If-Match": "", "If-None-Match": "", "X-Amz-Storage-Class": "",
			"X-Amz-Server-Side-Encryption": "", "X-Amz-Request-Payer": ""}},
		{"if absent", "", nil, store.PutOptions{IfAbsent: true}, map[string]string{"If-None-Match": "*", "If-Match": ""}},
		{"if version", "", nil, store.PutOptions{IfVersion: `"v"`}, map[string]string{"If-Match": `"v"`, "If-None-Match": ""}},
		{"options", "", []Option{SSEKMS("key-1"), StorageClass("STANDARD_IA"), ContentType("application/x-zarr"), RequesterPays()},
			store.PutOptions{}, map[string]string{
				"X-Amz-Server-Side-Encryption": "aws:kms", "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id": "key-1",
				"X-Amz-Storage-Class": "STANDARD_IA", "Content-Type": "application/x-zarr", "X-Amz-Request-Payer": "requester"}},
		{"parameters", "&ssetype=aws:kms&kmskeyid=key-1&storage_class=STANDARD_IA&content_type=application/x-zarr&requester_pays=true", nil,
			store.PutOptions{}, map[string]string{
				"X-Amz-Server-Side-Encryption": "aws:kms", "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id": "key-1",
				"X-Amz-Storage-Class": "STANDARD_IA", "Content-Type": "application/x-zarr", "X-Amz-Request-Payer": "requester"}},
		{"AES256 by its gocloud name", "&ssetype=aes256", nil, store.PutOptions{}, map[string]string{"X-Amz-Server-Side-Encryption": "AES256"}},
		{"no checksum unless required", "&request_checksum_calculation=when_required", nil, store.PutOptions{},
			map[string]string{"X-Amz-Checksum-Crc32": "", "X-Amz-Sdk-Checksum-Algorithm": "", "X-Amz-Trailer": ""}},
		{"no checksum by option", "", []Option{ChecksumCalculation("when_required")}, store.PutOptions{},
			map[string]string{"X-Amz-Checksum-Crc32": "", "X-Amz-Sdk-Checksum-Algorithm": "", "X-Amz-Trailer": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := bare(t, f.At("")+c.params, c.opts...)
			_, err := s.Put(t.Context(), "k", []byte("v"), c.o)
			for name, want := range c.want {
				if got := f.Header().Get(name); got != want {
					t.Errorf("%s is %q, want %q; the put returned %v", name, got, want, err)
				}
			}
		})
	}
}

// TestOneAttempt checks that the SDK sends each request once for any configuration in the
// environment. Retries belong to the retry layer, which does not retry a conditional put blindly.
func TestOneAttempt(t *testing.T) {
	credentialsForTests(t)
	t.Setenv("AWS_MAX_ATTEMPTS", "5")
	t.Setenv("AWS_RETRY_MODE", "adaptive")
	f := NewFake(t)
	shared, err := parsed(t, f.At("")).connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]store.Store{
		"own client":      bare(t, f.At("")),
		"caller's client": bare(t, "s3://zarr-test", Client(shared)),
	} {
		for what, answer := range map[string]func(http.ResponseWriter, *http.Request) bool{
			"503": fake.Page(503, "application/xml", document("SlowDown")),
			"500": fake.Page(500, "application/xml", document("InternalError")),
			"cut": func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) },
		} {
			f.Answer(answer)
			f.Requests()
			for verb, err := range fake.Verbs(t.Context(), s, `"1"`) {
				if err == nil {
					t.Errorf("%s, %s: %s succeeded", name, what, verb)
				}
			}
			// net/http itself resends a GET if an idle connection turns out to be closed.
			got := slices.DeleteFunc(f.Requests(), func(r string) bool { return strings.HasPrefix(r, "GET") })
			if len(got) != 6 {
				t.Errorf("%s, %s: requests of 6 writing verbs: %q", name, what, got)
			}
		}
	}
}

func TestRequestsPerWrite(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	v, err := s.Put(t.Context(), "k", []byte("one"), store.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// gocloud's uploader sends parts from 17 MiB on.
	if _, err := s.Put(t.Context(), "big", make([]byte, 17<<20), store.PutOptions{IfAbsent: true}); err != nil {
		t.Fatal(err)
	}
	succeed(t, s.Delete(t.Context(), "big", store.DeleteOptions{}))
	succeed(t, s.Delete(t.Context(), "absent", store.DeleteOptions{}))
	want := []string{"PUT /zarr-test/k", "PUT /zarr-test/big", "DELETE /zarr-test/big", "DELETE /zarr-test/absent"}
	if got := f.Requests(); !reflect.DeepEqual(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
	succeed(t, s.Delete(t.Context(), "k", store.DeleteOptions{IfVersion: v}))
	if got := f.Header().Get("If-Match"); got != string(v) {
		t.Errorf("a conditional delete has If-Match %q, want %q", got, v)
	}
}

// TestPutAllocates checks that a put sends the caller's bytes without a copy.
func TestPutAllocates(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	f.Answer(func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("ETag", `"v"`)
		_, _ = io.Copy(io.Discard, r.Body) // count only the client's allocations
		return true
	})
	s := bare(t, f.At(""))
	value := bytes.Repeat([]byte{7}, 16<<20)
	before := allocated()
	if _, err := s.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := allocated() - before; n > 2<<20 {
		t.Errorf("%d bytes allocated to send %d", n, len(value))
	}
}

// TestKeysAsTheyAre checks that a key that gocloud would store under another name is stored
// unchanged.
func TestKeysAsTheyAre(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	s := open(t, f.At("p"))
	for _, key := range []string{"a__0x2f__b", "a../b", "100%", "a b+c", "é/#?"} {
		if _, err := s.Put(t.Context(), key, []byte(key), store.PutOptions{}); err != nil {
			t.Errorf("%q: %v", key, err)
		}
		f.mu.Lock()
		if _, ok := f.objects["p/"+key]; !ok {
			t.Errorf("%q is not stored under its name", key)
		}
		f.mu.Unlock()
		if err := store.DeleteAll(t.Context(), s, []string{key}); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.objects) != 0 {
		t.Errorf("left: %v", f.objects)
	}
}

func TestKeyTooLongWithPrefix(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At("prefix"))
	_, err := s.Put(t.Context(), string(bytes.Repeat([]byte("k"), store.MaxKey)), nil, store.PutOptions{})
	fake.WantKind(t, err, fault.Path)
	if n := len(f.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestDeleteAll(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At("p"))
	keys := make([]string, 2500)
	for i := range keys {
		keys[i] = string(rune('a'+i%26)) + "/" + string(rune('0'+i/26%10)) + "/" + string(rune('A'+i/260))
	}
	f.Requests()
	succeed(t, store.DeleteAll(t.Context(), s, keys))
	if n := len(f.Requests()); n != 3 {
		t.Errorf("%d requests for 2500 keys", n)
	}
	for _, c := range []struct {
		name, body string
		want       error
		key        string
	}{
		{"one refused", "<DeleteResult><Deleted><Key>p/x</Key></Deleted><Error><Key>p/y</Key><Code>AccessDenied</Code></Error></DeleteResult>", fault.Refused, "y"},
		{"one throttled", "<DeleteResult><Deleted><Key>p/x</Key></Deleted><Error><Key>p/y</Key><Code>SlowDown</Code></Error></DeleteResult>", fault.Throttled, "y"},
		{"one broken", "<DeleteResult><Deleted><Key>p/x</Key></Deleted><Error><Key>p/y</Key><Code>InternalError</Code></Error></DeleteResult>", fault.Unavailable, "y"},
		{"one not mentioned", "<DeleteResult><Deleted><Key>p/x</Key></Deleted></DeleteResult>", fault.Unavailable, "y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Answer(fake.Page(200, "application/xml", c.body))
			err := store.DeleteAll(t.Context(), s, []string{"x", "y"})
			fake.WantKind(t, err, c.want)
			var ke *fault.KeyError
			if !errors.As(err, &ke) || ke.Key != c.key {
				t.Errorf("the key is not named: %v", err)
			}
		})
	}
	t.Run("a server without batches", func(t *testing.T) {
		f.Answer(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == "POST" {
				Fail(w, 501, "NotImplemented", "")
			}
			return r.Method == "POST"
		})
		f.Requests()
		if err := store.DeleteAll(t.Context(), s, []string{"x", "y"}); err != nil {
			t.Error(err)
		}
		want := []string{"POST /zarr-test", "DELETE /zarr-test/p/x", "DELETE /zarr-test/p/y"}
		got := f.Requests()
		slices.Sort(got[1:]) // both are in flight at the same time
		if !reflect.DeepEqual(got, want) {
			t.Errorf("requests %q", got)
		}
	})
}

func TestParts(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At("p"))
	p, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Limits().Min != 5<<20 {
		t.Errorf("the limits are %+v", p.Limits())
	}
	succeed(t, p.Part(t.Context(), 1, []byte("two")))
	_, err = p.Commit(t.Context(), store.PutOptions{})
	fake.WantKind(t, err, fault.Selection) // part 0 is missing
	for range 2 {
		succeed(t, p.Part(t.Context(), 0, []byte("one")))
	}
	fake.WantKind(t, p.Part(t.Context(), 10_000, nil), fault.Limit)
	if _, err := s.Put(t.Context(), "k", []byte("there"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err = p.Commit(t.Context(), store.PutOptions{IfAbsent: true})
	fake.WantKind(t, err, fault.Exists)
	_, err = p.Commit(t.Context(), store.PutOptions{IfVersion: `"other"`})
	fake.WantKind(t, err, fault.Conflict)
	v, err := p.Commit(t.Context(), store.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), "k", store.GetOptions{IfVersion: v}, nil)
	if err != nil || string(got.Bytes) != "onetwo" {
		t.Errorf("got %q, %v", got.Bytes, err)
	}
	if err := p.Abort(t.Context()); err != nil {
		t.Errorf("Abort after Commit: %v", err)
	}
	f.Answer(fake.Page(200, "text/html", fake.HTML))
	if p, err = store.PutParts(t.Context(), s, "k", store.PartsOptions{}); p != nil {
		t.Error("parts of a server that is not S3")
	}
	fake.WantKind(t, err, fault.Unavailable)
}

// TestPutAfterClose opens a store right after the last store of the same bucket was closed. Its
// requests must not use the closed connections.
func TestPutAfterClose(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	for range 100 {
		s, err := parsed(t, f.At("")).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		succeed(t, s.Close())
	}
}
