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

// deleteBatch is GCS's limit of requests per batch. Each request of a batch counts separately for
// rate limits and prices. Source: Cloud Storage, "Batch requests".
const deleteBatch = 100

// batches sends batch requests: multipart requests whose parts are HTTP requests. The SDK does not
// support them. Source: JSON API, "Batch requests".
type batches struct {
	client  *http.Client // nil if batches are not supported
	url     string
	bucket  string
	project string // billed project, or ""
	refused atomic.Bool
}

func (b *batches) init(c *config) {
	b.client, b.bucket, b.project = c.sender, c.bucket, c.userProject
	b.url = cmp.Or(c.endpoint, "https://storage."+cmp.Or(c.universe, defaultUniverse)) + "/batch/storage/v1"
}

// deleteAll sends batches of up to 100 deletes. A server that rejects a whole batch may lack the
// batch API. In that case this call and all later calls return errors.ErrUnsupported. The caller
// then deletes the keys one by one and gets the error of each key.
func (b *bucket) deleteAll(ctx context.Context, keys []string) (string, error) {
	if b.batches.client == nil || b.batches.refused.Load() {
		return "", errors.ErrUnsupported
	}
	return provider.Batches(keys, deleteBatch, func(keys []string) (left []string, err error) {
		err = b.renewed(func() error { left, err = b.deleteSome(ctx, keys); return err })
		return left, err
	})
}

// deleteSome sends one batch. It returns the keys that were not deleted and the error of the first
// of them.
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
		return keys, fault.Newf(errors.ErrUnsupported, "the response to a batch has status %d", resp.StatusCode)
	default:
		return keys, settled(x.explain(&googleapi.Error{Code: resp.StatusCode, Header: resp.Header}, false))
	}
	why := provider.Unmentioned(len(keys), foreign)
	if err := b.outcomes(resp, why); err != nil {
		return keys, err
	}
	for i, err := range why {
		if why[i] = b.absent(whole, keys[i], err); errors.Is(why[i], fault.NotFound) {
			why[i] = nil
		}
	}
	return provider.Left(keys, why)
}

// request builds a batch with one part per key. The Content-ID of a part contains the key's index.
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

// outcomes sets why[i] to the outcome of key i, which is nil if the key was deleted.
func (b *bucket) outcomes(resp *http.Response, why []error) error {
	kind, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/mixed" || params["boundary"] == "" {
		return foreign("it is not a response to a batch")
	}
	parts := multipart.NewReader(resp.Body, params["boundary"])
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.Newf(fault.Unavailable, "truncated response: %w", provider.Cause(err))
		}
		i, ok := numbered(part.Header.Get("Content-Id"), len(why))
		if !ok {
			return foreign("it has a part for a key that is not in the batch")
		}
		why[i] = b.outcome(part)
	}
}

// numbered parses the index of a key in a part's Content-ID, such as "<response-key+7>".
func numbered(id string, keys int) (int, bool) {
	_, number, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(id), ">"), "+")
	n, err := strconv.Atoi(number)
	return n, ok && err == nil && n >= 0 && n < keys
}

// outcome returns the error of one part of a batch response, or nil if the key was deleted.
func (b *bucket) outcome(part io.Reader) error {
	x := b.exchange()
	x.sent, x.writes = 1, true
	resp, err := readResponse(part)
	if err != nil {
		return foreign("it has a part that is not an HTTP response")
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusOK {
		return nil
	}
	x.status, x.header = resp.StatusCode, resp.Header
	if x.body, err = io.ReadAll(io.LimitReader(resp.Body, provider.MaxError)); err != nil {
		return foreign("it has a truncated part")
	}
	return x.explain(&googleapi.Error{Code: x.status, Header: x.header, Body: string(x.body)}, false)
}

// readResponse reads a response without a body, which may lack the empty line after its header.
func readResponse(r io.Reader) (*http.Response, error) {
	return http.ReadResponse(bufio.NewReader(io.MultiReader(r, strings.NewReader("\r\n\r\n"))), &http.Request{Method: http.MethodDelete})
}
