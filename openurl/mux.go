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

// Opener opens the store whose root is a place. It is not asked for places inside of an archive.
type Opener func(ctx context.Context, l Location) (store.Store, error)

// Mux says what opens the URLs of each scheme; "file" is for paths too. It is a value: make one,
// add to it, pass it on.
type Mux map[string]Opener

// Builtin opens what needs no SDK: paths and file://, mem://, http:// and https://. It makes a new
// Mux, with a new set of stores in memory, at each call; providers are added to it:
//
//	stores := openurl.Builtin()
//	stores["s3"] = openurl.With(s3.Open)
func Builtin() Mux {
	web := With(http.Open)
	return Mux{"file": Dir(), "mem": Mem(), "http": web, "https": web}
}

// With is the Opener that a provider's Open is, with options that hold for all URLs. Options win
// over the parameters of a URL.
//
//	openurl.With(s3.Open, s3.MaxInFlight(16))
func With[O any](open func(ctx context.Context, url string, opts ...O) (store.Store, error), opts ...O) Opener {
	return func(ctx context.Context, l Location) (store.Store, error) { return open(ctx, l.URL(), opts...) }
}

// Open opens the store whose root is what the text names, a path or a URL. What can be asked for
// before that, and whether a missing bucket shows now or later, is up to the provider; a zip
// archive's directory is read.
func (m Mux) Open(ctx context.Context, text string) (store.Store, error) {
	l, err := m.Parse(text)
	if err != nil {
		return nil, err
	}
	return m.OpenLocation(ctx, l)
}

// Parse reads a path or a URL as [Parse] does, and refuses what m does not open.
func (m Mux) Parse(text string) (Location, error) {
	l, err := Parse(text)
	if err == nil {
		err = m.check(text, l)
	}
	return l, err
}

// Schemes are those that m opens, sorted.
func (m Mux) Schemes() []string { return slices.Sorted(maps.Keys(m)) }

func (m Mux) check(text string, l Location) error {
	if len(l.Inside) > 1 || len(l.Inside) == 1 && !strings.HasPrefix(l.Inside[0], "zip:") {
		scheme, _, _ := strings.Cut(l.Inside[len(l.Inside)-1], ":")
		return fault.Newf(errors.ErrUnsupported, "%q: what can be opened inside a file is one zip archive", "|"+scheme+":")
	}
	if m.opener(l) == nil {
		return fault.Newf(errors.ErrUnsupported, "scheme %q; what can be opened is %s", l.Scheme, m.known())
	}
	if l.Scheme != "file" {
		return nil
	}
	scheme, _, ok := strings.Cut(text, ":")
	if scheme = strings.ToLower(scheme); ok && scheme != "file" && m[scheme] != nil {
		return syntax("a URL of this scheme begins with %s://; a path of this name is written ./%s:", scheme, scheme)
	}
	return nil
}

// known names the schemes for a message.
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

// OpenLocation opens the store whose root is the place.
func (m Mux) OpenLocation(ctx context.Context, l Location) (store.Store, error) {
	if err := m.check("", l); err != nil {
		return nil, err
	}
	if len(l.Inside) > 0 {
		return m.openArchive(ctx, l)
	}
	return m.opener(l)(ctx, l)
}

// opener opens a place. What is signed for Azure by a SAS token in an https URL is Azure's: there
// it can be listed, and written where the token says so. Without one it may be public, and a web
// server's URL to read without credentials.
func (m Mux) opener(l Location) Opener {
	if o := m["azblob"]; o != nil && l.Scheme == "https" {
		if _, _, ok := azure(l.Host); ok && (m["https"] == nil || l.signed()) {
			return o
		}
	}
	return m[l.Scheme]
}
