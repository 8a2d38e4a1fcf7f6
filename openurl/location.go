package openurl

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Location is a parsed path or URL.
type Location struct {
	Scheme string // in lower case: "s3", "gs", "azblob", "https"; "file" for paths too
	// Host is the bucket, the container, the web server, or the name of a store in memory. It is ""
	// for files.
	Host string
	// Path is, for files, a path of the operating system. For other schemes it is a key without
	// leading and trailing slashes, or "" for the root.
	Path   string
	Query  string   // the parameters, still escaped, without "?"
	Inside []string // the parts after each "|", such as "zip:inner/path"
}

// SyntaxError reports a malformed URL, or a URL with parts that its scheme does not allow.
type SyntaxError struct {
	Text string // the problem; never contains the URL, which may include a password
}

func (e *SyntaxError) Error() string { return e.Text }

func syntax(format string, args ...any) error { return &SyntaxError{fmt.Sprintf(format, args...)} }

// Parse parses a path or a URL of any scheme. Paths have the form of the operating system that the
// program runs on. URL forms of other tools are converted to those of this module:
//
//	gcs://bucket/path                                     gs://bucket/path
//	az://container/path, azure://…, abfs://…              azblob://container/path
//	abfs://container@account.dfs.core.windows.net/path    azblob://container/path?storage_account=account
//	abfss://…, wasb://…, wasbs://…                        the same
func Parse(text string) (Location, error) { return parse(text, runtime.GOOS == "windows") }

func parse(text string, windows bool) (Location, error) {
	if text == "" {
		return Location{}, syntax("the URL is empty")
	}
	outer, inside := cutInside(text)
	var l Location
	var err error
	scheme, rest, isURL := cutScheme(outer)
	switch {
	case !isURL:
		l, err = parsePath(outer, windows)
	case scheme == "file":
		l, err = parseFile(rest, windows)
	default:
		if scheme, rest, err = canonical(scheme, rest); err != nil {
			l.Scheme = scheme
			break
		}
		l, err = parseKey(scheme, rest)
	}
	l.Inside = inside
	return l, err
}

// cutInside splits off the parts after each "|" that is followed by a scheme and a colon. Any other
// "|" belongs to the path.
func cutInside(text string) (outer string, inside []string) {
	parts := strings.Split(text, "|")
	outer = parts[0]
	for _, p := range parts[1:] {
		switch {
		case isInside(p):
			inside = append(inside, p)
		case inside == nil:
			outer += "|" + p
		default:
			inside[len(inside)-1] += "|" + p
		}
	}
	return outer, inside
}

func isInside(p string) bool {
	name, _, ok := strings.Cut(p, ":")
	return ok && isScheme(name)
}

// cutScheme splits "scheme://rest", and "file:rest" as allowed by RFC 8089. A scheme has at least
// two characters, so that "C:" is a drive and not a scheme.
func cutScheme(text string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(text, ":")
	scheme = strings.ToLower(scheme)
	if !ok || !isScheme(scheme) {
		return "", "", false
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		return scheme, after, true
	}
	if scheme == "file" && strings.HasPrefix(rest, "/") {
		return scheme, rest, true
	}
	return "", "", false
}

// isScheme reports whether s is a scheme of at least two characters (RFC 3986, section 3.1).
func isScheme(s string) bool {
	if len(s) < 2 {
		return false
	}
	for i, r := range strings.ToLower(s) {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", r)) {
			return false
		}
	}
	return true
}

func parsePath(text string, windows bool) (Location, error) {
	l := Location{Scheme: "file", Path: text}
	return l, checkFile(text, windows)
}

// parseFile parses the part after "file://" or "file:".
func parseFile(rest string, windows bool) (Location, error) {
	if host, _, _ := strings.Cut(rest, "/"); host != "" {
		if host != "localhost" {
			return Location{Scheme: "file"}, syntax("a file URL must have the form file:///path, without a host")
		}
		rest = rest[len(host):]
	}
	if strings.ContainsAny(rest, "?#") {
		return Location{Scheme: "file"}, syntax("a file URL must not have parameters: write %%3F for ? and %%23 for #")
	}
	path, err := unescape(rest)
	if err != nil {
		return Location{Scheme: "file"}, err
	}
	if path == "" {
		return Location{Scheme: "file"}, syntax("a file URL must have the form file:///path")
	}
	l := Location{Scheme: "file", Path: path}
	if windows && len(path) > 2 && path[2] == ':' {
		l.Path = path[1:] // /C:/data
	}
	for seg := range strings.SplitSeq(path, "/") {
		if seg == ".." {
			return l, fault.Newf(fault.Path, "the path %q of the URL contains the segment %q", path, seg)
		}
	}
	return l, checkFile(path, windows)
}

