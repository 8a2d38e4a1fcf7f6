package gcs

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"google.golang.org/api/googleapi"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// deleteBatch is GCS's limit for one batch. Source: Cloud Storage, "Batch requests". Each call in
// it counts by itself for rates and prices.
const deleteBatch = 100

// batches sends requests that hold many: the SDK has none. They are HTTP requests in parts of one:
// JSON API, "Batch requests".
type batches struct {
	client  *http.Client // nil: there are none
	url     string
	bucket  string
	project string // that is billed, or ""
	refused atomic.Bool
}

func (b *batches) init(c *config) {
	b.client, b.bucket, b.project = c.sender, c.bucket, c.userProject
	b.url = cmp.Or(c.endpoint, "https://storage."+cmp.Or(c.universe, defaultUniverse)) + "/batch/storage/v1"
}

// deleteAll sends batches of up to 100 deletes. Where one is refused as a whole it is
// errors.ErrUnsupported, then and from now on: a server may lack batches, and the errors of single
// deletes are each key's own.
func (b *bucket) deleteAll(ctx context.Context, keys []string) (string, error) {
	if b.batches.client == nil || b.batches.refused.Load() {
		return "", errors.ErrUnsupported
	}
	return provider.Batches(keys, deleteBatch, func(keys []string) (left []string, err error) {
		err = b.renewed(func() error { left, err = b.deleteSome(ctx, keys); return err })
		return left, err
	})
}

// deleteSome is one batch. It gives the keys that are left, and why the first of them is.
func (b *bucket) deleteSome(ctx context.Context, keys []string) (rest []string, _ error) {
	whole := ctx
	ctx, cancel := context.WithCancel(provider.SlowAnswer(ctx))
	defer cancel()
	x := b.exchange()
	x.writes = true
	req, err := b.batches.request(x.under(ctx), b.prefix, keys)
	if err != nil {
		return keys, err
	}
	resp, err := b.batches.client.Do(req)
	if err != nil {
		return keys, x.explain(err, false)
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		b.batches.refused.Store(true)
		return keys, fault.Newf(errors.ErrUnsupported, "a batch is answered with %d", resp.StatusCode)
	default:
		return keys, settled(x.explain(&googleapi.Error{Code: resp.StatusCode, Header: resp.Header}, false))
	}
	why := provider.Unmentioned(len(keys), foreign)
	if err := b.answers(resp, why); err != nil {
		return keys, err
	}
	for i, err := range why {
		if why[i] = b.absent(whole, keys[i], err); errors.Is(why[i], fault.NotFound) {
			why[i] = nil
		}
	}
	return provider.Left(keys, why)
}

// request makes a batch: one part for each key, with its number.
func (b *batches) request(ctx context.Context, prefix string, keys []string) (*http.Request, error) {
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	query := ""
	if b.project != "" {
		query = "?userProject=" + url.QueryEscape(b.project)
	}
	for i, k := range keys {
		w, err := parts.CreatePart(textproto.MIMEHeader{
			"Content-Type": {"application/http"}, "Content-Transfer-Encoding": {"binary"}, "Content-Id": {fmt.Sprintf("<key+%d>", i)},
		})
		if err == nil {
			_, err = fmt.Fprintf(w, "DELETE /storage/v1/b/%s/o/%s%s HTTP/1.1\r\n\r\n", url.PathEscape(b.bucket), url.PathEscape(prefix+k), query)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := parts.Close(); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url, &body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "multipart/mixed; boundary="+parts.Boundary())
	return req, nil
}

// answers reads what became of each key into why: nil where it is gone.
func (b *bucket) answers(resp *http.Response, why []error) error {
	kind, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/mixed" || params["boundary"] == "" {
		return foreign("it is no answer to a batch")
	}
	parts := multipart.NewReader(resp.Body, params["boundary"])
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.Newf(fault.Unavailable, "not all of an answer: %w", provider.Cause(err))
		}
		i, ok := numbered(part.Header.Get("Content-Id"), len(why))
		if !ok {
			return foreign("a part of it is about none of the keys")
		}
		why[i] = b.answer(part)
	}
}

// numbered reads the number of a key out of a part's: "<response-key+7>".
func numbered(id string, keys int) (int, bool) {
	_, number, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(id), ">"), "+")
	n, err := strconv.Atoi(number)
	return n, ok && err == nil && n >= 0 && n < keys
}

// answer is what became of one key.
func (b *bucket) answer(part io.Reader) error {
	x := b.exchange()
	x.sent, x.writes = 1, true
	resp, err := readResponse(part)
	if err != nil {
		return foreign("a part of it is no HTTP")
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusOK {
		return nil
	}
	x.status, x.header = resp.StatusCode, resp.Header
	if x.body, err = io.ReadAll(io.LimitReader(resp.Body, provider.MaxError)); err != nil {
		return foreign("a part of it is cut")
	}
	return x.explain(&googleapi.Error{Code: x.status, Header: x.header, Body: string(x.body)}, false)
}

// readResponse reads a response that may lack the empty line after its header, where it has no
// body.
func readResponse(r io.Reader) (*http.Response, error) {
	return http.ReadResponse(bufio.NewReader(io.MultiReader(r, strings.NewReader("\r\n\r\n"))), &http.Request{Method: http.MethodDelete})
}
