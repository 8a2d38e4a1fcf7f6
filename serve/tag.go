package serve

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// tagOf returns the strong ETag of a version (RFC 9110, section 8.8.3), or "" for an empty version. A
// version that is a strong ETag is returned unchanged. Other versions are escaped, and marked so that
// versionOf returns them.
func tagOf(v store.Version) string {
	s := string(v)
	if s == "" {
		return ""
	}
	if inner, ok := unquote(s); ok && !strings.HasPrefix(inner, "v:") && !strings.HasPrefix(inner, "g:") {
		return s
	}
	return `"v:` + url.QueryEscape(s) + `"`
}

// versionOf returns the version of an ETag. ok is false for an ETag that tagOf does not return, and
// for one with a control character, which no header of a provider can contain.
func versionOf(tag string) (v store.Version, ok bool) {
	inner, ok := unquote(tag)
	if !ok {
		return "", false
	}
	v = store.Version(tag)
	if escaped, marked := strings.CutPrefix(inner, "v:"); marked {
		s, err := url.QueryUnescape(escaped)
		if err != nil {
			return "", false
		}
		v = store.Version(s)
	}
	for _, r := range v {
		if r < ' ' || r == 0x7f {
			return "", false
		}
	}
	return v, v != "" && tagOf(v) == tag
}

// unquote returns the text between the quotes of a strong ETag.
func unquote(tag string) (string, bool) {
	if len(tag) < 2 || tag[0] != '"' || tag[len(tag)-1] != '"' {
		return "", false
	}
	inner := tag[1 : len(tag)-1]
	for i := range len(inner) {
		if c := inner[i]; c <= ' ' || c == '"' || c == 0x7f {
			return "", false
		}
	}
	return inner, true
}

// tags are the ETags of a header If-Match or If-None-Match.
type tags struct {
	sent bool // the request has the header
	any  bool // it is *
	list []string
	bad  bool // it is malformed
}

// tagsOf parses a header with a list of ETags (RFC 9110, section 13.1). With weak, the mark of weak
// ETags is ignored; otherwise weak ETags are left out, because they never match.
func tagsOf(h http.Header, name string, weak bool) tags {
	text := strings.TrimSpace(strings.Join(h.Values(name), ","))
	t := tags{sent: len(h.Values(name)) > 0}
	if text == "*" {
		t.any = true
		return t
	}
	for rest := text; ; {
		rest = strings.TrimLeft(rest, " \t,")
		if rest == "" {
			t.bad = t.sent && text == ""
			return t
		}
		tag, isWeak := strings.CutPrefix(rest, "W/")
		end := strings.IndexByte(tag[min(1, len(tag)):], '"')
		if !strings.HasPrefix(tag, `"`) || end < 0 {
			t.bad = true
			return t
		}
		if rest = tag[end+2:]; weak || !isWeak {
			t.list = append(t.list, tag[:end+2])
		}
	}
}

// match reports whether the header selects a value with this ETag, which is "" if the store has no
// versions.
func (t tags) match(tag string) bool {
	if t.any {
		return true
	}
	for _, x := range t.list {
		if x == tag && tag != "" {
			return true
		}
	}
	return false
}

// one returns the version of a header that selects exactly one.
func (t tags) one() store.Version {
	if len(t.list) != 1 {
		return ""
	}
	v, _ := versionOf(t.list[0])
	return v
}
