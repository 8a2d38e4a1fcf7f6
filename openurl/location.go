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

// Location is a parsed path or URL: a place in some store.
type Location struct {
	Scheme string   // in lower case: "s3", "gs", "azblob", "https"; "file" for paths too
	Host   string   // the bucket, the container, the web server, or the name of a store in memory; "" for files
	Path   string   // for files a path of the operating system, else a key without slashes at its ends; "" is the root
	Query  string   // the parameters, still escaped, without "?"
	Inside []string // what follows each "|", such as "zip:inner/path"
}

// SyntaxError is a text that is no URL, or one with parts that its scheme does not have.
type SyntaxError struct {
	Text string // what is wrong; never the URL itself, which may hold a password
}

func (e *SyntaxError) Error() string { return e.Text }

func syntax(format string, args ...any) error { return &SyntaxError{fmt.Sprintf(format, args...)} }

// Parse reads a path or a URL of any scheme. Paths are those of the operating system it runs on.
// The forms of other tools become those of this module:
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

// cutInside splits off what follows each "|" that a scheme and a colon come after; any other "|"
// belongs to a path.
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

// cutScheme splits "scheme://rest", and "file:rest", which RFC 8089 allows too. A scheme has two
// letters at least, so that C: is a drive.
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

// isScheme follows RFC 3986 section 3.1, but for its length.
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

// parseFile reads what follows "file://" or "file:".
func parseFile(rest string, windows bool) (Location, error) {
	if host, _, _ := strings.Cut(rest, "/"); host != "" {
		if host != "localhost" {
			return Location{Scheme: "file"}, syntax("a file URL is file:///path; it names no host")
		}
		rest = rest[len(host):]
	}
	if strings.ContainsAny(rest, "?#") {
		return Location{Scheme: "file"}, syntax("a file URL has no parameters; %%3F and %%23 stand for ? and #")
	}
	path, err := unescape(rest)
	if err != nil {
		return Location{Scheme: "file"}, err
	}
	if path == "" {
		return Location{Scheme: "file"}, syntax("a file URL is file:///path")
	}
	l := Location{Scheme: "file", Path: path}
	if windows && len(path) > 2 && path[2] == ':' {
		l.Path = path[1:] // /C:/data
	}
	for seg := range strings.SplitSeq(path, "/") {
		if seg == ".." {
			return l, fault.Newf(fault.Path, "the URL's path %q has a segment %q", path, seg)
		}
	}
	return l, checkFile(path, windows)
}

// checkFile refuses names that no key can have below it: a back slash, except where it separates
// folders, and control characters.
func checkFile(path string, windows bool) error {
	if !utf8.ValidString(path) {
		return fault.Newf(fault.Path, "path %q is not UTF-8", path)
	}
	for _, r := range path {
		if r < 0x20 || r == 0x7f || r == '\\' && !windows {
			return fault.Newf(fault.Path, "path %q holds %q", path, r)
		}
	}
	return nil
}

// parseKey reads what follows "scheme://".
func parseKey(scheme, rest string) (Location, error) {
	l := Location{Scheme: scheme}
	rest, l.Query, _ = strings.Cut(rest, "?")
	if strings.Contains(rest, "#") {
		return l, syntax(`%%23 stands for "#" in a URL's path`)
	}
	var path string
	l.Host, path, _ = strings.Cut(withColons(rest), "/")
	if i := strings.LastIndexByte(l.Host, '@'); i >= 0 {
		l.Host = l.Host[i+1:]
		return l, syntax("the URL holds a user or a password: credentials come from the environment or a profile")
	}
	if i := strings.IndexFunc(l.Host, notHost); i >= 0 {
		l.Host = ""
		return l, syntax("the URL's bucket or host holds a character that none can have")
	}
	if l.Host == "" && scheme != "mem" {
		return l, syntax("the URL names no bucket or host")
	}
	key, err := unescape(path)
	if err != nil {
		return l, err
	}
	l.Path = strings.Trim(key, "/")
	return l, store.CheckPrefix(l.Path)
}

// withColons writes the ARN of an S3 access point that rest begins with as one bucket: AWS takes
// "accesspoint:name" for "accesspoint/name", and the same on Outposts.
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

// notHost tells whether a character is in no bucket's, host's or account's name, nor in a port or
// an IPv6 address.
func notHost(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_~:[]", r))
}

func unescape(path string) (string, error) {
	p, err := url.PathUnescape(path)
	if err != nil {
		return "", syntax("the URL's path has a %% that two hexadecimal digits do not follow")
	}
	return p, nil
}

// URL is the whole URL, parameters included, for a provider's Open: it may hold secrets. A file's
// is its path.
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

// String names the place for messages, without its parameters.
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

// At is another place in the same store.
func (l Location) At(path string) Location {
	l.Path = path
	return l
}

// Parent is the folder or prefix that the place is in; ok is false for a root. A relative path has
// those of its directories that it names, and then ".".
func (l Location) Parent() (parent Location, ok bool) {
	if l.Scheme == "file" {
		up := filepath.Dir(l.Path)
		return l.At(up), up != l.Path
	}
	return l.At(l.Path[:max(strings.LastIndexByte(l.Path, '/'), 0)]), l.Path != ""
}
