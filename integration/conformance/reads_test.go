package conformance

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	awscredentials "github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestReadsBySDK is TestStore for S3 with all reads sent by the SDK, as for buckets that are not
// plain.
func TestReadsBySDK(t *testing.T) {
	t.Parallel()
	for _, b := range []bucket.Provider{bucket.S3(), bucket.MinIO()} {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			p := inBucket(b)
			check(t, p, p.known, func() pair {
				st, err := b.Open(t.Context(), bySDK(t, b.URL(t)), 0, quick()...)
				if err != nil {
					t.Fatal(err)
				}
				return pair{s: st}
			}, few()...)
		})
	}
}

func bySDK(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("sdk_reads", "true")
	u.RawQuery = q.Encode()
	return u.String()
}

// changed is a transport that changes requests after they were signed, and records the sender of
// the last one.
type changed struct {
	change func(*http.Request)
	bySDK  bool
}

func (c *changed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	c.bySDK = r.Header.Get("Amz-Sdk-Request") != ""
	if c.change != nil {
		c.change(r)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestSignatures checks that a server verifies signatures: a request that was changed in transit,
// or signed with another secret, is refused. An unchanged request is served, for any characters in
// the key. Both senders of reads are tested.
func TestSignatures(t *testing.T) {
	t.Parallel()
	for _, b := range []bucket.Provider{bucket.S3(), bucket.MinIO()} {
		for name, opts := range map[string][]s3.Option{"direct": nil, "SDK": {s3.SDKReads()}} {
			t.Run(b.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				signatures(t, b.URL(t), name == "SDK", opts)
			})
		}
	}
}

func signatures(t *testing.T, raw string, bySDK bool, opts []s3.Option) {
	way := &changed{}
	opened := func(more ...s3.Option) store.Store {
		more = append(more, s3.HTTPClient(&http.Client{Transport: way}), s3.Retry(retry.Tries(1)))
		st, err := s3.Open(t.Context(), raw, append(more, opts...)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return st
	}
	st := opened()
	o := store.GetOptions{Range: store.Within(1, 3)}
	keys := []string{"k", "a b", "a+b", "a%2Fb", "a=b&c;d", "~@:!$'()*,", "é/日本/😀", `"`, "#?"}
	for _, key := range keys {
		version, err := st.Put(t.Context(), key, []byte("value"), store.PutOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []store.GetOptions{o, {Range: o.Range, IfVersion: version}, {Range: o.Range, IfNotVersion: `"another"`}} {
			v, err := st.Get(t.Context(), key, o, nil)
			if err != nil || string(v.Bytes) != "alu" || v.Version != version {
				t.Errorf("%q: %q, %v", key, v.Bytes, err)
			}
			if way.bySDK != bySDK {
				t.Fatalf("%q was read by the SDK: %v", key, way.bySDK)
			}
		}
	}
	refused := func(name string, st store.Store) {
		t.Helper()
		_, err := st.Get(t.Context(), "k", o, nil)
		if !errors.Is(err, fault.Refused) || !strings.Contains(err.Error(), "SignatureDoesNotMatch") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*http.Request){
		"another key":     func(r *http.Request) { r.URL.Path += "2"; r.URL.RawPath += "2" },
		"a query":         func(r *http.Request) { r.URL.RawQuery = "response-content-type=text/html" },
		"another range":   func(r *http.Request) { r.Header.Set("Range", "bytes=0-3") },
		"another header":  func(r *http.Request) { r.Header.Set("Accept-Encoding", "gzip") },
		"another payload": func(r *http.Request) { r.Header.Set("X-Amz-Content-Sha256", strings.Repeat("0", 64)) },
		"another signature": func(r *http.Request) {
			auth := r.Header.Get("Authorization")
			r.Header.Set("Authorization", strings.TrimRight(auth[:len(auth)-4], " ")+"0000")
		},
	} {
		way.change = change
		refused(name, st)
	}
	way.change = nil
	refused("another secret", opened(s3.Credentials(awscredentials.NewStaticCredentialsProvider(os.Getenv("AWS_ACCESS_KEY_ID"), "another", ""))))
	if v, err := st.Get(t.Context(), "k", o, nil); err != nil || string(v.Bytes) != "alu" {
		t.Errorf("at the end: %q, %v", v.Bytes, err)
	}
}
