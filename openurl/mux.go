package openurl

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/http"
)

// Opener opens the store whose root is l. Locations inside an archive are not passed to an Opener:
// the Mux opens the archive itself.
type Opener func(ctx context.Context, l Location) (store.Store, error)

// Mux maps each scheme to its Opener. The Opener of "file" also opens paths. A Mux is an ordinary
// map, to which a program may add schemes.
type Mux map[string]Opener

// Builtin returns a Mux for the schemes that need no SDK: paths and file://, mem://, http:// and
// https://. Each call returns a new Mux, with separate stores in memory. A program adds the
// providers that it needs:
//
//	stores := openurl.Builtin()
//	stores["s3"] = openurl.With(s3.Open)
func Builtin() Mux {
	web := With(http.Open)
	return Mux{"file": Dir(), "mem": Mem(), "http": web, "https": web}
}

// With returns an Opener that calls a provider's Open with opts for every URL. Options override the
// parameters of the URL.
//
//	openurl.With(s3.Open, s3.MaxInFlight(16))
func With[O any](open func(ctx context.Context, url string, opts ...O) (store.Store, error), opts ...O) Opener {
	return func(ctx context.Context, l Location) (store.Store, error) { return open(ctx, l.URL(), opts...) }
}

// Open opens the store whose root is the path or URL text. The provider determines which requests
// Open sends, and whether a missing bucket is an error of Open or of a later call. For a zip
// archive, Open reads the central directory.
func (m Mux) Open(ctx context.Context, text string) (store.Store, error) {
	l, err := m.Parse(text)
	if err != nil {
		return nil, err
	}
	return m.OpenLocation(ctx, l)
}

// Parse is like the function [Parse], but also rejects locations that m cannot open.
func (m Mux) Parse(text string) (Location, error) {
	l, err := Parse(text)
	if err == nil {
		err = m.check(text, l)
	}
	return l, err
}

// Schemes returns the schemes of m, sorted.
func (m Mux) Schemes() []string { return slices.Sorted(maps.Keys(m)) }

func (m Mux) check(text string, l Location) error {
	if len(l.Inside) > 1 || len(l.Inside) == 1 && !strings.HasPrefix(l.Inside[0], "zip:") {
		scheme, _, _ := strings.Cut(l.Inside[len(l.Inside)-1], ":")
		return fault.Newf(errors.ErrUnsupported, "%q is not supported: a URL may contain only one zip archive", "|"+scheme+":")
	}
	if m.opener(l) == nil {
		return fault.Newf(errors.ErrUnsupported, "the scheme must be one of %s, is %q", m.known(), l.Scheme)
	}
	if l.Scheme != "file" {
		return nil
	}
	scheme, _, ok := strings.Cut(text, ":")
	if scheme = strings.ToLower(scheme); ok && scheme != "file" && m[scheme] != nil {
		return syntax("a URL of this scheme must start with %s://, a path with this name must start with ./%s:", scheme, scheme)
	}
	return nil
}

// known returns the list of schemes for an error message.
func (m Mux) known() string {
	var known []string
	for _, s := range m.Schemes() {
		if s == "file" {
			s = "a path, file"
		}
		known = append(known, s)
	}
	return strings.Join(known, ", ")
}

// OpenLocation opens the store whose root is l.
func (m Mux) OpenLocation(ctx context.Context, l Location) (store.Store, error) {
	if err := m.check("", l); err != nil {
		return nil, err
	}
	if len(l.Inside) > 0 {
		return m.openArchive(ctx, l)
	}
	return m.opener(l)(ctx, l)
}

// opener returns the Opener for l, or nil. For an https URL of an Azure account it returns the
// Opener of azblob if the URL has a SAS token or if m lacks https, because azblob can list, and can
// write if the token permits it. Other https URLs of Azure may be public, and https reads them
// without credentials.
func (m Mux) opener(l Location) Opener {
	if o := m["azblob"]; o != nil && l.Scheme == "https" {
		if _, _, ok := azure(l.Host); ok && (m["https"] == nil || l.signed()) {
			return o
		}
	}
	return m[l.Scheme]
}
