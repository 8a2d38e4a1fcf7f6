package provider

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// Form is what a provider's URLs look like: scheme://bucket/prefix?parameters. The words complete
// messages.
type Form struct {
	Scheme  string // "s3"
	Article string // "an"
	Bucket  string // "bucket"
	Server  string // how the server is named instead of by host and port: "an endpoint is a parameter"
	Secrets string // where credentials come from: "the environment or an option"
}

// Place is a parsed URL.
type Place struct {
	Bucket string
	Prefix string // a key or ""
	Query  url.Values
}

// Parse reads a URL. Its errors are *store.UsageError, or fault.Path for a prefix that is no key, and
// repeat nothing that may be a secret.
func (f Form) Parse(raw string) (Place, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return Place{}, Usage("the URL cannot be read%s", because(raw, err))
	}
	name := f.Article + " " + f.Scheme + " URL"
	switch {
	case u.Scheme != f.Scheme:
		return Place{}, Usage("the scheme is %q, not %s", u.Scheme, f.Scheme)
	case u.User != nil:
		return Place{}, Usage("%s holds no user or password: credentials come from %s", name, f.Secrets)
	case u.Host == "" || u.Port() != "" || u.Opaque != "":
		return Place{}, Usage("%s is %s://%s/prefix, and %s", name, f.Scheme, f.Bucket, f.Server)
	case u.Fragment != "":
		return Place{}, Usage(`%s has no fragment; "#" in a prefix is written %%23`, name)
	}
	p := Place{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
	if err := store.CheckPrefix(p.Prefix); err != nil {
		return p, err
	}
	if p.Query, err = url.ParseQuery(u.RawQuery); err != nil {
		return p, Usage("the URL's parameters cannot be read%s", because(raw, err))
	}
	return p, nil
}

// because is the cause where it is an escape such as "%zz" in a URL that seems to hold no secret;
// other causes repeat more of the URL.
func because(raw string, err error) string {
	var escape url.EscapeError
	if strings.Contains(raw, "@") || strings.Contains(raw, "sig=") || !errors.As(err, &escape) {
		return ""
	}
	return ": " + escape.Error()
}

// Params says what a URL's parameters set.
type Params struct {
	Texts map[string]*string
	Flags map[string]*bool

	// Other is for parameters that only set something by their value, or nothing; it may be nil.
	// They are not named among those that there are.
	Other func(name, value string) (known bool, err error)
}

// Set sets each parameter. One that is given twice or is not known, and a flag that is neither true
// nor false, is a *store.UsageError.
func (p Params) Set(q url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if len(q[name]) != 1 {
			return Usage("parameter %s is given %d times", name, len(q[name]))
		}
		if err := p.set(name, q[name][0]); err != nil {
			return err
		}
	}
	return nil
}

func (p Params) set(name, value string) (err error) {
	if to, ok := p.Texts[name]; ok {
		*to = value
		return nil
	}
	if to, ok := p.Flags[name]; ok {
		*to, err = Flag(name, value)
		return err
	}
	if p.Other != nil {
		if known, err := p.Other(name, value); known || err != nil {
			return err
		}
	}
	there := append(slices.Sorted(maps.Keys(p.Texts)), slices.Sorted(maps.Keys(p.Flags))...)
	return Usage("parameter %s is not known; there are %s", name, strings.Join(there, ", "))
}

// Flag reads a parameter that is true or false.
func Flag(name, value string) (bool, error) {
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, Usage("parameter %s is %q, neither true nor false", name, value)
	}
	return on, nil
}
