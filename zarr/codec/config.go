package codec

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/zargo-io/zargo/zarr/fault"
)

// config reads the members of a codec's configuration one at a time and keeps the first error. The
// method close returns that error, or an error if the configuration has members that were not read.
// zarr-python and TensorStore also reject unknown members.
type config struct {
	members map[string]json.RawMessage
	err     error
	unused  error // the first error of a setting that only an encoder uses
}

func openConfig(raw json.RawMessage) *config {
	c := &config{}
	if len(bytes.TrimSpace(raw)) == 0 {
		return c
	}
	if err := json.Unmarshal(raw, &c.members); err != nil {
		c.fail("configuration is not a JSON object: %v", err)
	}
	return c
}

func (c *config) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fault.Newf(fault.Metadata, format, args...)
	}
}

// take removes a member and returns its value. It also reports whether the member was present.
func (c *config) take(key string) (json.RawMessage, bool) {
	raw, ok := c.members[key]
	delete(c.members, key)
	return bytes.TrimSpace(raw), ok
}

// dropNull removes members that are null. numcodecs writes null for settings without a value.
func (c *config) dropNull(keys ...string) {
	for _, key := range keys {
		if string(bytes.TrimSpace(c.members[key])) == "null" {
			delete(c.members, key)
		}
	}
}

// integer reads an integer in [lo, hi]. 5.0 is accepted as 5, as in TensorStore.
func (c *config) integer(key string, def, lo, hi int) int {
	return int(c.integer64(key, int64(def), int64(lo), int64(hi)))
}

// integer64 is like integer, for values that may exceed an int.
func (c *config) integer64(key string, def, lo, hi int64) int64 {
	raw, ok := c.take(key)
	if !ok {
		return def
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(string(raw), 64)
		if ferr != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			c.fail("%q must be an integer, is %.80s", key, raw)
			return def
		}
		n = int64(f)
	}
	return c.within(key, n, def, lo, hi)
}

// within returns n if it is in [lo, hi]. Otherwise it fails and returns def.
func (c *config) within(key string, n, def, lo, hi int64) int64 {
	if n < lo || n > hi {
		c.fail("%q must be %d to %d, is %d", key, lo, hi, n)
		return def
	}
	return n
}

func (c *config) boolean(key string, def bool) bool {
	switch raw, ok := c.take(key); {
	case !ok:
		return def
	case string(raw) == "true":
		return true
	case string(raw) == "false":
		return false
	default:
		c.fail("%q must be true or false, is %.80s", key, raw)
		return def
	}
}

// text reads one of the allowed strings.
func (c *config) text(key, def string, allowed ...string) string {
	raw, ok := c.take(key)
	if !ok {
		return def
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil || raw[0] != '"' {
		c.fail("%q must be a string, is %.80s", key, raw)
		return def
	}
	if !slices.Contains(allowed, s) {
		c.fail("%q must be one of %q, is %.80q", key, allowed, s)
		return def
	}
	return s
}

// close returns the first error, or an error for an unknown member.
func (c *config) close() error {
	for key := range c.members {
		c.fail("configuration has an unknown member %.80q", key)
	}
	return c.err
}
