package gcs

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/compute/metadata"
	"golang.org/x/oauth2"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// tokens caches a token. All requests that need a new token share one fetch, and each request waits
// for it no longer than its context allows.
type tokens struct {
	fetch func(context.Context) (token, error)
	join  concurrency.SingleFlight[string, token]

	mu  sync.Mutex
	now token
}

// token is an access token. If the token does not expire, the times are zero.
type token struct {
	value          string // of the Authorization header, with the type
	renew, expires time.Time
}

func (t token) fresh() bool { return t.value != "" && (t.renew.IsZero() || time.Now().Before(t.renew)) }
func (t token) valid() bool {
	return t.value != "" && (t.expires.IsZero() || time.Now().Before(t.expires))
}

const (
	// renewBefore is how long before its expiry a token is replaced, as in Google's libraries. A
	// token with a lifetime of less than half an hour is replaced an eighth of the lifetime before
	// its expiry.
	renewBefore = 225 * time.Second
	// fetchTimeout limits one fetch of a token, including the retries of Google's library.
	fetchTimeout = time.Minute
)

func (t *tokens) get(ctx context.Context) (token, error) {
	now := t.current()
	if now.fresh() {
		return now, nil
	}
	got, _, err := t.join.Do(ctx, "", t.load)
	if err != nil && now.valid() {
		return now, nil // the token service failed, but the token is still valid
	}
	return got, err
}

func (t *tokens) current() token {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

func (t *tokens) load(ctx context.Context) (token, error) {
	if now := t.current(); now.fresh() { // another load has replaced it
		return now, nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	got, err := t.fetch(ctx)
	if err == nil {
		t.mu.Lock()
		t.now = got
		t.mu.Unlock()
	}
	return got, err
}

// refused drops a rejected token, which was revoked or has expired by the server's clock.
func (t *tokens) refused(value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now.value == value {
		t.now = token{}
	}
}

// fromSource returns a fetch function for a source without context support. The source may still
// run after the fetch has returned.
func fromSource(ts oauth2.TokenSource) func(context.Context) (token, error) {
	return func(ctx context.Context) (token, error) {
		type result struct {
			t   *oauth2.Token
			err error
		}
		done := make(chan result, 1)
		var wg sync.WaitGroup // Token has no context, so waiting for it could block forever
		wg.Go(func() {
			t, err := ts.Token()
			done <- result{t, err}
		})
		select {
		case r := <-done:
			if r.err != nil {
				return token{}, r.err
			}
			return newToken(r.t.Type()+" "+r.t.AccessToken, r.t.Expiry), nil
		case <-ctx.Done():
			return token{}, ctx.Err()
		}
	}
}

func newToken(value string, expires time.Time) token {
	t := token{value: value, expires: expires}
	if !expires.IsZero() {
		t.renew = expires.Add(-min(renewBefore, max(0, time.Until(expires))/8))
	}
	return t
}

// bearer adds the token to requests to trusted hosts, and fails other requests.
type bearer struct {
	tokens *tokens
	hosts  provider.Hosts
	quota  string // the project whose quota the credentials use, or ""
	next   http.RoundTripper
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	t, err := b.authorize(r)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	r = r.Clone(r.Context()) // a RoundTripper must not modify its request
	r.Header.Set("Authorization", t.value)
	if b.quota != "" && r.Header.Get("X-Goog-User-Project") == "" && !r.URL.Query().Has("userProject") {
		r.Header.Set("X-Goog-User-Project", b.quota)
	}
	resp, err := b.next.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		b.tokens.refused(t.value)
	}
	return resp, err
}

func (b *bearer) authorize(r *http.Request) (token, error) {
	if !b.hosts.Take(r.URL) {
		return token{}, &tokenError{fault.Newf(fault.Refused, "credentials are not sent to %s, which is not trusted", r.URL.Host)}
	}
	t, err := b.tokens.get(r.Context())
	if err != nil {
		return token{}, &tokenError{err}
	}
	return t, nil
}

// tokenError is the error of a request that was not sent because no token was available.
type tokenError struct{ err error }

func (e *tokenError) Error() string { return e.err.Error() }
func (e *tokenError) Unwrap() error { return e.err }

// response returns the status and the header of the token service's response, or zero values.
func (e *tokenError) response() (status int, header http.Header) {
	var google *auth.Error
	var source *oauth2.RetrieveError
	switch {
	case errors.As(e.err, &google) && google.Response != nil:
		return google.Response.StatusCode, google.Response.Header
	case errors.As(e.err, &source) && source.Response != nil:
		return source.Response.StatusCode, source.Response.Header
	}
	return 0, nil
}

// kind returns the kind of the error, based on the token service's response.
func (e *tokenError) kind() error {
	var meta *metadata.Error
	status, _ := e.response()
	if status == 0 && errors.As(e.err, &meta) {
		status = meta.Code
	}
	return provider.CredentialKind(e.err, status)
}
