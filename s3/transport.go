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

// transport is the SDK's own, AWS_CA_BUNDLE and proxies and all, with as many connections as requests are made at once:
// with the SDK's 10 idle ones, 64 requests in flight keep reconnecting (110 connections against 64). As it is, it is for
// credentials.
func transport(requests int) *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().WithTimeout(credentialTimeout).WithTransportOptions(func(t *http.Transport) {
		provider.Connections(t, requests)
	})
}

// transport is the way of object requests: a stall limit, no redirects, bounded documents. The SDK's own client follows 307
// and 308 to any host, also from https to http; its transport is taken out of it.
func (c *config) transport(client aws.HTTPClient) aws.HTTPClient {
	if b, ok := client.(*awshttp.BuildableClient); ok {
		t := b.GetTransport()
		c.conns.track(t)
		h := &http.Client{Transport: t}
		if c.client != nil || c.httpClient != nil {
			h.Timeout = b.GetTimeout() // the caller's, not that of credentials
		}
		client = h
	}
	return guard{provider.Traced(provider.Watch(c.stack.Stall, provider.WithoutRedirects(client)))}
}
