package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	zarrhttp "github.com/zargo-io/zargo/zarr/store/http"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// TestStore checks that a store whose verbs are requests to a server honours the contract of a store.
func TestStore(t *testing.T) {
	for name, below := range map[string]func(t *testing.T) store.Store{
		"memory":    func(*testing.T) store.Store { return mem.New() },
		"directory": func(t *testing.T) store.Store { return dir.New(t.TempDir()) },
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) store.Store {
				base := start(t, serve.Options{Writable: true}, serve.Dataset{ID: "d", Store: below(t)}) + "/datasets/d/zarr/"
				st := must(zarrhttp.Open(t.Context(), base, zarrhttp.Retry(retry.Tries(1)), zarrhttp.Transport(strict{})))
				t.Cleanup(func() { _ = st.Close() })
				return &remote{st, base}
			}, storetest.Keys(100), storetest.Rounds(2))
		})
	}
}

// strict is the transport of a client for which a redirection to a list is the absence of a value.
type strict struct{}

func (strict) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusTemporaryRedirect {
		resp.StatusCode = http.StatusNotFound
	}
	return resp, err
}

// remote is a store of values that a server serves. Reads are those of package http.
type remote struct {
	store.Store
	base string
}

func (s *remote) do(ctx context.Context, method, key string, body []byte, condition, tag string) (status int, etag string, _ error) {
	req := must(http.NewRequestWithContext(ctx, method, s.base+(&url.URL{Path: key}).EscapedPath(), bytes.NewReader(body)))
	req.Header.Set(condition, tag)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("ETag"), nil
}

// change sends a change, on condition of the present version if the caller has no condition.
func (s *remote) change(ctx context.Context, method, key string, body []byte, absent bool, version store.Version) (store.Version, error) {
	for {
		condition, tag := "If-Match", string(version)
		if absent {
			condition, tag = "If-None-Match", "*"
		}
		if !absent && version == "" {
			status, etag, err := s.do(ctx, "HEAD", key, nil, "Accept", "*/*")
			switch {
			case err != nil:
				return "", err
			case status == http.StatusOK:
				tag = etag
			case method == http.MethodDelete:
				return "", errorOf(status, false, false)
			default:
				condition, tag = "If-None-Match", "*"
			}
		}
		status, etag, err := s.do(ctx, method, key, body, condition, tag)
		if err != nil {
			return "", err
		}
		if status != http.StatusPreconditionFailed || absent || version != "" {
			return store.Version(etag), errorOf(status, absent, true)
		}
	}
}

// errorOf returns the error of a status.
func errorOf(status int, absent, change bool) error {
	switch {
	case status < 300, status == http.StatusNotFound && !change:
		return nil
	case status == http.StatusPreconditionFailed && absent:
		return fault.Exists
	case status == http.StatusPreconditionFailed:
		return fault.Conflict
	case status == http.StatusBadRequest:
		return fault.Path
	case status == http.StatusForbidden:
		return fault.Refused
	}
	return fault.Newf(fault.Unavailable, "status %d", status)
}

func (s *remote) fail(op, key string, err error) error {
	if err == nil {
		return nil
	}
	return &fault.KeyError{Op: op, Store: s.base, Key: key, Err: err}
}

func (s *remote) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if err := store.CheckKey(key); err != nil {
		return "", s.fail("put", key, err)
	}
	if o.IfAbsent && o.IfVersion != "" {
		return "", s.fail("put", key, fault.Selection)
	}
	v, err := s.change(ctx, http.MethodPut, key, value, o.IfAbsent, o.IfVersion)
	return v, s.fail("put", key, err)
}

func (s *remote) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if err := store.CheckKey(key); err != nil {
		return s.fail("delete", key, err)
	}
	_, err := s.change(ctx, http.MethodDelete, key, nil, false, o.IfVersion)
	return s.fail("delete", key, err)
}

func (s *remote) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		all, err := s.list(ctx, prefix, o)
		if err != nil {
			yield(store.Entry{}, s.fail("list", prefix, err))
			return
		}
		for _, e := range all {
			if o.Match(prefix, e) && !yield(e, nil) {
				return
			}
		}
	}
}

func (s *remote) list(ctx context.Context, prefix string, o store.ListOptions) (all []store.Entry, _ error) {
	if err := o.Check(prefix); err != nil {
		return nil, err
	}
	if slash := strings.LastIndexByte(o.KeyPrefix, '/'); o.Depth == store.OneLevel && slash >= 0 {
		prefix, o.StartAfter = strings.Trim(prefix+"/"+o.KeyPrefix[:slash], "/"), ""
	}
	q := url.Values{"list": {map[store.Depth]string{store.OneLevel: "level"}[o.Depth]}, "prefix": {prefix}}
	if o.StartAfter != "" {
		q.Set("after", strings.TrimPrefix(prefix+"/"+o.StartAfter, "/"))
	}
	req := must(http.NewRequestWithContext(ctx, "GET", s.base+"?"+q.Encode(), nil))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil, errors.Join(err, fault.Newf(fault.Unavailable, "%s: %s", resp.Status, b))
	}
	var rows []struct {
		Key, Prefix, ETag string
		Size              int64
	}
	err = json.Unmarshal(b, &rows)
	for _, r := range rows {
		all = append(all, store.Entry{Key: r.Key + strings.TrimSuffix(r.Prefix, "/"), Size: r.Size, Version: store.Version(r.ETag), Dir: r.Prefix != ""})
	}
	return all, err
}

func (s *remote) String() string { return fmt.Sprint("remote ", s.base) }
