package gocloud

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store"
)

// BenchmarkReads measures the client's cost of a read from an S3 server: by the SDK, by zargo, by
// net/http with only the SDK's signature, and by net/http with one signature for all requests.
func BenchmarkReads(b *testing.B) {
	raw := bucket.URL(b)
	bucket.Endpoint(b, raw)
	for _, size := range []int{8 << 10, 64 << 10} {
		key := fmt.Sprint(size)
		own, sdk := opened(b, raw), opened(b, raw, s3.SDKReads())
		if _, err := own.Put(b.Context(), key, make([]byte, size), store.PutOptions{}); err != nil {
			b.Fatal(err)
		}
		sign := signing(b, raw, key)
		once := sign()
		byStore := func(s store.Store) func(buf []byte) error {
			return func(buf []byte) error {
				_, err := s.Get(b.Context(), key, store.GetOptions{}, buf[:0])
				return err
			}
		}
		for _, form := range []struct {
			name string
			get  func(buf []byte) error
		}{
			{"SDK", byStore(sdk)}, {"zargo", byStore(own)},
			{"signer", func(buf []byte) error { return fetch(sign(), buf) }},
			{"net-http", func(buf []byte) error { return fetch(once.Clone(context.Background()), buf) }},
		} {
			b.Run(fmt.Sprintf("size=%dKiB/by=%s", size>>10, form.name), func(b *testing.B) {
				buf := make([]byte, size)
				b.ReportAllocs()
				start := cpu()
				for b.Loop() {
					if err := form.get(buf); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(cpu()-start)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// opened opens the provider without retries and limit.
func opened(b *testing.B, raw string, opts ...s3.Option) store.Store {
	b.Helper()
	s, err := s3.Open(b.Context(), raw, opts...)
	if err != nil {
		b.Fatal(err)
	}
	for w, ok := s.(store.Wrapper); ok; w, ok = s.(store.Wrapper) {
		s = w.Unwrap()
	}
	return s
}

// signing returns a function that creates requests for a key, signed by the SDK's signer.
func signing(b *testing.B, raw, key string) func() *http.Request {
	b.Helper()
	cfg, err := config.LoadDefaultConfig(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	u, err := url.Parse(raw)
	if err != nil {
		b.Fatal(err)
	}
	at := u.Query().Get("endpoint") + "/" + u.Host + "/" + strings.Trim(u.Path, "/") + "/" + key
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	const payload = "UNSIGNED-PAYLOAD"
	return func() *http.Request {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, at, nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("X-Amz-Content-Sha256", payload)
		var keys aws.Credentials
		if keys, err = cfg.Credentials.Retrieve(b.Context()); err == nil {
			err = signer.SignHTTP(b.Context(), keys, r, payload, "s3", u.Query().Get("region"), time.Now())
		}
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
}

func fetch(r *http.Request, buf []byte) error {
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	_, err = io.ReadFull(resp.Body, buf)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", resp.Status)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return err
}
