package azure

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/zargo-io/zargo/internal/provider"
)

// IsURL reports whether raw has one of the forms that [Open] accepts: a scheme of Azure, or https
// and a host of Azure Blob Storage. It does not check the rest of the URL.
func IsURL(raw string) bool {
	scheme, rest, ok := strings.Cut(raw, "://")
	switch strings.ToLower(scheme) {
	case "azblob", "az", "azure", "abfs", "abfss":
		return ok
	case "https":
		host, _, _ := strings.Cut(rest, "/")
		host, _, _ = strings.Cut(host, "?")
		_, _, known := accountHost(host)
		return ok && known
	}
	return false
}

// accountHost splits "account.blob.core.windows.net" or "account.dfs.core.windows.net" into the
// account and its blob domain. known reports whether the domain belongs to Azure.
func accountHost(host string) (account, domain string, known bool) {
	account, rest, ok := strings.Cut(strings.ToLower(host), ".")
	labels := strings.Replace("."+rest, ".dfs.", ".blob.", 1) // the same values
	return account, labels[1:], ok && account != "" && isAzure(rest) && strings.Contains(labels, ".blob.")
}

// ownForm converts the URL forms of other programs and of the portal to
// "azblob://container/prefix?parameters". It moves the SAS token of an https URL from the URL to c,
// for the host of that URL only. Errors contain no part of a query, which may be secret.
//
//	az://container/prefix, azure://…, abfs://…, abfss://…
//	abfss://container@account.dfs.core.windows.net/prefix
//	https://account.blob.core.windows.net/container/prefix?SAS
func (c *config) ownForm(raw string) (string, error) {
	scheme, _, _ := strings.Cut(raw, "://")
	scheme = strings.ToLower(scheme)
	switch scheme {
	case "az", "azure", "abfs", "abfss", "https":
	default:
		return raw, nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return "", provider.Usage("the URL is malformed")
	}
	if u.Fragment != "" {
		return "", provider.Usage(`an Azure URL must not have a fragment: write "#" in a prefix as %%23`)
	}
	if _, has := u.User.Password(); has {
		return "", provider.Usage("an Azure URL must not contain a user or password: credentials come from the environment or an option")
	}
	q := u.Query()
	container, path, host := u.Host, u.EscapedPath(), ""
	switch {
	case scheme == "https":
		if u.User != nil {
			return "", provider.Usage("an Azure URL must not contain a user or password: credentials come from the environment or an option")
		}
		host = u.Host
		container, path, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
		path = "/" + path
		c.takeSAS(q)
	case u.User != nil:
		container, host = u.User.Username(), u.Host
	case strings.Contains(u.Host, "."):
		return "", provider.Usage("%s is an account without a container: write %s://container@%s/prefix", u.Host, scheme, u.Host)
	}
	if host != "" {
		account, domain, known := accountHost(host)
		switch {
		case scheme == "https" && !known:
			return "", provider.Usage("%s is not a host of Azure Blob Storage, such as account.blob.core.windows.net", host)
		case account == "" || domain == "":
			return "", provider.Usage("%q is not the host of an account, such as account.dfs.core.windows.net", host)
		case q.Has("storage_account") || q.Has("domain"):
			return "", provider.Usage("the URL contains the account both in its host and in a parameter")
		}
		q.Set("storage_account", account)
		if domain != defaultDomain {
			q.Set("domain", domain)
		}
	}
	if !regexp.MustCompile(`^[A-Za-z0-9$-]{1,63}$`).MatchString(container) {
		return "", provider.Usage("the URL has no container")
	}
	own := "azblob://" + container + path
	if len(q) > 0 {
		own += "?" + q.Encode()
	}
	return own, nil
}

// takeSAS moves the SAS token from q to c. If q has a signature, the token consists of all
// parameters that are not parameters of this package.
func (c *config) takeSAS(q url.Values) {
	if !q.Has("sig") {
		return
	}
	p := c.params()
	sas := url.Values{}
	for name, values := range q {
		_, text := p.Texts[name]
		_, flag := p.Flags[name]
		if !text && !flag {
			sas[name] = values
			delete(q, name)
		}
	}
	c.sas, c.urlSAS = sas.Encode(), true
}
