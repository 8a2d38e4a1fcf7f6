package crs

import (
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Code identifies a coordinate reference system in the registry of an authority.
type Code struct {
	// Authority is in upper case, such as "EPSG". It includes the version if each version of the
	// registry has its own codes, as in "IAU_2015".
	Authority string
	Value     string // such as "4326" or "CRS84"
}

// String returns the code as in "EPSG:4326". It returns "" for the zero value.
func (c Code) String() string {
	if c == (Code{}) {
		return ""
	}
	return c.Authority + ":" + c.Value
}

// Number returns the value as a number. It reports false if the value is not a decimal number.
func (c Code) Number() (int, bool) {
	n, err := strconv.ParseInt(c.Value, 10, 32)
	return int(n), err == nil && n >= 0
}

// maxCode is the maximum length of a code in bytes. The longest URL in the registry of the OGC has
// fewer than 100 bytes.
const maxCode = 256

// ParseCode parses the code of a coordinate reference system. It accepts the forms
//
//	EPSG:4326
//	urn:ogc:def:crs:EPSG::4326
//	http://www.opengis.net/def/crs/EPSG/0/4326
//
// The case of the authority and of the prefixes does not matter. For any other text, such as the
// code of a compound system, ParseCode returns fault.Metadata.
func ParseCode(text string) (Code, error) {
	bad := func() (Code, error) {
		shown := text
		if len(shown) > maxCode {
			shown = shown[:maxCode] + "…"
		}
		return Code{}, fault.Newf(fault.Metadata, "a code must have the form authority:code, or be a URN or URL of the OGC, is %q", shown)
	}
	s := strings.TrimSpace(text)
	if len(s) > maxCode {
		return bad()
	}
	lower := strings.ToLower(s)
	var authority, version, value string
	switch {
	case strings.HasPrefix(lower, "urn:ogc:def:crs:"), strings.HasPrefix(lower, "urn:x-ogc:def:crs:"), strings.HasPrefix(lower, "urn:opengis:def:crs:"):
		parts := strings.Split(s, ":")
		switch len(parts) {
		case 6:
			authority, value = parts[4], parts[5]
		case 7:
			authority, version, value = parts[4], parts[5], parts[6]
		default:
			return bad()
		}
	case strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"):
		_, rest, _ := strings.Cut(s, "://")
		host, path, _ := strings.Cut(rest, "/")
		if h := strings.ToLower(host); h != "www.opengis.net" && h != "opengis.net" {
			return bad()
		}
		parts := strings.Split(strings.TrimSuffix(path, "/"), "/")
		if len(parts) != 5 || !strings.EqualFold(parts[0], "def") || !strings.EqualFold(parts[1], "crs") {
			return bad()
		}
		authority, version, value = parts[2], parts[3], parts[4]
	default:
		var ok bool
		if authority, value, ok = strings.Cut(s, ":"); !ok {
			return bad()
		}
	}
	c := Code{strings.ToUpper(authority), value}
	if c.Authority == "IAU" && version != "" && version != "0" {
		c.Authority += "_" + strings.ToUpper(version) // each version has its own codes
	}
	if !plain(c.Authority) || !plain(c.Value) {
		return bad()
	}
	return c, nil
}

// plain reports whether a part of a code is not empty and contains only ASCII letters, digits, and
// the characters "_", "-" and ".".
func plain(s string) bool {
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r == '_', r == '-', r == '.':
		default:
			return false
		}
	}
	return s != ""
}
