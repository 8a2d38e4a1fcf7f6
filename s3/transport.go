package s3

import (
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/zargo-io/zargo/internal/provider"
)

// credentialTimeout limits a request for credentials. The responses are small.
const credentialTimeout = time.Minute

// transport returns the SDK's transport, including AWS_CA_BUNDLE and proxies, with as many
// connections as requests in flight. With the SDK's 10 idle connections, 64 requests in flight keep
// reconnecting (110 connections instead of 64). It is used directly for credentials, and through
// config.transport for objects.
func transport(requests int) *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().WithTimeout(credentialTimeout).WithTransportOptions(func(t *http.Transport) {
		provider.Connections(t, requests)
	})
}

// trips is a client that sends requests with a RoundTripper and does not follow redirects.
// http.Client.Do would copy each request's header for redirects.
type trips struct{ http.RoundTripper }

func (t trips) Do(r *http.Request) (*http.Response, error) { return t.RoundTrip(r) }

// transport returns the client for object requests, with a stall timeout, without redirects and
// with bounded documents. The SDK's client follows 307 and 308 to any host, even from https to
// http, so only its transport is used.
func (c *config) transport(client aws.HTTPClient) aws.HTTPClient {
	if b, ok := client.(*awshttp.BuildableClient); ok {
		name, timeout := c.Shared().Name, time.Duration(0)
		if c.client != nil || c.httpClient != nil { // the caller's client
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
