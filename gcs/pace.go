package gcs

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"google.golang.org/api/googleapi"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// pace records the earliest time of the next change of each object.
type pace struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// rest is the time that must pass before the next change of an object after GCS has rejected a
// change of that object. GCS accepts about one change of an object per second, and rejects others
// with 429. Source: Cloud Storage, "Quotas and limits". A random delay of up to the same length is
// added, to spread writers that were rejected at the same time.
const rest = time.Second

// maxPaced limits the number of keys in memory. 4096 keys of 100 bytes need half a megabyte.
const maxPaced = 4096

// check returns fault.Throttled for a change that is too early, so that the retry layer waits and
// retries. It sends no request.
func (p *pace) check(key string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	until, ok := p.until[key]
	if !ok {
		return nil
	}
	left := time.Until(until)
	if left <= 0 {
		delete(p.until, key)
		return nil
	}
	err := errors.New("GCS accepts about one change of an object per second and has just rejected a change of this object")
	return &provider.Failure{Kind: fault.Throttled, Alone: true, After: left, Text: err.Error(), Err: err}
}

// slow delays further changes of the key and returns the delay.
func (p *pace) slow(key string) time.Duration {
	d := rest + rand.N(rest)
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.until == nil {
		p.until = map[string]time.Time{}
	}
	if len(p.until) >= maxPaced {
		for k, until := range p.until {
			if len(p.until) >= maxPaced || !until.After(now) {
				delete(p.until, k)
			}
		}
	}
	p.until[key] = now.Add(d)
	return d
}

// paced delays further changes of an object whose change was rejected with 429. A 429 may concern
// the object or the bucket. Conditional writes indicate an object with many writers, so a 429 of
// such a write is assumed to concern the object. After a 429 that concerns the bucket, only the
// retry layer's delays apply.
func (b *bucket) paced(key string, conditional bool, err error) error {
	if f, ok := refusedRate(err); ok && (conditional || strings.Contains(f.Text, "mutation")) {
		f.Alone, f.After = true, max(f.After, b.pace.slow(key))
	}
	return err
}

// lost checks the condition of a put that was rejected with 429. When writers compete for one
// object, GCS rejects all puts but one with 429 instead of 412. A rejected put had no effect.
func (b *bucket) lost(ctx context.Context, key string, o store.PutOptions, err error) error {
	f, ok := refusedRate(err)
	if !ok || !o.IfAbsent && o.IfVersion == "" {
		return err
	}
	_, look := b.get(ctx, key, store.GetOptions{IfNotVersion: o.IfVersion, Max: 1}, nil)
	there := look == nil || errors.Is(look, fault.Limit)
	switch {
	case there && o.IfAbsent:
		f.Kind = fault.Exists
	case o.IfVersion != "" && (there || errors.Is(look, fault.NotFound)):
		f.Kind = fault.Conflict
	default:
		return err
	}
	f.Text, f.After = "another writer was first: "+f.Text, 0
	return err
}

// refusedRate reports whether GCS responded with 429.
func refusedRate(err error) (*provider.Failure, bool) {
	var f *provider.Failure
	var api *googleapi.Error
	ok := errors.As(err, &f) && errors.As(err, &api) && api.Code == http.StatusTooManyRequests
	return f, ok
}
