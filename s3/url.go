package s3

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

// parseURL fills c from "s3://bucket/prefix?parameters".
func (c *config) parseURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil {
		if strings.Contains(raw, "@") {
			return usage("the URL cannot be read") // a cause would repeat some of what may be a password
		}
		return usage("the URL cannot be read: %v", cause(err))
	}
	switch {
	case u.Scheme != "s3":
		return usage("the scheme is %q, not s3", u.Scheme)
	case u.User != nil:
		return usage("an s3 URL holds no user or password: credentials come from the environment, a profile or s3.Credentials")
	case u.Host == "" || u.Port() != "" || u.Opaque != "":
		return usage("an s3 URL is s3://bucket/prefix, and an endpoint is a parameter")
	case u.Fragment != "":
		return usage(`an s3 URL has no fragment; "#" in a prefix is written %%23`)
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

// parameter sets one of gocloud.dev's query parameters for S3, or one of our own.
func (c *config) parameter(name, value string) error {
	texts := map[string]*string{
		"region":                       &c.region,
		"endpoint":                     &c.endpoint,
		"profile":                      &c.profile,
		"role":                         &c.role,
		"request_checksum_calculation": &c.requestChecksum,
		"response_checksum_validation": &c.responseChecksum,
		"ssetype":                      &c.sse,
		"kmskeyid":                     &c.kmsKey,
		"storage_class":                &c.storageClass, // ours
		"content_type":                 &c.contentType,  // ours
	}
	if p, ok := texts[name]; ok {
		*p = value
		return nil
	}
	flags := map[string]*bool{
		"anonymous":      &c.anonymous,
		"use_path_style": &c.pathStyle,
		// The older names for the same: a host name that stays as it is has no room for the bucket.
		"s3ForcePathStyle":   &c.pathStyle,
		"hostname_immutable": &c.pathStyle,
		"dualstack":          &c.dualstack,
		"fips":               &c.fips,
		"accelerate":         &c.accelerate,
		"disable_https":      &c.disableHTTPS,
		"requester_pays":     &c.requesterPays, // ours
	}
	if p, ok := flags[name]; ok {
		b, err := strconv.ParseBool(value)
		if err != nil {
			return usage("parameter %s is %q, neither true nor false", name, value)
		}
		*p = b
		return nil
	}
	switch name {
	case "awssdk", "rate_limiter_capacity":
		// gocloud's choice of SDK version, and its limit on SDK retries, of which there are none here.
		return nil
	}
	known := slices.Sorted(maps.Keys(texts))
	known = append(known, slices.Sorted(maps.Keys(flags))...)
	return usage("parameter %s is not known; there are %s", name, strings.Join(known, ", "))
}

// name is the store's URL as it is printed: enough to tell stores apart, and no secrets.
func (c *config) name() string {
	s := "s3://" + c.bucket
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
