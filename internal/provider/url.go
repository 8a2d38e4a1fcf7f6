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

// Form describes the URLs of a provider, scheme://bucket/prefix?parameters. Its fields are used in
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

// Parse parses a URL. It returns a *store.UsageError for an invalid URL, and fault.Path if the
// prefix is not a valid key. The errors do not contain parts of the URL that may be secret.
func (f Form) Parse(raw string) (Place, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return Place{}, Usage("the URL is malformed%s", because(raw, err))
	}
	name := f.Article + " " + f.Scheme + " URL"
	switch {
	case u.Scheme != f.Scheme:
		return Place{}, Usage("the scheme must be %s, is %q", f.Scheme, u.Scheme)
	case u.User != nil:
		return Place{}, Usage("%s must not contain a user or password: credentials come from %s", name, f.Secrets)
	case u.Host == "" || u.Port() != "" || u.Opaque != "":
		return Place{}, Usage("%s must have the form %s://%s/prefix; %s", name, f.Scheme, f.Bucket, f.Server)
	case u.Fragment != "":
		return Place{}, Usage(`%s must not have a fragment: write "#" in a prefix as %%23`, name)
	}
	p := Place{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
	if err := store.CheckPrefix(p.Prefix); err != nil {
		return p, err
	}
	if p.Query, err = url.ParseQuery(u.RawQuery); err != nil {
		return p, Usage("the parameters of the URL are malformed%s", because(raw, err))
	}
	return p, nil
}

// because returns ": " and the cause of err if the cause is an invalid escape, such as "%zz". It
// returns "" for other causes, whose messages contain more of the URL, and if raw may contain a
// secret.
func because(raw string, err error) string {
	var escape url.EscapeError
	if strings.Contains(raw, "@") || strings.Contains(raw, "sig=") || !errors.As(err, &escape) {
		return ""
	}
	return ": " + escape.Error()
}

// Params maps the names of URL parameters to their destinations.
type Params struct {
	Texts map[string]*string
	Flags map[string]*bool

	// Other, if not nil, is called for parameters that are not in the other fields, such as
	// parameters that are valid only with certain values. Error messages do not list the names of
	// these parameters.
	Other func(name, value string) (known bool, err error)
}

// Set sets each parameter. It returns a *store.UsageError for an unknown or repeated parameter, and
// for a flag that is neither true nor false.
func (p Params) Set(q url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if len(q[name]) != 1 {
			return Usage("parameter %s occurs %d times", name, len(q[name]))
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
	return Usage("unknown parameter %s, must be one of %s", name, strings.Join(there, ", "))
}

// Flag parses a parameter that is true or false.
func Flag(name, value string) (bool, error) {
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, Usage("parameter %s must be true or false, is %q", name, value)
	}
	return on, nil
}
