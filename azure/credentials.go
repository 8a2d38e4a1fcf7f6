package azure

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// connect makes the SDK's client.
func (c *config) connect() (*container.Client, error) {
	if err := c.environment(); err != nil {
		return nil, err
	}
	if err := c.trusted(); err != nil {
		return nil, err
	}
	transport := c.httpClient
	if transport == nil {
		h := newHTTP(newTransport(c.requests()))
		transport, c.idle = h, h
	}
	do := provider.Watch(c.stack.Stall, provider.WithoutRedirects(transport))
	o := &container.ClientOptions{ClientOptions: policy.ClientOptions{
		Transport: guard{do},
		// One retry layer, ours: an SDK that repeats a conditional put whose answer was lost turns our own success into
		// a conflict. Fetching tokens keeps its retries.
		Retry:     policy.RetryOptions{MaxRetries: -1},
		Telemetry: policy.TelemetryOptions{ApplicationID: "zargo"},
	}}
	switch {
	case c.connection != "":
		client, err := container.NewClientFromConnectionString(c.connection, c.container, o)
		if err != nil {
			return nil, fault.Newf(fault.Refused, "the connection string cannot be used: it needs AccountName or BlobEndpoint, and AccountKey (in base64) or SharedAccessSignature")
		}
		return client, nil
	case c.key != "":
		if c.keyAccount == "" {
			c.keyAccount = c.account
		}
		key, err := container.NewSharedKeyCredential(c.keyAccount, c.key)
		if err != nil {
			return nil, fault.Newf(fault.Refused, "the account's key is not base64")
		}
		return container.NewClientWithSharedKeyCredential(c.endpoint(), key, o)
	case c.sas != "":
		return container.NewClientWithNoCredential(c.endpoint()+"?"+strings.TrimPrefix(c.sas, "?"), o)
	case c.anonymous:
		return container.NewClientWithNoCredential(c.endpoint(), o)
	}
	if c.protocol == "http" {
		return nil, fault.Newf(fault.Refused, "there are no credentials but tokens, and tokens are not sent over http: set AZURE_STORAGE_KEY, or give anonymous=true")
	}
	cred := c.credential
	if cred == nil {
		var err error
		if cred, err = azidentity.NewDefaultAzureCredential(nil); err != nil {
			return nil, fault.Newf(fault.Refused, "the Azure credentials cannot be used: %s", firstLine(err.Error()))
		}
	}
	return container.NewClient(c.endpoint(), credential{cred}, o)
}

// credential marks the errors of a chain, which the SDK reports as failures of whatever request came first.
type credential struct{ c azcore.TokenCredential }

func (c credential) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	t, err := c.c.GetToken(ctx, o)
	if err != nil {
		return t, &credentialError{err}
	}
	return t, nil
}

type credentialError struct{ err error }

func (e *credentialError) Error() string { return e.err.Error() }
func (e *credentialError) Unwrap() error { return e.err }

// NonRetriable keeps the SDK from asking again.
func (e *credentialError) NonRetriable() {}

// kind is Refused, unless the service that gives tokens failed.
func (e *credentialError) kind() error {
	var auth *azidentity.AuthenticationFailedError
	if errors.As(e.err, &auth) && auth.RawResponse != nil && auth.RawResponse.StatusCode >= http.StatusInternalServerError {
		return fault.Unavailable
	}
	return fault.Refused
}

// accountOf is the account in a container's URL, for the store's name.
func accountOf(client *container.Client) (account, domain string) {
	parts, err := azblob.ParseURL(client.URL())
	if err != nil {
		return "", ""
	}
	if a := parts.IPEndpointStyleInfo.AccountName; a != "" {
		return a, parts.Host
	}
	account, _, _ = strings.Cut(parts.Host, ".")
	return account, ""
}
