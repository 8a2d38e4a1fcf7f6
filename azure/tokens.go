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

// tokenTransport returns the transport of requests for tokens.
func (c *config) tokenTransport() policy.Transporter {
	if c.tokenClient != nil {
		return c.tokenClient
	}
	return newTokens(c.stack.Stall)
}

// newTokens returns a transport for requests for tokens. Unlike the SDK's transport, it has a stall
// timeout.
func newTokens(stall time.Duration) policy.Transporter {
	return doer(provider.Watch(stall, (&http.Client{Transport: newTransport(8)}).Do))
}

type doer provider.Doer

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// credential wraps the errors of a chain of credentials in *credentialError. The SDK reports such
// an error as the failure of the request that needed the token.
type credential struct {
	c   azcore.TokenCredential
	had atomic.Bool // a token was fetched
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

// noting records the transport errors of requests for tokens, because azidentity keeps only their
// text.
type noting struct{ next policy.Transporter }

type noteKey struct{}

type note struct {
	mu  sync.Mutex
	err error // of the latest request
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

// credentialError is the error of a failed fetch of a token.
type credentialError struct {
	err error
	way error // the transport error of the last request, if any
	had bool  // an earlier fetch succeeded
}

func (e *credentialError) Error() string { return e.err.Error() }
func (e *credentialError) Unwrap() error { return e.err }

// NonRetriable prevents retries by the SDK.
func (e *credentialError) NonRetriable() {}

// kind returns the kind of the token service's failure, or a kind of fault.Refused if no
// credentials were found. An unsuccessful request for a managed identity also means that none were
// found, because most machines lack a managed identity.
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
		return k // a credential of the caller
	}
	return fault.NoCredentials
}
