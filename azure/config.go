package azure

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// config holds the values of the URL, the options and the environment.
type config struct {
	container, prefix string
	place
	fromURL place // the values set by the URL
	fromEnv place // the values set by the environment

	anonymous            bool
	key, sas, connection string
	credential           azcore.TokenCredential
	httpClient           policy.Transporter
	tier, contentType    string
	verify               bool
	trust                []string // hosts that tokens may be sent to
	client               *container.Client
	opened               *gcblob.Bucket         // owns client
	tokens               azcore.TokenCredential // of the client that connect creates; nil for other credentials
	stack                provider.Stack
	// reached is the container's URL without parameters. It is set when the client is created.
	reached string
	urlSAS  bool // the SAS token is from the URL
	renews  bool // tokens are fetched, and a rejected token is replaced

	tokenClient *http.Client // replaces the default client in tests
	crc         bool         // in tests: use Azure's checksums for any host
	envSecret   bool         // a key or a SAS token is from the environment
	keyAccount  string
	release     func() error // releases the connections; nil if the caller owns them
}

// defaultDomain is the blob domain of Azure's public cloud.
const defaultDomain = "blob.core.windows.net"

// place locates an account.
type place struct {
	account, domain, protocol string
	cdn, emulator             bool
}

// check validates all parameters and options.
func (c *config) check() error {
	var given []string
	for _, o := range []struct {
		name string
		set  bool
	}{
		{"anonymous", c.anonymous}, {"SharedKey", c.key != ""}, {"SASToken", c.sas != ""},
		{"ConnectionString", c.connection != ""}, {"Credential", c.credential != nil},
	} {
		if o.set {
			given = append(given, o.name)
		}
	}
	if len(given) > 1 {
		return provider.Usage("%s cannot be combined", strings.Join(given, " and "))
	}
	if c.client != nil {
		if len(given) > 0 || c.place != (place{}) || c.httpClient != nil || c.trust != nil || c.stack.Stall != 0 {
			return provider.Usage("parameters and options about the connection cannot be combined with azure.Client")
		}
		return c.checkClient()
	}
	if c.connection != "" && c.place != (place{}) {
		return provider.Usage("parameters and options about the account cannot be combined with a connection string")
	}
	if c.protocol != "" && c.protocol != "http" && c.protocol != "https" {
		return provider.Usage("parameter protocol must be http or https, is %q", c.protocol)
	}
	if c.cdn && c.emulator {
		return provider.Usage("cdn and localemu cannot be combined")
	}
	if c.domain != "" {
		if u, err := url.Parse("https://" + c.domain); err != nil || u.Host != c.domain || u.Hostname() == "" {
			bad := c.domain
			c.domain = ""
			return provider.Usage("parameter domain must be a host name such as blob.core.windows.net or 127.0.0.1:10000, is %q", bad)
		}
	}
	if c.account != "" && !regexp.MustCompile(`^[a-z0-9-]{1,63}$`).MatchString(c.account) {
		bad := c.account
		c.account = ""
		return provider.Usage("parameter storage_account must be the name of an account, is %q", bad)
	}
	if c.tier != "" {
		tiers := azblob.PossibleAccessTierValues()
		i := slices.IndexFunc(tiers, func(t azblob.AccessTier) bool { return strings.EqualFold(string(t), c.tier) })
		if i < 0 {
			return provider.Usage("parameter access_tier must be Hot, Cool or Cold, is %q", c.tier)
		}
		c.tier = string(tiers[i])
	}
	return c.stack.Check()
}

// environment reads values from the environment variables of gocloud.dev, if neither the URL nor an
// option sets them. The Azure CLI uses the same variables.
func (c *config) environment() error {
	env := place{
		account: os.Getenv("AZURE_STORAGE_ACCOUNT"), domain: os.Getenv("AZURE_STORAGE_DOMAIN"), protocol: os.Getenv("AZURE_STORAGE_PROTOCOL"),
	}
	for name, to := range map[string]*bool{"AZURE_STORAGE_IS_LOCAL_EMULATOR": &env.emulator, "AZURE_STORAGE_IS_CDN": &env.cdn} {
		if v := os.Getenv(name); v != "" {
			b, err := strconv.ParseBool(v)
			if err != nil {
				return provider.Usage("%s must be true or false, is %q", name, v)
			}
			*to = b
		}
	}
	c.fromEnv = env
	if !c.anonymous && c.key == "" && c.sas == "" && c.connection == "" && c.credential == nil {
		c.secrets(env.account)
	}
	if c.connection != "" {
		return nil
	}
	if c.account == "" {
		c.account = env.account
	}
	if c.domain == "" {
		c.domain = env.domain
	}
	if c.protocol == "" {
		c.protocol = env.protocol
	}
	c.cdn = c.cdn || env.cdn && !c.emulator
	c.emulator = c.emulator || env.emulator && !c.cdn
	if c.domain == "" && c.emulator {
		c.domain = "127.0.0.1:10000"
		if c.protocol == "" {
			c.protocol = "http"
		}
	}
	if c.account == "" && !c.cdn {
		return fault.Newf(fault.Refused, "the storage account is unknown: set storage_account=… in the URL, azure.Account or AZURE_STORAGE_ACCOUNT")
	}
	return c.check()
}

