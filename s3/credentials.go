package s3

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"

	"github.com/zargo-io/zargo/concurrency"
)

// credentials caches the credentials of a provider. It renews them before they expire, and when S3
// reports that they have expired. All goroutines share one call of the provider. A failed renewal
// is not an error while the old credentials are valid.
//
// Errors are of type *credentialsError. The SDK reports them as failures of the request that needed
// the credentials.
type credentials struct {
	p    aws.CredentialsProvider
	load concurrency.SingleFlight[string, issue]

	mu       sync.Mutex
	last     issue
	renewing bool // a goroutine renews the credentials, which are still valid
}

const (
	// renewBefore is how long before their expiry credentials are renewed, but at most a fifth of
	// their lifetime. The SDK uses the same value for instances and containers. It does not renew
	// the credentials of roles early, so they could expire while a request is in flight.
	renewBefore = 5 * time.Minute
	// renewRetry is the delay before the next renewal if the last renewal failed, or returned
	// credentials that already need renewal.
	renewRetry = time.Second
)

// issue is one result of a provider.
type issue struct {
	n     int // serial number from 1; 0 before the first issue
	creds aws.Credentials
	until time.Time // when to renew; zero means never
}

// Retrieve implements aws.CredentialsProvider.
func (c *credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	i, err := c.get(ctx)
	if err != nil {
		return aws.Credentials{}, err
	}
	if used, ok := ctx.Value(usedKey{}).(*int); ok {
		*used = i.n
	}
	return i.creds, nil
}

// get returns the credentials to sign a request with.
func (c *credentials) get(ctx context.Context) (issue, error) {
	i, due := c.due()
	if due {
		return c.renew(ctx, i.n, false)
	}
	return i, nil
}

// usedKey is the context key of an *int, which Retrieve sets to the serial number of the
// credentials that sign the request.
type usedKey struct{}

// due returns the latest credentials and reports whether the caller must renew them. While the
// latest credentials are valid, only one goroutine renews them, so that a slow credential service
// delays only one request.
func (c *credentials) due() (issue, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.last
	switch {
	case i.n == 0:
		return i, true
	case i.until.IsZero() || time.Now().Before(i.until):
		return i, false
	case i.creds.Expired():
		return i, true
	}
	first := !c.renewing
	c.renewing = true
	return i, first
}

func (c *credentials) held() issue {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// refused renews credentials after S3 reported that those with serial number n have expired. It
// reports whether newer credentials are available.
func (c *credentials) refused(ctx context.Context, n int) (bool, error) {
	old := c.held()
	if old.n != n {
		return true, nil // another goroutine has renewed them
	}
	got, err := c.renew(ctx, n, true)
	same := got.creds.AccessKeyID == old.creds.AccessKeyID && got.creds.SessionToken == old.creds.SessionToken
	return !same, err
}

// renew returns credentials newer than those with serial number n. If refused is true, S3 has
// rejected the credentials with that number. A failed renewal is then an error even if they have
// not expired.
func (c *credentials) renew(ctx context.Context, n int, refused bool) (issue, error) {
	got, _, err := c.load.Do(ctx, "", func(ctx context.Context) (issue, error) {
		defer c.renewed()
		old := c.held()
		if old.n != n {
			return old, nil
		}
		if cache, ok := c.p.(interface{ Invalidate() }); ok && n > 0 && (refused || !renews(old.creds)) {
			cache.Invalidate()
		}
		creds, err := c.p.Retrieve(ctx)
		now := time.Now()
		next := issue{n: n + 1, creds: creds, until: renewal(creds, now)}
		if err != nil {
			if refused || n == 0 || old.creds.Expired() {
				return issue{}, &credentialsError{err: err, before: n > 0}
			}
			next = issue{n: n, creds: old.creds, until: now.Add(renewRetry)}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.last = next
		return next, nil
	})
	return got, err
}

func (c *credentials) renewed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.renewing = false
}

// renewal returns the time at which to renew credentials that were retrieved at now.
func renewal(creds aws.Credentials, now time.Time) time.Time {
	if !creds.CanExpire {
		return time.Time{}
	}
	until := creds.Expires
	if !renews(creds) {
		until = until.Add(-min(renewBefore, max(0, until.Sub(now)/5)))
	}
	if soon := now.Add(renewRetry); until.Before(soon) {
		return soon
	}
	return until
}

// renews reports whether the SDK's provider handles the expiry of the credentials. The SDK renews
// credentials of a container five minutes early. It extends credentials of an instance while the
// metadata service is unavailable, and EC2 honours extended credentials.
func renews(creds aws.Credentials) bool {
	return creds.Source == ec2rolecreds.ProviderName || creds.Source == endpointcreds.ProviderName
}

// credentialsError is a failure of the credential chain. The field before is true if the chain has
// returned credentials earlier.
type credentialsError struct {
	err    error
	before bool
}

func (e *credentialsError) Error() string { return e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }
