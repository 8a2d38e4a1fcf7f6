package azure

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// connect creates the SDK's client.
func (c *config) connect() (*container.Client, error) {
	if c.client != nil {
		return c.client, nil
	}
	if err := c.environment(); err != nil {
		return nil, err
	}
	if err := c.trusted(); err != nil {
		return nil, err
	}
	transport := c.httpClient
	if transport == nil {
		name := c.endpoint()
		if c.connection != "" { // it determines the account
			name = ""
		}
		var t http.RoundTripper
		t, c.release = c.stack.Transport(name, newTransport(c.stack.Connections(numbers())))
		transport = newHTTP(t)
	}
	do := provider.Traced(provider.Watch(c.stack.Stall, provider.WithoutRedirects(transport)))
	o := &container.ClientOptions{ClientOptions: policy.ClientOptions{
		Transport: guard(do),
		// This store has its own retry layer. If the SDK retried a conditional put after it lost
		// the response, the success of the first attempt would become a conflict. Requests for
		// tokens keep the SDK's retries.
		Retry:     policy.RetryOptions{MaxRetries: -1},
		Telemetry: policy.TelemetryOptions{ApplicationID: "zargo"},
	}}
	switch {
	case c.connection != "":
		client, err := container.NewClientFromConnectionString(c.connection, c.container, o)
		if err != nil {
			return nil, fault.Newf(fault.Refused, "the connection string must have AccountName or BlobEndpoint, and AccountKey (in base64) or SharedAccessSignature")
		}
		return client, nil
	case c.key != "":
		if c.keyAccount == "" {
			c.keyAccount = c.account
		}
		key, err := container.NewSharedKeyCredential(c.keyAccount, c.key)
		if err != nil {
			return nil, fault.Newf(fault.Refused, "the key of the account is not valid base64")
		}
		return container.NewClientWithSharedKeyCredential(c.endpoint(), key, o)
	case c.sas != "":
		return container.NewClientWithNoCredential(c.endpoint()+"?"+strings.TrimPrefix(c.sas, "?"), o)
	case c.anonymous:
		return container.NewClientWithNoCredential(c.endpoint(), o)
	}
	if c.protocol == "http" {
		return nil, fault.Newf(fault.Refused, "tokens are not sent over http: set AZURE_STORAGE_KEY or anonymous=true")
	}
	cred := c.credential
	if cred == nil {
		var err error
		o := &azidentity.DefaultAzureCredentialOptions{ClientOptions: policy.ClientOptions{Transport: noting{c.tokenTransport()}}}
		if cred, err = azidentity.NewDefaultAzureCredential(o); err != nil {
			return nil, fault.Newf(fault.Refused, "the Azure credentials are unusable: %s", firstLine(err.Error()))
		}
	}
	c.renews = true
	c.tokens = &credential{c: cred}
	return container.NewClient(c.endpoint(), c.tokens, o)
}

// checkClient checks that the caller's client is a client of the container that the URL names.
func (c *config) checkClient() error {
	u, err := url.Parse(c.client.URL())
	if err != nil || path.Base(u.Path) != c.container {
		return provider.Usage("the client is not for the container %q", c.container)
	}
	return c.stack.Check()
}

// accountOf returns the account in a container's URL, and also the domain if that is an IP address.
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
