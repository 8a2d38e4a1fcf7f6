package gcs

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

const mutation = "The object b/k exceeded the rate limit for object mutation operations (create, update, and delete). Please reduce your request rate."

// race is a bucket with one object. It rejects changes of the object with 429 for some time.
type race struct {
	generation int64 // of the object; 0 means that it is absent
	busy       time.Time
	changes    []time.Duration // times of the requested changes
	start      time.Time
	reads      int
}

func (f *race) change(r *http.Request) (*http.Response, error) {
	gen := fmt.Sprint(f.generation)
	if r.Method == http.MethodGet {
		f.reads++
		switch {
		case f.generation == 0:
			return answers(r, 404, xmlError("NoSuchKey", "m")), nil
		case r.Header.Get("X-Goog-If-Generation-Not-Match") == gen:
			return answers(r, 304, ""), nil
		}
		resp := answers(r, 200, "other")
		resp.Header.Set("X-Goog-Generation", gen)
		return resp, nil
	}
	f.changes = append(f.changes, time.Since(f.start))
	switch want := r.URL.Query(); {
	case time.Now().Before(f.busy):
		return answers(r, 429, jsonError(429, "rateLimitExceeded", mutation)), nil
	case want.Has("ifGenerationMatch") && want.Get("ifGenerationMatch") != gen:
		return answers(r, 412, jsonError(412, "conditionNotMet", "m")), nil
	case r.Method == http.MethodDelete:
		return answers(r, 204, ""), nil
	}
	f.generation++
	return answers(r, 200, fmt.Sprintf(`{"name":"k","generation":"%d"}`, f.generation)), nil
}

// TestObjectMutationRate checks writes that GCS rejects with 429 because several writers compete
// for one object. A conditional write must be a conflict if another writer has won, and must be
// retried otherwise. In both cases the object is not changed for a second.
func TestObjectMutationRate(t *testing.T) {
	for _, c := range []struct {
		name  string
		there int64 // the initial generation
		put   store.PutOptions
		kind  error // nil for success
		tries int   // number of requested changes
		reads int
	}{
		{"if absent, and another was first", 7, store.PutOptions{IfAbsent: true}, fault.Exists, 1, 1},
		{"if absent, and it is", 0, store.PutOptions{IfAbsent: true}, nil, 2, 1},
		{"if version, and another was first", 8, store.PutOptions{IfVersion: "7"}, fault.Conflict, 1, 1},
		{"if version, and it is deleted", 0, store.PutOptions{IfVersion: "7"}, fault.Conflict, 1, 1},
		{"if version, and it is", 7, store.PutOptions{IfVersion: "7"}, nil, 2, 1},
		{"without condition", 7, store.PutOptions{}, nil, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			noEnvironment(t)
			synctest.Test(t, func(t *testing.T) {
				f := &race{generation: c.there, start: time.Now(), busy: time.Now().Add(900 * time.Millisecond)}
				s, err := Open(t.Context(), "gs://b", Anonymous(), over(&wire{answer: f.change}, nil), Retry(retry.Backoff(time.Millisecond, time.Millisecond)))
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				v, err := s.Put(t.Context(), "k", []byte("v"), c.put)
				if c.kind == nil && (err != nil || v == "") || c.kind != nil && !errors.Is(err, c.kind) || errors.Is(err, fault.Throttled) {
					t.Errorf("got %v", err)
				}
				if len(f.changes) != c.tries || f.reads != c.reads {
					t.Errorf("%d changes were asked for, %d reads made", len(f.changes), f.reads)
				}
				f.changes = nil
				if err := s.Delete(t.Context(), "k", store.DeleteOptions{}); err != nil {
					t.Error(err)
				}
				if at := f.changes[0]; at < time.Second {
					t.Errorf("the next change was asked for after %v", at)
				}
			})
		})
	}
}

// TestChangeTooEarly checks that without the retry layer, a change that comes too early fails
// without a request.
func TestChangeTooEarly(t *testing.T) {
	noEnvironment(t)
	synctest.Test(t, func(t *testing.T) {
		f := &race{generation: 7, start: time.Now(), busy: time.Now().Add(500 * time.Millisecond)}
		s, err := Open(t.Context(), "gs://b", Anonymous(), over(&wire{answer: f.change}, nil), Retry(retry.Tries(1)))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range 3 {
			_, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{})
			var wait interface{ RetryAfter() time.Duration }
			if !errors.Is(err, fault.Throttled) || !errors.As(err, &wait) || wait.RetryAfter() < time.Second || !strings.Contains(err.Error(), "second") && !strings.Contains(err.Error(), "mutation") {
				t.Errorf("got %v", err)
			}
		}
		if len(f.changes) != 1 {
			t.Errorf("%d requests", len(f.changes))
		}
		time.Sleep(2 * time.Second)
		if _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// TestPaceIsBounded checks that the number of keys in memory is limited.
func TestPaceIsBounded(t *testing.T) {
	var p pace
	for i := range 3 * maxPaced {
		p.slow(fmt.Sprint(i))
	}
	if len(p.until) > maxPaced {
		t.Errorf("%d keys", len(p.until))
	}
}
