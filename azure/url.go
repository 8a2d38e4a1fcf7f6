package azure

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// parseURL fills c from "azblob://container/prefix?parameters".
func (c *config) parseURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) && !strings.Contains(raw, "@") && !strings.Contains(raw, "sig=") {
			return usage("the URL cannot be read: %v", e.Err)
		}
		return usage("the URL cannot be read") // a cause would repeat some of what may be a secret
	}
	switch {
	case u.Scheme != "azblob":
		return usage("the scheme is %q, not azblob", u.Scheme)
	case u.User != nil:
		return usage("an azblob URL holds no user or password: credentials come from the environment or an option")
	case u.Host == "" || u.Port() != "" || u.Opaque != "":
		return usage("an azblob URL is azblob://container/prefix, and the account is the parameter storage_account")
	case u.Fragment != "":
		return usage(`an azblob URL has no fragment; "#" in a prefix is written %%23`)
	}
	c.container = u.Host
	c.prefix = strings.Trim(u.Path, "/")
	if err := store.CheckPrefix(c.prefix); err != nil {
		return err
	}
	if err := checkDots(c.prefix); err != nil {
		return err
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return usage("the URL's parameters cannot be read")
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if len(q[name]) != 1 {
			return usage("parameter %s is given %d times", name, len(q[name]))
		}
		if err := c.parameter(name, q[name][0]); err != nil {
			return err
		}
	}
	c.fromURL = c.place
	return nil
}

// parameter sets one of gocloud.dev's query parameters for Azure, or one of our own.
func (c *config) parameter(name, value string) error {
	texts := map[string]*string{
		"storage_account": &c.account,
		"domain":          &c.domain,
		"protocol":        &c.protocol,
		"access_tier":     &c.tier,        // ours
		"content_type":    &c.contentType, // ours
	}
	if p, ok := texts[name]; ok {
		*p = value
		return nil
	}
	flags := map[string]*bool{
		"cdn":       &c.cdn,
		"localemu":  &c.emulator,
		"anonymous": &c.anonymous, // ours
	}
	if p, ok := flags[name]; ok {
		b, err := strconv.ParseBool(value)
		if err != nil {
			return usage("parameter %s is %q, neither true nor false", name, value)
		}
		*p = b
		return nil
	}
	if name == "sig" || name == "sv" || name == "se" || name == "sp" {
		return usage("a SAS token does not belong into the URL, which is printed: it goes into AZURE_STORAGE_SAS_TOKEN or azure.SASToken")
	}
	known := slices.Sorted(maps.Keys(texts))
	known = append(known, slices.Sorted(maps.Keys(flags))...)
	return usage("parameter %s is not known; there are %s", name, strings.Join(known, ", "))
}

// name is the store's URL as it is printed: enough to tell stores apart, and no secrets.
func (c *config) name() string {
	s := "azblob://" + c.container
	if c.prefix != "" {
		s += "/" + c.prefix
	}
	q := url.Values{}
	if c.account != "" {
		q.Set("storage_account", c.account)
	}
	if c.domain != "" {
		q.Set("domain", c.domain)
	}
	if len(q) > 0 {
		s += "?" + q.Encode()
	}
	return s
}

// UsageError is a mistake in the URL or the options given to [Open]. It has no kind of package fault: it is not about
// what is stored.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

func usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }
