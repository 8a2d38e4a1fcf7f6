package provider

import (
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"unicode"
)

type page struct {
	io.ReadCloser
	kept []byte
}

const (
	// maxPage is the number of bytes of a page that are kept for a message.
	maxPage = 4 << 10
	// maxPageText is the number of characters of a page in a message.
	maxPageText = 200
)

var (
	unseen = regexp.MustCompile(`(?is)<(script|style)\b.*?(</(script|style)\s*>|$)|<!--.*?(-->|$)`)
	tags   = regexp.MustCompile(`(?s)<[^>]*(>|$)`)
)

func (p *page) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	p.kept = append(p.kept, b[:min(n, maxPage-len(p.kept))]...)
	return n, err
}

func (p *page) Page() []byte { return p.kept }

// PageText returns the text of a page that a proxy sent instead of the provider, for a message. It
// has no tags and no control characters, and is short. It returns "" if the page has no text.
func PageText(page []byte) string {
	text := string(page[:min(len(page), maxPage)])
	text = tags.ReplaceAllString(unseen.ReplaceAllString(text, " "), " ")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, html.UnescapeString(text))
	short := []rune(strings.Join(strings.Fields(text), " "))
	if len(short) > maxPageText {
		return string(short[:maxPageText]) + "…"
	}
	return string(short)
}

// KeepPage keeps the start of a refusal that is not in a provider's format, for [PageOf]. The body
// of resp is replaced, if its type is one that proxies use.
func KeepPage(resp *http.Response) {
	kind := resp.Header.Get("Content-Type")
	if resp.StatusCode >= 400 && (strings.HasPrefix(kind, "text/html") || strings.HasPrefix(kind, "text/plain")) {
		resp.Body = &page{ReadCloser: resp.Body}
	}
}

// PageOf returns the bytes that were read of a body of KeepPage, or nil.
func PageOf(body io.Closer) []byte {
	if p, ok := body.(interface{ Page() []byte }); ok {
		return p.Page()
	}
	return nil
}