// checkFile rejects paths with characters that keys cannot contain: U+0000, control characters on
// Windows, and backslashes except as separators on Windows.
func checkFile(path string, windows bool) error {
	if !utf8.ValidString(path) {
		return fault.Newf(fault.Path, "path %q is not UTF-8", path)
	}
	for _, r := range path {
		if r == 0 || r < 0x20 && windows || r == '\\' && !windows {
			return fault.Newf(fault.Path, "path %q contains %q", path, r)
		}
	}
	return nil
}

// parseKey parses the part after "scheme://".
func parseKey(scheme, rest string) (Location, error) {
	l := Location{Scheme: scheme}
	rest, l.Query, _ = strings.Cut(rest, "?")
	if strings.Contains(rest, "#") {
		return l, syntax("the path of a URL must not contain #, write %%23")
	}
	var path string
	l.Host, path, _ = strings.Cut(withColons(rest), "/")
	if i := strings.LastIndexByte(l.Host, '@'); i >= 0 {
		l.Host = l.Host[i+1:]
		return l, syntax("the URL contains a user or a password: set credentials in the environment or a profile")
	}
	if i := strings.IndexFunc(l.Host, notHost); i >= 0 {
		l.Host = ""
		return l, syntax("the bucket or host of the URL contains an invalid character")
	}
	if l.Host == "" && scheme != "mem" {
		return l, syntax("the URL has no bucket or host")
	}
	key, err := unescape(path)
	if err != nil {
		return l, err
	}
	l.Path = strings.Trim(key, "/")
	return l, store.CheckPrefix(l.Path)
}

// withColons replaces the slashes in a leading ARN of an S3 access point by colons, so that the ARN
// parses as one bucket. AWS accepts "accesspoint:name" for "accesspoint/name", and the same for
// Outposts.
func withColons(rest string) string {
	switch head, _, _ := strings.Cut(rest, "/"); {
	case !strings.HasPrefix(head, "arn:"):
	case strings.HasSuffix(head, ":accesspoint"):
		return strings.Replace(rest, "/", ":", 1)
	case strings.HasSuffix(head, ":outpost"):
		return strings.Replace(rest, "/", ":", 3)
	}
	return rest
}

// notHost reports whether r is not allowed in a bucket, host or account name, a port or an IPv6
// address.
func notHost(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_~:[]", r))
}

func unescape(path string) (string, error) {
	p, err := url.PathUnescape(path)
	if err != nil {
		return "", syntax("the path of the URL has a %% without two hexadecimal digits")
	}
	return p, nil
}

// URL returns the complete URL for a provider's Open, including the parameters, which may be
// secret. For a file it returns the path.
func (l Location) URL() string {
	s := l.String()
	if l.Query == "" {
		return s
	}
	outer, inside, _ := strings.Cut(s, "|")
	if inside != "" {
		inside = "|" + inside
	}
	return outer + "?" + l.Query + inside
}

// String returns the URL without parameters, for messages.
func (l Location) String() string {
	s := l.Path
	if l.Scheme != "file" {
		s = l.Scheme + "://" + l.Host
		if l.Path != "" {
			s += (&url.URL{Path: "/" + l.Path}).EscapedPath()
		}
	}
	for _, in := range l.Inside {
		s += "|" + in
	}
	return s
}

// At returns the location of another path in the same store.
func (l Location) At(path string) Location {
	l.Path = path
	return l
}

// Parent returns the directory or prefix that contains l. ok is false for a root. The parent of a
// relative path with one element is ".".
func (l Location) Parent() (parent Location, ok bool) {
	if l.Scheme == "file" {
		up := filepath.Dir(l.Path)
		return l.At(up), up != l.Path
	}
	return l.At(l.Path[:max(strings.LastIndexByte(l.Path, '/'), 0)]), l.Path != ""
}
