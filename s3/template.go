package s3

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/encoding/httpbinding"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// template holds the data that all reads of a bucket share: endpoint, header and signature
// parameters. It is derived from a GetObject that the SDK built but did not send, so that the rules
// for endpoints, path style, dual stack, FIPS and the user agent are those of the SDK. A template
// is immutable; after a change of the region or of the clock correction a new one is made.
type template struct {
	region  string        // the region of the requests, see regions.current
	request *http.Request // URL.Path and RawPath end with the store's prefix
	header  http.Header   // its values are shared by all requests
	signing signing
	off     time.Duration // the server's clock minus the local clock, as estimated by the SDK
}

// signing holds the parameters of the signer. The zero value does not sign.
type signing struct{ service, region, payload string }

// probe is a key with characters that servers and clients escape differently.
const probe = "zargo/a b+c~d=e@f%g/../\u00e9"

// probeOwner is an access key that is never sent.
const probeOwner = "AKIAZARGOTEMPLATE"

// Headers of the SDK's requests that a template treats separately: they are computed for each
// request, or only the SDK's retries need them.
const (
	dateHeader       = "X-Amz-Date"
	payloadHeader    = "X-Amz-Content-Sha256"
	invocationHeader = "Amz-Sdk-Invocation-Id"
	attemptHeader    = "Amz-Sdk-Request"
	traceHeader      = "X-Amzn-Trace-Id" // of AWS Lambda, to detect recursion
	amzTime          = "20060102T150405Z"
)

// errNotSent is the error of a GetObject whose HTTP client is a sample.
var errNotSent = errors.New("not sent")

// sample is an HTTP client that records the request and does not send it.
type sample struct{ request *http.Request }

func (s *sample) Do(r *http.Request) (*http.Response, error) {
	s.request = r
	return nil, errNotSent
}

// newTemplate lets the SDK build a request and derives the template from it. It returns nil if the
// SDK fails, or if template.build and the signer do not reproduce the request byte by byte. The SDK
// then sends all reads.
func newTemplate(ctx context.Context, d *direct, region string) *template {
	var s sample
	now := time.Now()
	_, _ = d.client.GetObject(context.WithoutCancel(ctx), d.input(probe, store.GetOptions{}), func(o *awss3.Options) {
		o.HTTPClient, o.APIOptions = &s, nil
		if o.Credentials != nil {
			o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return probeCredentials(), nil })
		}
	}) // the error is errNotSent, or the SDK's own read will report it
	if s.request == nil || s.request.URL.RawQuery != "x-id=GetObject" {
		return nil
	}
	t := &template{region: region, header: s.request.Header.Clone()}
	for _, name := range []string{"Authorization", dateHeader, invocationHeader, attemptHeader, traceHeader} {
		t.header.Del(name)
	}
	if !t.setURL(s.request) || !t.setSigning(d.creds() != nil, s.request.Header, now) || !t.makes(ctx, d, s.request) {
		return nil
	}
	return t
}

func probeCredentials() aws.Credentials {
	return aws.Credentials{AccessKeyID: probeOwner, SecretAccessKey: "of no account"}
}

// setURL sets the template's request to r without the probe. It returns false if the path does not
// end with the probe.
func (t *template) setURL(r *http.Request) bool {
	u := url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host}
	var ok, raw bool
	u.Path, ok = strings.CutSuffix(r.URL.Path, probe)
	u.RawPath, raw = strings.CutSuffix(r.URL.EscapedPath(), escape(probe))
	t.request = &http.Request{
		Method: http.MethodGet, URL: &u, Host: r.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	return ok && raw
}

// setSigning parses the scope and the time of the sample's signature. It returns false if it cannot
// parse them.
func (t *template) setSigning(signs bool, h http.Header, now time.Time) bool {
	auth := h.Get("Authorization")
	if !signs {
		return auth == ""
	}
	scope, ok := strings.CutPrefix(auth, "AWS4-HMAC-SHA256 Credential="+probeOwner+"/")
	scope, _, more := strings.Cut(scope, ",")
	words := strings.Split(scope, "/") // date, region, service, "aws4_request"
	at, err := time.Parse(amzTime, h.Get(dateHeader))
	if !ok || !more || len(words) != 4 || words[2] != "s3" || err != nil {
		return false
	}
	t.signing = signing{service: words[2], region: words[1], payload: h.Get(payloadHeader)}
	if off := at.Sub(now); off.Abs() >= 2*time.Second { // the time in the header has whole seconds
		t.off = off
	}
	return true
}

// makes reports whether the template reproduces the SDK's request and its signature.
func (t *template) makes(ctx context.Context, d *direct, want *http.Request) bool {
	for name := range t.header {
		switch name {
		case "Accept-Encoding", "User-Agent", payloadHeader, "X-Amz-Expected-Bucket-Owner":
		default:
			return false
		}
	}
	got := t.build(ctx, probe, store.GetOptions{})
	at := *want.URL
	at.RawQuery = ""
	if got.Method != want.Method || got.URL.String() != at.String() || got.Host != want.Host {
		return false
	}
	if !t.signs() {
		return true
	}
	again := want.Clone(ctx)
	again.Header.Del("Authorization")
	when, err := time.Parse(amzTime, want.Header.Get(dateHeader))
	if err != nil || d.signer.SignHTTP(ctx, probeCredentials(), again, t.signing.payload, t.signing.service, t.signing.region, when) != nil {
		return false
	}
	return again.Header.Get("Authorization") == want.Header.Get("Authorization")
}

func (t *template) signs() bool { return t.signing != signing{} }

// build returns the unsigned request for a key.
func (t *template) build(ctx context.Context, key string, o store.GetOptions) *http.Request {
	r := t.request.WithContext(ctx)
	u := *r.URL
	same := u.RawPath == u.Path
	u.Path += key
	if raw := escape(key); same && raw == key {
		u.RawPath = u.Path
	} else {
		u.RawPath += raw
	}
	r.URL = &u
	r.Header = make(http.Header, 8)
	maps.Copy(r.Header, t.header)
	if v := provider.RangeHeader(o.Range); v != "" {
		r.Header["Range"] = []string{v}
	}
	if o.IfVersion != "" {
		r.Header["If-Match"] = []string{string(o.IfVersion)}
	}
	if o.IfNotVersion != "" {
		r.Header["If-None-Match"] = []string{string(o.IfNotVersion)}
	}
	return r
}

// skewed reports whether the server's clock differs too much from the template's. S3 rejects
// requests that differ by 15 minutes, and the SDK corrects its clock from 4 minutes on.
func (t *template) skewed(resp *http.Response, now time.Time) bool {
	at, err := http.ParseTime(resp.Header.Get("Date"))
	return err == nil && at.Sub(now.Add(t.off)).Abs() > 4*time.Minute
}

// escape escapes a key in a path as the SDK does: all bytes except unreserved characters and
// slashes. Source: RFC 3986 section 2.3.
func escape(key string) string {
	for i := range len(key) {
		switch c := key[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_', c == '~', c == '/':
		default:
			return httpbinding.EscapePath(key, false)
		}
	}
	return key
}
