package serve

import (
	"bufio"
	"encoding/json"
	"html"
	"net/http"
	"path"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// listed is an entry of a listing as JSON: a key, or the prefix of longer keys.
type listed struct {
	Key    string `json:"key,omitempty"`
	Prefix string `json:"prefix,omitempty"`
	Size   *int64 `json:"size,omitempty"` // absent if the listing of the store lacks it
	ETag   string `json:"etag,omitempty"`
}

// listJSON sends the entries below a base as a JSON list with one entry a line. The query has the
// parameters of store.ListOptions. Its keys, and those of the list, are relative to the base:
//
//	list    "" lists all keys, "level" the next level
//	prefix  the keys start with this prefix and a slash
//	after   the keys follow this one in the order of bytes
//
// The list is sent while it is read. If the store fails, the body ends early, without the closing
// bracket, and the connection is closed.
func listJSON(c *call, base string) error {
	w, r := c.w, c.Request
	q := r.URL.Query()
	prefix := strings.TrimSuffix(q.Get("prefix"), "/")
	o := store.ListOptions{}
	switch q.Get("list") {
	case "":
	case "level":
		o.Depth = store.OneLevel
	default:
		return refuse(http.StatusBadRequest, "list is neither empty nor level")
	}
	if after := q.Get("after"); after != "" {
		var ok bool
		if o.StartAfter, ok = below(prefix, after); !ok {
			return refuse(http.StatusBadRequest, "after does not start with the prefix")
		}
	}
	if o.Check(prefix) != nil || o.Check(joined(base, prefix)) != nil {
		return refuse(http.StatusBadRequest, "the prefix is invalid")
	}
	w.Header().Set("Content-Type", "application/json")
	out := bufio.NewWriterSize(w, 32<<10)
	between := "[\n"
	err := entries(c, joined(base, prefix), o, func(e store.Entry) error {
		e.Key, _ = below(base, e.Key)
		row := listed{Key: e.Key, ETag: tagOf(e.Version)}
		if e.Size >= 0 {
			row.Size = &e.Size
		}
		if e.Dir {
			row = listed{Prefix: e.Key + "/"}
		}
		b, err := json.Marshal(row)
		_, _ = out.WriteString(between) // Flush returns the error
		_, _ = out.Write(b)
		between = ",\n"
		return err
	})
	if err != nil || r.Method == http.MethodHead {
		return err
	}
	if between == "[\n" {
		_, _ = out.WriteString("[")
	}
	_, _ = out.WriteString("\n]\n")
	return out.Flush()
}

// joined is the reverse of below.
func joined(prefix, key string) string {
	if prefix == "" || key == "" {
		return prefix + key
	}
	return prefix + "/" + key
}

// below returns the part of a key below a prefix.
func below(prefix, key string) (string, bool) {
	if prefix == "" {
		return key, true
	}
	return strings.CutPrefix(key, prefix+"/")
}

// listHTML sends the members of a prefix as a page of links, which browsers and fsspec understand.
func listHTML(c *call, prefix string) error {
	w, r := c.w, c.Request
	o := store.ListOptions{Depth: store.OneLevel}
	if o.Check(prefix) != nil {
		return refuse(http.StatusBadRequest, "the prefix is invalid")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	out := bufio.NewWriterSize(w, 32<<10)
	_, _ = out.WriteString("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>Index</title>\n")
	found := false
	err := entries(c, prefix, o, func(e store.Entry) error {
		found = true
		name, href := path.Base(e.Key), segment(path.Base(e.Key))
		if e.Dir {
			name, href = name+"/", href+"/"
		}
		_, err := out.WriteString("<a href=\"" + html.EscapeString(href) + "\">" + html.EscapeString(name) + "</a><br>\n")
		return err
	})
	switch {
	case err != nil:
		return err
	case !found && prefix != "":
		return refuse(http.StatusNotFound, "there are no keys below the prefix")
	case r.Method == http.MethodHead:
		return nil
	}
	return out.Flush()
}

// entries calls f for each entry of a listing. Nothing is sent before the first entry or the end.
func entries(c *call, prefix string, o store.ListOptions, f func(store.Entry) error) error {
	w, r := c.w, c.Request
	w.Header().Set("Cache-Control", "no-cache")
	for e, err := range store.Pages(r.Context(), c.src.values, prefix, o) {
		if err == nil && r.Method != http.MethodHead {
			err = f(e)
		}
		if err != nil {
			return err
		}
		if r.Method == http.MethodHead {
			break
		}
	}
	return nil
}
