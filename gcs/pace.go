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

// rest is how long an object is left alone after GCS refused to change it: it takes about one
// change of an object a second, and answers 429 beyond. Source: Cloud Storage, "Quotas and limits".
// As much again by chance keeps writers that were refused together from coming back together.
const rest = time.Second

// maxPaced bounds how many objects are remembered; keys of 100 bytes make half a megabyte.
const maxPaced = 4096

// pace remembers which objects are not to be changed yet.
type pace struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// check refuses, without a request, a change that comes too early. The retry layer waits.
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
	err := errors.New("GCS takes about one change of an object a second, and refused one of this just now")
	return &provider.Failure{Kind: fault.Throttled, Alone: true, After: left, Text: err.Error(), Err: err}
}

// slow lets the key rest, and says for how long.
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

// paced lets an object rest whose change was refused with 429, unless that is about the bucket:
// then the retry layer's own waits fit better. A condition is asked of an object that many write.
func (b *bucket) paced(key string, conditional bool, err error) error {
	if f, ok := refusedRate(err); ok && (conditional || strings.Contains(f.Text, "mutation")) {
		f.Alone, f.After = true, max(f.After, b.pace.slow(key))
	}
	return err
}

// lost looks what became of the condition of a put that was refused with 429: of the writers that
// race for one object GCS refuses the losers with it, and not with 412. The change itself was not
// made.
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

// refusedRate reports that GCS answered 429.
func refusedRate(err error) (*provider.Failure, bool) {
	var f *provider.Failure
	var api *googleapi.Error
	ok := errors.As(err, &f) && errors.As(err, &api) && api.Code == http.StatusTooManyRequests
	return f, ok
}
