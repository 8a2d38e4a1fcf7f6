package gcs

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

// parseURL fills c from "gs://bucket/prefix?parameters".
func (c *config) parseURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil {
		return usage("the URL cannot be read") // a cause could repeat what may be a password
	}
	switch {
	case u.Scheme != "gs":
		return usage("the scheme is %q, not gs", u.Scheme)
	case u.User != nil:
		return usage("a gs URL holds no user or password: credentials come from the environment or from an option")
	case u.Host == "" || u.Port() != "" || u.Opaque != "":
		return usage("a gs URL is gs://bucket/prefix, and an endpoint is a parameter")
	case u.Fragment != "":
		return usage(`a gs URL has no fragment; "#" in a prefix is written %%23`)
	}
	c.bucket = u.Host
	c.prefix = strings.Trim(u.Path, "/")
	if err := store.CheckPrefix(c.prefix); err != nil {
		return err
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return usage("the URL's parameters cannot be read: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if len(q[name]) != 1 {
			return usage("parameter %s is given %d times", name, len(q[name]))
		}
		if err := c.parameter(name, q[name][0]); err != nil {
			return err
		}
	}
	return nil
}

// parameter sets one of gocloud.dev's query parameters for GCS, or one of our own.
func (c *config) parameter(name, value string) error {
	texts := map[string]*string{
		"universe_domain": &c.universe,
		"endpoint":        &c.endpoint, // ours, as all that follow
		"user_project":    &c.userProject,
		"kms_key":         &c.kmsKey,
		"storage_class":   &c.storageClass,
		"content_type":    &c.contentType,
	}
	if p, ok := texts[name]; ok {
		*p = value
		return nil
	}
	switch name {
	case "anonymous", "grpc", "zonal":
		on, err := strconv.ParseBool(value)
		switch {
		case err != nil:
			return usage("parameter %s is %q, neither true nor false", name, value)
		case name == "anonymous":
			c.anonymous = on
		case on:
			return usage("parameter %s: only the HTTP protocol is spoken here", name)
		}
		return nil
	case "access_id":
		// gocloud's identity for signed URLs, of which there are none here; "-" is its older word for anonymous.
		c.anonymous = c.anonymous || value == "-"
		return nil
	case "private_key_path":
		return nil // for signed URLs, too
	}
	known := append(slices.Sorted(maps.Keys(texts)), "anonymous")
	return usage("parameter %s is not known; there are %s", name, strings.Join(known, ", "))
}

// name is the store's URL as it is printed: enough to tell stores apart, and no secrets.
func (c *config) name() string {
	s := "gs://" + c.bucket
	if c.prefix != "" {
		s += "/" + c.prefix
	}
	if c.endpoint != "" {
		s += "?endpoint=" + c.endpoint
	}
	return s
}

// cause is the innermost error of a chain.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// UsageError is a mistake in the URL or the options given to [Open]. It has no kind of package fault: it is not about
// what is stored.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

func usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }
