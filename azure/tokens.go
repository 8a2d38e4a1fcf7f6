package azure

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// tokenTransport is for fetching tokens.
func (c *config) tokenTransport() policy.Transporter {
	if c.tokenClient != nil {
		return c.tokenClient
	}
	return newTokens(c.stack.Stall)
}

// newTokens sends the requests for tokens, with a stall limit, which the SDK's own transport does
// not have.
func newTokens(stall time.Duration) policy.Transporter {
	return doer(provider.Watch(stall, (&http.Client{Transport: newTransport(8)}).Do))
}

type doer provider.Doer

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// credential marks the errors of a chain, which the SDK reports as failures of whatever request
// came first.
type credential struct {
	c   azcore.TokenCredential
	had atomic.Bool // a token
}

func (c *credential) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	n := &note{}
	t, err := c.c.GetToken(context.WithValue(ctx, noteKey{}, n), o)
	if err != nil {
		return t, &credentialError{err: err, way: n.last(), had: c.had.Load()}
	}
	c.had.Store(true)
	return t, nil
}

// noting notes why requests for a token failed on the way: azidentity makes text of it.
type noting struct{ next policy.Transporter }

type noteKey struct{}

type note struct {
	mu  sync.Mutex
	err error // of the last request
}

func (n *note) set(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.err = err
}

func (n *note) last() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

func (t noting) Do(r *http.Request) (*http.Response, error) {
	resp, err := t.next.Do(r)
	if n, ok := r.Context().Value(noteKey{}).(*note); ok {
		n.set(err)
	}
	return resp, err
}

// credentialError is why there is no token.
type credentialError struct {
	err error
	way error // of the last request for one that got no response
	had bool  // there was one before
}

func (e *credentialError) Error() string { return e.err.Error() }
func (e *credentialError) Unwrap() error { return e.err }

// NonRetriable keeps the SDK from asking again.
func (e *credentialError) NonRetriable() {}

// kind is fault.Refused, unless the service that gives tokens failed. A chain without a usable
// source is Refused also when it looked for a managed identity over the network: on most machines
// there is none.
func (e *credentialError) kind() error {
	var auth *azidentity.AuthenticationFailedError
	failed := errors.As(e.err, &auth)
	switch {
	case failed && auth.RawResponse != nil:
		return provider.CredentialKind(e.err, auth.RawResponse.StatusCode)
	case e.way != nil && (failed || e.had):
		return provider.CredentialKind(e.way, 0)
	}
	if k := provider.CredentialKind(e.err, 0); !errors.Is(k, fault.Refused) {
		return k // a credential of the program's own
	}
	return fault.NoCredentials
}
