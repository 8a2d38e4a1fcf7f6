package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awscredentials "github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	smithyauth "github.com/aws/smithy-go/auth"
	smithyendpoints "github.com/aws/smithy-go/endpoints"
	"github.com/aws/smithy-go/metrics"
	"github.com/aws/smithy-go/middleware"
	"github.com/aws/smithy-go/tracing"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// bothWays runs a test twice: this package sends the reads, or the SDK does.
func bothWays(t *testing.T, test func(t *testing.T, way Option)) {
	for name, way := range map[string]Option{
		"direct": option(func(c *config) { c.sdkReads = false }, "direct"),
		"SDK":    SDKReads(),
	} {
		t.Run(name, func(t *testing.T) { test(t, way) })
	}
}

// sentBySDK reports whether the SDK sent a read: it numbers its attempts.
func sentBySDK(r *http.Request) bool { return r.Header.Get(attemptHeader) != "" }

// value responds to every request with a value.
func value(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"v"`)
	if r.Header.Get("Range") != "" {
		w.Header().Set("Content-Range", "bytes 0-2/3")
		w.WriteHeader(206)
	}
	_, _ = w.Write([]byte("one"))
}

// TestWhoReads checks that reads of plain buckets are sent directly, at every endpoint, and all
// others by the SDK.
func TestWhoReads(t *testing.T) {
	const here = "s3://zarr-test/p?region=us-east-1"
	for _, c := range []struct {
		name, url string
		opts      []Option
		bySDK     bool
	}{
		{name: "AWS", url: here},
		{name: "no region", url: "s3://zarr-test/p"},
		{name: "a bucket with dots", url: "s3://zarr.test/p?region=us-east-1"},
		{name: "path style", url: here + "&use_path_style=true"},
		{name: "dual stack", url: here + "&dualstack=true"},
		{name: "FIPS", url: here + "&fips=true"},
		{name: "FIPS and dual stack", url: here + "&fips=true&dualstack=true"},
		{name: "accelerate", url: here + "&accelerate=true"},
		{name: "China", url: "s3://zarr-test/p?region=cn-north-1"},
		{name: "alias of an access point", url: "s3://field-abcdefghijklmnopqrstuvwxyz0123456-s3alias/p?region=us-east-1"},
		{name: "anonymous", url: here + "&anonymous=true"},
		{name: "a server", url: here + "&endpoint=https://s3.example:9000&use_path_style=true"},
		{name: "a server below a path", url: here + "&endpoint=https://example.org/s3/v1&use_path_style=true"},
		{name: "a server, by host", url: here + "&endpoint=https://s3.example"},
		{name: "http", url: here + "&endpoint=http://127.0.0.1:9000&use_path_style=true"},
		{name: "no TLS", url: here + "&disable_https=true&anonymous=true"},
		{name: "owner", url: here, opts: []Option{ExpectedBucketOwner("123456789012")}},
		{name: "checksums", url: here, opts: []Option{ChecksumValidation("when_supported")}, bySDK: true},

		{name: "by option", url: here, opts: []Option{SDKReads()}, bySDK: true},
		{name: "by parameter", url: here + "&sdk_reads=true", bySDK: true},
		{name: "requester pays", url: here, opts: []Option{RequesterPays()}, bySDK: true},
		{name: "customer's key", url: here, opts: []Option{SSECustomerKey(make([]byte, customerKeySize))}, bySDK: true},
		{name: "access point", url: "s3://" + accessPoint, bySDK: true},
		{name: "of many regions", url: "s3://arn:aws:s3::123456789012:accesspoint/abc123.mrap/a", bySDK: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			credentialsForTests(t)
			net := &cloud{serve: value}
			s := bare(t, c.url, append(c.opts, inCloud(t, net))...)
			for range 3 {
				if v, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "one" {
					t.Fatalf("%q, %v", v.Bytes, err)
				}
			}
			for _, r := range net.requests() {
				if r.Method == "GET" && sentBySDK(r) != c.bySDK {
					t.Errorf("%s was sent by the SDK: %v", r.URL, !c.bySDK)
				}
			}
		})
	}
}

// TestRangesAreDirectBesideChecksums checks that only reads of whole values have checksums.
func TestRangesAreDirectBesideChecksums(t *testing.T) {
	credentialsForTests(t)
	net := &cloud{serve: value}
	s := bare(t, "s3://zarr-test?region=us-east-1", ChecksumValidation("when_supported"), inCloud(t, net))
	if _, err := s.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(3)}, nil); err != nil {
		t.Fatal(err)
	}
	if r := net.requests()[0]; sentBySDK(r) {
		t.Error("a range was read by the SDK")
	}
}

// signer counts its calls and signs.
type signer struct {
	v4 *v4.Signer
	n  int
}

func (s *signer) SignHTTP(ctx context.Context, c aws.Credentials, r *http.Request, hash, service, region string, at time.Time, opts ...func(*v4.SignerOptions)) error {
	s.n++
	return s.v4.SignHTTP(ctx, c, r, hash, service, region, at, opts...)
}

type spans struct{ tracing.NopTracerProvider }

type meters struct{ metrics.NopMeterProvider }

// TestWhoReadsByClient checks that a caller's client is used directly if it is a plain SDK client.
func TestWhoReadsByClient(t *testing.T) {
	own := &signer{v4: v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })}
	for _, c := range []struct {
		name   string
		change func(*awss3.Options)
		bySDK  bool
	}{
		{"plain", func(*awss3.Options) {}, false},
		{"application", func(o *awss3.Options) { o.AppID = "field" }, false},
		{"signer", func(o *awss3.Options) { o.HTTPSignerV4 = own }, false},
		{"signer that escapes twice", func(o *awss3.Options) { o.HTTPSignerV4 = v4.NewSigner() }, true},
		{"middleware", func(o *awss3.Options) {
			o.APIOptions = append(o.APIOptions, func(*middleware.Stack) error { return nil })
		}, true},
		{"interceptor", func(o *awss3.Options) {
			o.Interceptors.BeforeTransmit = append(o.Interceptors.BeforeTransmit, beforeTransmit{})
		}, true},
		{"logs", func(o *awss3.Options) { o.ClientLogMode = aws.LogRetries }, true},
		{"spans", func(o *awss3.Options) { o.TracerProvider = &spans{} }, true},
		{"metrics", func(o *awss3.Options) { o.MeterProvider = meters{} }, true},
		{"endpoints", func(o *awss3.Options) { o.EndpointResolverV2 = endpoints{awss3.NewDefaultEndpointResolverV2()} }, true},
		{"endpoints of version 1", func(o *awss3.Options) {
			o.EndpointResolver = awss3.EndpointResolverFromURL("https://s3.us-east-1.amazonaws.com") //nolint:staticcheck // deprecated, but some clients have one
		}, true},
		{"schemes", func(o *awss3.Options) { o.AuthSchemeResolver = schemes{} }, true},
		// S3's rules choose it only for multi-region access points.
		{"SigV4A", func(o *awss3.Options) { o.AuthSchemePreference = []string{"sigv4a"} }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			net := &cloud{serve: value}
			o := awss3.Options{Region: "us-east-1", HTTPClient: net, Credentials: awscredentials.NewStaticCredentialsProvider("AKIA", "secret", "token")}
			c.change(&o)
			s := bare(t, "s3://zarr-test", Client(awss3.New(o)))
			if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil {
				t.Fatal(err)
			}
			for _, r := range net.requests() {
				if sentBySDK(r) != c.bySDK {
					t.Errorf("%s was sent by the SDK: %v", r.URL, !c.bySDK)
				}
				if r.Header.Get("X-Amz-Security-Token") != "token" && c.name != "schemes" {
					t.Error("without the token")
				}
			}
		})
	}
	if own.n == 0 {
		t.Error("the client's own signer was not asked")
	}
}

type beforeTransmit struct{}

func (beforeTransmit) BeforeTransmit(context.Context, *smithyhttp.InterceptorContext) error {
	return nil
}

type endpoints struct{ awss3.EndpointResolverV2 }

func (e endpoints) ResolveEndpoint(ctx context.Context, p awss3.EndpointParameters) (smithyendpoints.Endpoint, error) {
	return e.EndpointResolverV2.ResolveEndpoint(ctx, p)
}

// skewedServer has its own clock and rejects requests that are 15 minutes off.
type skewedServer struct {
	off    time.Duration
	refuse int
}

func (s *skewedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now().Add(s.off)
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	at, err := time.Parse(amzTime, r.Header.Get(dateHeader))
	if err != nil || now.Sub(at).Abs() > 15*time.Minute {
		s.refuse++
		Fail(w, 403, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large.")
		return
	}
	value(w, r)
}

// TestClocks checks that a wrong clock costs one request, and that its later correction costs one
// more.
func TestClocks(t *testing.T) {
	bothWays(t, func(t *testing.T, way Option) {
		credentialsForTests(t)
		srv := &skewedServer{}
		s := bare(t, "s3://zarr-test?region=us-east-1", inCloud(t, &cloud{serve: srv.ServeHTTP}), way)
		for _, off := range []time.Duration{0, time.Hour, -time.Hour, 0} {
			before := srv.refuse
			srv.off = off
			if off != 0 || before > 0 {
				_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
				fake.WantKind(t, err, fault.Unavailable)
				if text := fmt.Sprint(err); !strings.Contains(text, "the clock of this machine is ") || !strings.Contains(text, " the server's: the next requests") {
					t.Error(err)
				}
			}
			for range 3 {
				if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil {
					t.Errorf("%v off: %v", off, err)
				}
			}
		}
		if srv.refuse != 3 {
			t.Errorf("%d requests were refused", srv.refuse)
		}
	})
}

// TestOtherClocks checks that a request is refused at once, without retries, if its time is that of
// the response or was corrected to it.
func TestOtherClocks(t *testing.T) {
	bothWays(t, func(t *testing.T, way Option) {
		credentialsForTests(t)
		for name, c := range map[string]struct {
			date     time.Duration // clock of the proxy that sets the header Date
			requests int
			says     string
		}{
			"no correction":     {0, 1, "check the clocks"},
			"corrected in vain": {2 * time.Hour, 2, " behind the server's, and the request was signed with the server's time"},
			"corrected early":   {-2 * time.Hour, 2, " ahead of the server's, and the request"},
		} {
			t.Run(name, func(t *testing.T) {
				n := 0
				s := open(t, "s3://zarr-test?region=us-east-1", inCloud(t, &cloud{serve: func(w http.ResponseWriter, _ *http.Request) {
					n++
					w.Header().Set("Date", time.Now().Add(c.date).UTC().Format(http.TimeFormat))
					Fail(w, 403, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large.")
				}}), way)
				_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
				fake.WantKind(t, err, fault.Refused)
				if n != c.requests || !strings.Contains(fmt.Sprint(err), c.says) {
					t.Errorf("%d requests, want %d; %v", n, c.requests, err)
				}
			})
		}
	})
}

// TestReadsInTheWrongRegion checks that each read in flight to the wrong region is sent once more.
func TestReadsInTheWrongRegion(t *testing.T) {
	bothWays(t, func(t *testing.T, way Option) {
		credentialsForTests(t)
		f := newFake()
		f.Set("k", object{value: []byte("value"), etag: `"v"`})
		serve := regional(f, "ap-south-1", true, false)
		const n = 32
		var all sync.WaitGroup
		all.Add(n)
		var mu sync.Mutex
		waiting := n
		net := &cloud{serve: func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			first := waiting > 0
			waiting--
			mu.Unlock()
			if first {
				all.Done()
				all.Wait() // all are in flight before the first response
			}
			serve(w, r)
		}}
		s := bare(t, "s3://zarr-test?region=us-east-1", inCloud(t, net), way)
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {
				if v, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "value" {
					t.Errorf("%q, %v", v.Bytes, err)
				}
			})
		}
		wg.Wait()
		if got := len(net.requests()); got != 2*n {
			t.Errorf("%d requests for %d reads", got, n)
		}
	})
}

// TestErrorsNameTheRequest checks that an error has the complete text of the SDK, with the IDs of
// the request.
func TestErrorsNameTheRequest(t *testing.T) {
	texts := map[string]bool{}
	bothWays(t, func(t *testing.T, way Option) {
		credentialsForTests(t)
		f := NewFake(t)
		_, err := bare(t, f.At(""), way).Get(t.Context(), "k", store.GetOptions{}, nil)
		fake.WantKind(t, err, fault.NotFound)
		var r awss3.ResponseError
		if !errors.As(err, &r) || r.ServiceRequestID() != "FAKE0001" {
			t.Errorf("%v", err)
		}
		texts[strings.ReplaceAll(fmt.Sprint(err), f.URL, "")] = true
	})
	if len(texts) != 1 {
		t.Errorf("%v", texts)
	}
}

// schemes returns no signature scheme.
type schemes struct{}

func (schemes) ResolveAuthSchemes(context.Context, *awss3.AuthResolverParameters) ([]*smithyauth.Option, error) {
	return []*smithyauth.Option{{SchemeID: smithyauth.SchemeIDAnonymous}}, nil
}