// secrets reads the credentials from the environment, in the same order as gocloud.dev.
func (c *config) secrets(account string) {
	key, sas := os.Getenv("AZURE_STORAGE_KEY"), os.Getenv("AZURE_STORAGE_SAS_TOKEN")
	connection := os.Getenv("AZURE_STORAGE_CONNECTION_STRING")
	if connection == "" {
		connection = os.Getenv("AZURE_STORAGEBLOB_CONNECTIONSTRING")
	}
	switch {
	case key != "" && (account != "" || c.account != ""):
		c.key, c.keyAccount, c.envSecret = key, account, true
	case sas != "":
		c.sas, c.envSecret = sas, true
	case connection != "" && c.place == (place{}):
		c.connection = connection
	}
}

// endpoint returns the container's URL, without credentials.
func (c *config) endpoint() string {
	domain, protocol := c.domain, c.protocol
	if domain == "" {
		domain = defaultDomain
	}
	if protocol == "" {
		protocol = "https"
	}
	var service string
	switch {
	case c.emulator || isLocal(domain):
		service = protocol + "://" + domain + "/" + c.account
	case c.cdn:
		service = protocol + "://" + domain
	default:
		service = protocol + "://" + c.account + "." + domain
	}
	return service + "/" + url.PathEscape(c.container)
}

// isLocal reports whether a domain is this machine, where an emulator runs. Emulators expect the
// account in the path of a URL.
func isLocal(domain string) bool {
	return strings.HasPrefix(domain, "127.0.0.1") || strings.HasPrefix(domain, "localhost")
}

// trusted returns a UsageError if secrets from the environment, or tokens of the default chain,
// would be sent to a place that only the URL names. A URL is untrusted data. gocloud.dev does the
// same for SAS tokens. Secrets in options may be sent, because the program chose them, but tokens
// in options are not sent to a domain that only the URL names.
func (c *config) trusted() error {
	if c.anonymous || c.connection != "" || c.urlSAS {
		return nil
	}
	if u, e := c.fromURL.account, c.fromEnv.account; c.envSecret && u != "" && e != "" && u != e {
		return provider.Usage("the credentials in the environment are for the account %s, but the URL names %s", e, u)
	}
	inTheClear := c.fromURL.protocol == "http" && c.fromEnv.protocol != "http"
	if c.key != "" { // the key signs and is not sent
		if inTheClear && !provider.Private(c.domain) {
			return provider.Usage("protocol=http would send signed requests in clear text: to allow it, set AZURE_STORAGE_PROTOCOL or azure.Protocol")
		}
		return nil
	}
	trust := append(provider.TrustedByUser(), c.trust...)
	if d := c.fromURL.domain; d != "" && d != c.fromEnv.domain && !isAzure(d) && !provider.Loopback(d) && !trust.Has(d) {
		return provider.Usage("tokens are not sent to a domain that only the URL names: set AZURE_STORAGE_DOMAIN, azure.Domain, "+
			"azure.TrustHost or %s", provider.TrustVariable)
	}
	if c.credential == nil && inTheClear && !provider.Loopback(c.domain) {
		return provider.Usage("protocol=http would send tokens in clear text: to allow it, set AZURE_STORAGE_PROTOCOL or azure.Protocol")
	}
	return nil
}

// isAzure reports whether a domain belongs to one of Azure's clouds.
func isAzure(domain string) bool {
	return provider.Hosts{"core.windows.net", "core.usgovcloudapi.net", "core.chinacloudapi.cn", "storage.azure.net"}.Has(domain)
}
