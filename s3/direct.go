package s3

import (
	"context"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/metrics"
	"github.com/aws/smithy-go/tracing"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/zargo-io/zargo/zarr/store"
)

// direct sends reads without the SDK's middleware, which costs more than the rest of a small read.
// The SDK still builds a template of the request once per region, provides the credentials, signs
// each request, and parses error responses.
type direct struct {
	*bucket
	http   aws.HTTPClient
	signer awss3.HTTPSignerV4
	mend   *mend

	mu   sync.Mutex // one goroutine creates a template
	last atomic.Pointer[template]
}

// newDirect returns nil if the SDK must send all reads of the bucket.
func newDirect(b *bucket, c *config) *direct {
	if c.sdkReads || c.extended || c.isARN() || isDirectory(c.bucket) || c.requesterPays || c.customerKey != nil {
		return nil
	}
	o := b.client.Options()
	return &direct{bucket: b, http: o.HTTPClient, signer: o.HTTPSignerV4, mend: c.mend}
}

// isExtended reports whether a client differs from a plain SDK client: whether it has middleware or
// interceptors, logs, traces or measures requests, or resolves endpoints or signatures itself.
func isExtended(o awss3.Options) bool {
	_, untraced := o.TracerProvider.(*tracing.NopTracerProvider)
	_, unmeasured := o.MeterProvider.(metrics.NopMeterProvider)
	var fresh awss3.Options // options before New completes them; own has them completed
	own := awss3.New(awss3.Options{}, func(o *awss3.Options) { fresh = *o }).Options()
	old := o.EndpointResolver != nil //nolint:staticcheck // deprecated, but some clients have one
	return len(o.APIOptions) > 0 || intercepts(o.Interceptors) || o.ClientLogMode != 0 || !untraced || !unmeasured || old ||
		!sameType(o.EndpointResolverV2, own.EndpointResolverV2) ||
		!sameType(o.AuthSchemeResolver, own.AuthSchemeResolver) && !sameType(o.AuthSchemeResolver, fresh.AuthSchemeResolver)
}

func intercepts(r smithyhttp.InterceptorRegistry) bool {
	for _, list := range reflect.ValueOf(r).Fields() {
		if list.Len() > 0 {
			return true
		}
	}
	return false
}

func sameType(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

// creds returns nil if requests are not signed.
func (d *direct) creds() *credentials { return d.mend.creds }

// template returns the template for the bucket's current region, or nil if the SDK must send the
// read.
func (d *direct) template(ctx context.Context) (*template, error) {
	region := ""
	if r := d.mend.regions; r != nil {
		if err := r.first(ctx); err != nil {
			return nil, err
		}
		region = r.current()
	}
	if t := d.last.Load(); t != nil && t.region == region {
		return t.usable(), nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := d.last.Load(); t != nil && t.region == region {
		return t.usable(), nil
	}
	t := newTemplate(ctx, d, region)
	if t == nil {
		t = &template{region: region}
	}
	d.last.Store(t)
	return t.usable(), nil
}

// usable returns t, or nil for the placeholder that is stored after newTemplate has returned nil.
func (t *template) usable() *template {
	if t.request == nil {
		return nil
	}
	return t
}

// get sends a read and returns its successful response. It returns nil without an error if the SDK
// must send the read.
func (d *direct) get(ctx context.Context, key string, o store.GetOptions) (*http.Response, error) {
	if d == nil || d.checked(o) {
		return nil, nil
	}
	again := try{mend: d.mend}
	for {
		t, err := d.template(ctx)
		if t == nil || err != nil {
			return nil, err
		}
		again.used, again.region = 0, t.region
		resp, err := d.send(ctx, t, key, o, &again.used)
		if err != nil || resp.StatusCode/100 == 2 {
			return resp, err
		}
		if t.skewed(resp, time.Now()) {
			d.last.CompareAndSwap(t, nil)
		}
		err = d.read(ctx, resp, key, o)
		switch anew, bad := again.again(ctx, err); {
		case bad != nil:
			return nil, bad
		case !anew:
			return nil, err
		}
	}
}

// send sends one request and sets *used to the serial number of its credentials. It returns the
// same errors as the SDK's reads.
func (d *direct) send(ctx context.Context, t *template, key string, o store.GetOptions, used *int) (*http.Response, error) {
	r := t.build(ctx, key, o)
	if t.signs() {
		i, err := d.creds().get(ctx)
		if err != nil {
			return nil, err
		}
		*used = i.n
		s := t.signing
		if err := d.signer.SignHTTP(ctx, i.creds, r, s.payload, s.service, s.region, time.Now().Add(t.off)); err != nil {
			return nil, err
		}
	}
	resp, err := d.http.Do(r)
	if err != nil {
		return nil, &smithyhttp.RequestSendError{Err: err}
	}
	return resp, nil
}

// received is an HTTP client that returns a response that has already been received.
type received struct{ resp *http.Response }

func (a received) Do(*http.Request) (*http.Response, error) { return a.resp, nil }

// read returns the error of an unsuccessful response and closes the response. The SDK parses it as
// if the SDK had sent the request, so that the error, the clock correction and the number of bytes
// read are the same as in the SDK. Common responses are parsed without the SDK.
func (d *direct) read(ctx context.Context, resp *http.Response, key string, o store.GetOptions) error {
	defer func() { _ = resp.Body.Close() }() // also if the SDK fails before it reads the body
	if err := common(resp); err != nil {
		return err
	}
	out, err := d.client.GetObject(ctx, d.input(key, o), func(o *awss3.Options) {
		o.HTTPClient, o.APIOptions, o.Credentials = received{resp}, nil, nil
	})
	if err == nil {
		if out.Body != nil {
			_ = out.Body.Close()
		}
		err = foreign("it has status " + strconv.Itoa(resp.StatusCode))
	}
	return err
}
