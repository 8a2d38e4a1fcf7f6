package s3

import (
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/zargo-io/zargo/internal/provider"
)

// credentialTimeout bounds a request for credentials, whose answers are small.
const credentialTimeout = time.Minute

// transport is the SDK's own, AWS_CA_BUNDLE and proxies and all, with as many connections as
// requests are made at once: with the SDK's 10 idle ones, 64 requests in flight keep reconnecting
// (110 connections against 64). As it is, it is for credentials.
func transport(requests int) *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().WithTimeout(credentialTimeout).WithTransportOptions(func(t *http.Transport) {
		provider.Connections(t, requests)
	})
}

// trips is a transport as a client that follows nothing: http.Client.Do copies each request's
// header for redirects.
type trips struct{ http.RoundTripper }

func (t trips) Do(r *http.Request) (*http.Response, error) { return t.RoundTrip(r) }

// transport is the way of object requests: a stall limit, no redirects, bounded documents. The
// SDK's own client follows 307 and 308 to any host, also from https to http; its transport is taken
// out of it.
func (c *config) transport(client aws.HTTPClient) aws.HTTPClient {
	if b, ok := client.(*awshttp.BuildableClient); ok {
		name, timeout := c.Shared().Name, time.Duration(0)
		if c.client != nil || c.httpClient != nil { // the caller's
			name, timeout = "", b.GetTimeout()
		}
		var t *http.Transport
		t, c.release = c.stack.Transport(name, b.GetTransport())
		client = trips{t}
		if timeout > 0 {
			client = &http.Client{Transport: t, Timeout: timeout}
		}
	}
	return guard{provider.Traced(provider.Watch(c.stack.Stall, provider.WithoutRedirects(client)))}
}
