package serve

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// The maximum lengths of a path and a query. A path has an ID and a key of at most store.MaxKey
// bytes, each escaped in up to three.
const (
	maxPath  = 8 << 10
	maxQuery = 8 << 10
)

// checkRequest returns an error for a request that no endpoint accepts.
func checkRequest(r *http.Request, methods, hosts []string) error {
	if len(hosts) > 0 && !slices.Contains(hosts, hostOf(r.Host)) {
		return refuse(http.StatusMisdirectedRequest, "the server has another name")
	}
	if !slices.Contains(methods, r.Method) {
		return notAllowed(methods...)
	}
	return checkTarget(r.URL)
}

func hostOf(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// checkTarget returns an error for a path that is too long, or that could mean another path after
// decoding: with empty segments or dots, or with an escaped slash, a backslash or U+0000.
func checkTarget(u *url.URL) error {
	if len(u.EscapedPath()) > maxPath || len(u.RawQuery) > maxQuery {
		return refuse(http.StatusRequestURITooLong, "the path or the query is too long")
	}
	path, ok := strings.CutPrefix(u.Path, "/")
	escaped := strings.ToLower(u.EscapedPath())
	if !ok || !utf8.ValidString(path) || strings.ContainsAny(path, "\\\x00") || strings.Contains(escaped, "%2f") {
		return refuse(http.StatusBadRequest, "the path is invalid")
	}
	for i, seg := range strings.Split(path, "/") {
		last := len(path) == 0 || strings.HasSuffix(path, "/") && i == strings.Count(path, "/")
		if seg == "." || seg == ".." || seg == "" && !last {
			return refuse(http.StatusBadRequest, "the path has an invalid segment")
		}
	}
	return nil
}

// segment escapes a segment of a path for a relative link.
func segment(name string) string {
	s := url.PathEscape(name)
	if strings.Contains(s, ":") { // else it would begin with a scheme
		return "./" + s
	}
	return s
}
