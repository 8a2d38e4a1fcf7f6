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

// Form describes the URLs of a provider: scheme://bucket/prefix?parameters. Its texts are parts of
// error messages.
type Form struct {
	Scheme  string // "s3"
	Article string // "an"
	Bucket  string // "bucket"
	Server  string // how URLs specify the server: "an endpoint is a parameter"
	Secrets string // source of credentials: "the environment or an option"
}

// Place is a parsed URL.
type Place struct {
	Bucket string
	Prefix string // without slashes at the ends; may be ""
	Query  url.Values
}

// Parse parses a URL. Its errors are a *store.UsageError, or fault.Path if the prefix is not a
// valid key. They do not contain parts of the URL that may be secret.
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

// because returns the cause of err as a suffix of a message, if it is an invalid escape such as
// "%zz" and raw seems to contain no secret. Messages of other causes contain more of the URL.
func because(raw string, err error) string {
	var escape url.EscapeError
	if strings.Contains(raw, "@") || strings.Contains(raw, "sig=") || !errors.As(err, &escape) {
		return ""
	}
	return ": " + escape.Error()
}

// Params contains the destinations of URL parameters.
type Params struct {
	Texts map[string]*string
	Flags map[string]*bool

	// Other, if not nil, is called for other parameters, such as those that are valid only with
	// certain values. Messages do not list their names.
	Other func(name, value string) (known bool, err error)
}

// Set sets each parameter. An unknown or repeated parameter, and a flag that is neither true nor
// false, is a *store.UsageError.
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

// Flag parses a parameter that is true or false.
func Flag(name, value string) (bool, error) {
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, Usage("parameter %s is %q, neither true nor false", name, value)
	}
	return on, nil
}
