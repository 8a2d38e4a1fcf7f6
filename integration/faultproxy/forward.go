package faultproxy

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// forward sends the request to the target and the response to the client.
func (x *exchange) forward(f Fault) error {
	ctx, cancel := x.context()
	defer cancel()
	out := x.r.WithContext(ctx)
	out.URL = x.toTarget()
	if x.cfg.RewriteHost {
		out.Host = out.URL.Host
	}
	out.RequestURI = ""
	out.Header = endToEnd(x.r.Header)
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header["User-Agent"] = nil // prevents net/http from adding its own
	}
	out.Close = false
	out.Body = http.NoBody
	if x.r.ContentLength != 0 {
		body := x.body()
		defer body.Close() //nolint:errcheck // this is the server's request body; an early response leaves the rest unread
		out.Body = body
	}
	resp, err := x.p.server.RoundTrip(out)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return x.answer(Fault{Status: http.StatusBadGateway, ContentType: "text/plain", Body: "faultproxy: " + err.Error() + "\n"})
	}
	defer resp.Body.Close() //nolint:errcheck // the body is read to its end or abandoned
	if f.Kind == Lost {
		x.p.count.fault(x.ticket, f.Kind)
		_, _ = io.Copy(io.Discard, resp.Body) // the response is discarded
		return errReset
	}
	return x.back(resp, f)
}

// back sends the response of the target to the client.
func (x *exchange) back(resp *http.Response, f Fault) error {
	h := x.w.Header()
	maps.Copy(h, endToEnd(resp.Header))
	for _, k := range []string{"Content-Type", "Date"} {
		if _, ok := h[k]; !ok {
			h[k] = nil // prevents net/http from adding its own
		}
	}
	body := io.Reader(resp.Body)
	cut := int64(-1)
	if f.Kind == Truncate && x.r.Method != http.MethodHead && resp.ContentLength != 0 {
		var err error
		if body, cut, err = cutAt(body, resp.ContentLength, f.After); err != nil {
			return err
		}
	}
	if cut >= 0 {
		x.p.count.fault(x.ticket, f.Kind)
		body = io.LimitReader(body, cut)
	}
	if f.Kind == Corrupt && x.r.Method != http.MethodHead && resp.ContentLength > 0 {
		x.p.count.fault(x.ticket, f.Kind)
		body = &corrupted{body, resp.ContentLength / 2}
	}
	x.start(resp.StatusCode)
	body = &paced{r: body, p: x.p, ctx: x.r.Context(), bps: x.cfg.ReadBPS}
	if cut >= 0 {
		if _, err := io.Copy(counted{x}, body); err != nil {
			return err
		}
		return errCut
	}
	if _, err := io.Copy(writer{x}, body); err != nil {
		return err
	}
	return x.finish()
}

// cutAt returns the number of bytes after which a body is truncated, or -1 for an empty body. size
// is the declared length of the body, or -1 if no length was declared. In the latter case cutAt
// reads a part of the body.
func cutAt(body io.Reader, size, after int64) (io.Reader, int64, error) {
	if size < 0 { // half of the body, or of its first 64 KiB
		head, err := io.ReadAll(io.LimitReader(body, 64<<10))
		if err != nil || len(head) == 0 {
			return body, -1, err
		}
		size = int64(len(head))
		body = io.MultiReader(strings.NewReader(string(head)), body)
	}
	switch {
	case after < 0:
		return body, 0, nil
	case after == 0:
		return body, size / 2, nil
	}
	return body, min(after, size-1), nil
}

// toTarget returns the URL of the request at the target, with path and query unchanged.
func (x *exchange) toTarget() *url.URL {
	u := *x.r.URL
	u.Scheme, u.Host = x.p.target.Scheme, x.p.target.Host
	return &u
}

// endToEnd copies a header without its hop-by-hop fields.
func endToEnd(h http.Header) http.Header {
	out := h.Clone()
	for _, v := range h["Connection"] {
		for name := range strings.SplitSeq(v, ",") {
			out.Del(strings.TrimSpace(name))
		}
	}
	for _, k := range []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"} {
		out.Del(k)
	}
	return out
}
