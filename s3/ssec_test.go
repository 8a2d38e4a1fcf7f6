package s3

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestCustomerKeyAndOwner checks that the key is sent only with the requests that need it, and that
// the expected owner is sent with every request.
func TestCustomerKeyAndOwner(t *testing.T) {
	key := bytes.Repeat([]byte{7}, customerKeySize)
	for name, c := range map[string]struct {
		url  string
		opts []Option
	}{
		"options":    {"s3://zarr-test?region=us-east-1", []Option{SSECustomerKey(key), ExpectedBucketOwner("123456789012")}},
		"parameters": {"s3://zarr-test?region=us-east-1&sse_customer=true&expected_bucket_owner=123456789012", nil},
		"an endpoint outside the URL": {"s3://zarr-test?region=us-east-1",
			[]Option{SSECustomerKey(key), ExpectedBucketOwner("123456789012"), Endpoint("https://store.example")}},
	} {
		t.Run(name, func(t *testing.T) {
			credentialsForTests(t)
			t.Setenv(customerKeyEnv, base64.StdEncoding.EncodeToString(key))
			net := &cloud{serve: hosted(newFake())}
			s := bare(t, c.url, append(c.opts, inCloud(t, net))...)
			writes(t, s)
			with := 0
			for _, r := range net.requests() {
				h, q := r.Header, r.URL.Query()
				if h.Get("X-Amz-Expected-Bucket-Owner") != "123456789012" {
					t.Errorf("%s %s does not say the owner", r.Method, r.URL)
				}
				want := r.Method != "DELETE" && !q.Has("delete") && !q.Has("list-type")
				got := h.Get(customerKeyHeader) == base64.StdEncoding.EncodeToString(key) &&
					h.Get("X-Amz-Server-Side-Encryption-Customer-Algorithm") == "AES256" && h.Get(customerKeyHeader+"-Md5") != ""
				if got != want || !want && h.Get(customerKeyHeader) != "" {
					t.Errorf("%s %s: %v", r.Method, r.URL, h)
				}
				if got {
					with++
				}
			}
			if with != 9 {
				t.Errorf("%d requests with the key", with)
			}
		})
	}
}

// TestCustomerKeyStays checks that the key is not sent over http, even to this machine, that it is
// not sent to a server that only the URL names, and that it is not printed.
func TestCustomerKeyStays(t *testing.T) {
	credentialsForTests(t)
	key := bytes.Repeat([]byte("k"), customerKeySize)
	for _, c := range []struct {
		name, url string
		opts      []Option
	}{
		{"this machine over http", "s3://b?region=us-east-1", []Option{Endpoint("http://127.0.0.1:9000")}},
		{"AWS over http, allowed", "s3://b?region=us-east-1&disable_https=true", []Option{AllowHTTP()}},
		{"unsigned", "s3://b?region=us-east-1&anonymous=true&disable_https=true", nil},
		{"another server", "s3://b?region=us-east-1&endpoint=https://evil.example", nil},
		{"another server on AWS", "s3://b?region=us-east-1&endpoint=https://abc.execute-api.us-east-1.amazonaws.com", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			net := &cloud{serve: func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }}
			s, err := Open(t.Context(), c.url, append(c.opts, SSECustomerKey(key), inCloud(t, net))...)
			if err == nil {
				_, err = s.Get(t.Context(), "k", store.GetOptions{}, nil)
			}
			if !errors.Is(err, fault.Refused) || !strings.Contains(fmt.Sprint(err), "key") || strings.Contains(fmt.Sprint(err), "kkkk") {
				t.Errorf("got %v", err)
			}
		})
	}
	if o := SSECustomerKey(key).String(); strings.Contains(o, "k") && strings.Contains(o, "kkkk") {
		t.Error(o)
	}
	for _, c := range []struct {
		url, env string
		opts     []Option
	}{
		{"s3://b?region=us-east-1&sse_customer=true", "", nil},
		{"s3://b?region=us-east-1&sse_customer=true", "hush", nil},
		{"s3://b?region=us-east-1&sse_customer=true", "aHVzaA==", nil},
		{"s3://b?region=us-east-1", "", []Option{SSECustomerKey([]byte("hush"))}},
		{"s3://b?region=us-east-1", "", []Option{SSECustomerKey(nil)}},
		{"s3://b?region=us-east-1&ssetype=AES256", "", []Option{SSECustomerKey(key)}},
		{"s3://b?region=us-east-1&expected_bucket_owner=me", "", nil},
		{"s3://b?region=us-east-1&anonymous=true&requester_pays=true", "", nil},
		{"s3://b?region=us-east-1", "", []Option{Anonymous(), RequesterPays()}},
	} {
		t.Setenv(customerKeyEnv, c.env)
		var u *UsageError
		if _, err := Open(t.Context(), c.url, c.opts...); !errors.As(err, &u) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s %v: %v", c.url, c.opts, err)
		}
	}
}

// TestRefusalsFit checks that the hint of a refusal fits the request and its credentials.
func TestRefusalsFit(t *testing.T) {
	credentialsForTests(t)
	f := newFake()
	f.Answer(fake.Page(403, "application/xml", document("AccessDenied")))
	net := &cloud{serve: hosted(f)}
	const at = "s3://zarr-test?region=us-east-1"
	put := func(s store.Store) error {
		_, err := s.Put(t.Context(), "k", nil, store.PutOptions{})
		return err
	}
	get := func(s store.Store) error {
		_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
		return err
	}
	remove := func(s store.Store) error { return s.Delete(t.Context(), "k", store.DeleteOptions{}) }
	for _, c := range []struct {
		name, url string
		do        func(store.Store) error
		says, not string
	}{
		{"anonymous put", at + "&anonymous=true", put, "writes need credentials", "absent key"},
		{"anonymous delete", at + "&anonymous=true", remove, "writes need credentials", "absent key"},
		{"anonymous get", at + "&anonymous=true", get, "its requester pays", "writing"},
		{"signed put", at, put, "the credentials do not allow it", "absent key"},
		{"signed get", at, get, "requester_pays=true", "writing"},
		{"paid get", at + "&requester_pays=true", get, "absent key", "must pay"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.do(bare(t, c.url, inCloud(t, net)))
			fake.WantKind(t, err, fault.Refused)
			if s := fmt.Sprint(err); !strings.Contains(s, c.says) || strings.Contains(s, c.not) {
				t.Error(err)
			}
		})
	}
	_, err := Open(t.Context(), at, Anonymous(), RequesterPays())
	if !strings.Contains(fmt.Sprint(err), "signed for billing") {
		t.Error(err)
	}
}

// TestRequestThatCannotBeMade checks that a request that the SDK cannot build fails immediately and
// is not retried.
func TestRequestThatCannotBeMade(t *testing.T) {
	credentialsForTests(t)
	net := &cloud{serve: func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }}
	s := open(t, "s3://zarr-test?region=us-east-1&dualstack=true&endpoint=https://store.example", inCloud(t, net))
	_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
	fake.WantKind(t, err, fault.Refused)
	if s := fmt.Sprint(err); !strings.Contains(s, "cannot be built") || !strings.Contains(s, "ualstack") && !strings.Contains(s, "ual-stack") {
		t.Error(err)
	}
}
