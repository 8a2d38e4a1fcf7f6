package s3

import (
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/zargo-io/zargo/internal/provider"
)

// transport returns the SDK's transport, including AWS_CA_BUNDLE and proxies, with as many
// connections as requests in flight. With the SDK's 10 idle connections, 64 requests in flight open
// 110 connections instead of 64. Requests for credentials use the transport directly, and object
// requests use it through config.transport.
func transport(requests int) *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().WithTimeout(credentialTimeout).WithTransportOptions(func(t *http.Transport) {
		provider.Connections(t, requests)
	})
}

// credentialTimeout limits a request for credentials. The responses are small.
const credentialTimeout = time.Minute

// trips is a client that sends requests with a RoundTripper and does not follow redirects. Unlike
// http.Client.Do, it does not copy the header of each request for redirects.
type trips struct{ http.RoundTripper }

func (t trips) Do(r *http.Request) (*http.Response, error) { return t.RoundTrip(r) }

// transport returns the client for object requests, with a stall timeout, limits on the size of
// documents, and no redirects. The SDK's client would follow 307 and 308 to any host, even from
// https to http, so only its transport is used.
func (c *config) transport(client aws.HTTPClient) aws.HTTPClient {
	if b, ok := client.(*awshttp.BuildableClient); ok {
		name, timeout := c.Shared().Name, time.Duration(0)
		if c.client != nil || c.httpClient != nil { // the caller's client
			name, timeout = "", b.GetTimeout()
		}
		var t http.RoundTripper
		t, c.release = c.stack.Transport(name, b.GetTransport())
		client = trips{t}
		if timeout > 0 {
			client = &http.Client{Transport: t, Timeout: timeout}
		}
	}
	return guard{provider.Traced(provider.Watch(c.stack.Stall, provider.WithoutRedirects(client)))}
}
