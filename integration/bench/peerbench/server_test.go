package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// bucket serves a store as the bucket "bench" of an S3 server. It implements the requests that
// these tasks need and counts like the server of the benchmark.
type bucket struct {
	of  store.Store
	url string

	mu           sync.Mutex
	ops          map[string]int
	missing      int
	current, max int
}

// serve starts a server that is closed at the end of the test.
func serve(t *testing.T, of store.Store) *bucket {
	b := &bucket{of: of, ops: map[string]int{}}
	srv := httptest.NewServer(b)
	t.Cleanup(srv.Close)
	b.url = srv.URL
	return b
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/__stats" {
		b.stats(w, r.URL.Query().Has("reset"))
		return
	}
	name, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	op := r.Method
	if key == "" {
		op = "LIST"
	}
	b.begin(op)
	defer b.end()
	switch {
	case name != "bench" || r.Header.Get("Authorization") != "":
		w.WriteHeader(http.StatusForbidden)
	case op == "LIST":
		b.list(r.Context(), w, r)
	case op == http.MethodGet:
		b.get(r.Context(), w, key, r.Header.Get("Range"))
	case op == http.MethodPut:
		b.put(w, r, key)
	default:
		w.WriteHeader(http.StatusNotImplemented)
	}
}

func (b *bucket) get(ctx context.Context, w http.ResponseWriter, key, ranged string) {
	v, err := b.of.Get(ctx, key, store.GetOptions{}, nil)
	if errors.Is(err, fault.NotFound) {
		b.mu.Lock()
		b.missing++
		b.mu.Unlock()
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
		return
	}
	body, status, ok := fake.Object{Value: v.Bytes, Range: ranged}.Part(w.Header())
	if err != nil || !ok {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("ETag", `"`+string(v.Version)+`"`)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func (b *bucket) put(w http.ResponseWriter, r *http.Request, key string) {
	value, err := io.ReadAll(r.Body)
	if err != nil || r.Header.Get("Content-Encoding") != "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	version, err := b.of.Put(r.Context(), key, value, store.PutOptions{IfAbsent: r.Header.Get("If-None-Match") == "*"})
	switch {
	case errors.Is(err, fault.Exists):
		w.WriteHeader(http.StatusPreconditionFailed)
	case err != nil:
		w.WriteHeader(http.StatusInternalServerError)
	default:
		w.Header().Set("ETag", `"`+string(version)+`"`)
	}
}

func (b *bucket) list(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	var keys []string
	for e, err := range store.Pages(ctx, b.of, "", store.ListOptions{}) {
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		keys = append(keys, e.Key)
	}
	q := r.URL.Query()
	l := fake.Listing{Prefix: q.Get("prefix"), Delimiter: q.Get("delimiter"), Most: 1000}
	all := map[string]bool{}
	for _, k := range keys {
		all[k] = true
	}
	names, more := l.Page(maps.Keys(all))
	fmt.Fprintf(w, "<ListBucketResult><IsTruncated>%v</IsTruncated>", more)
	for _, n := range names {
		element, inner := "CommonPrefixes", "Prefix"
		if l.IsKey(n) {
			element, inner = "Contents", "Key"
		}
		fmt.Fprintf(w, "<%s><%s>", element, inner)
		_ = xml.EscapeText(w, []byte(n))
		fmt.Fprintf(w, "</%s></%s>", inner, element)
	}
	_, _ = io.WriteString(w, "</ListBucketResult>")
}

func (b *bucket) begin(op string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ops[op]++
	b.current++
	b.max = max(b.max, b.current)
}

func (b *bucket) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.current--
}

func (b *bucket) stats(w http.ResponseWriter, reset bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, m := range b.ops {
		n += m
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"requests": n, "ops": b.ops, "bytes_out": 1000, "bytes_in": 24,
		"max_concurrent": b.max, "connections": 1, "statuses": map[string]int{"404": b.missing}})
	if reset {
		b.ops, b.missing, b.max = map[string]int{}, 0, b.current
	}
}
