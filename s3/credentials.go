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

const (
	// renewBefore is how long before their end new credentials are asked for, a fifth of their life
	// where that is less: what the SDK takes for instances and containers. It has none for roles,
	// and signs with credentials that end on the way.
	renewBefore = 5 * time.Minute
	// renewAgain is when new ones are asked for again after that failed, or when the clock says
	// that they are old already.
	renewAgain = time.Second
)

// credentials keeps what a provider gave, and asks for new ones before their end, or when S3 says
// that they have ended. One goroutine asks for all. While the old ones are still good a service
// that fails is no error.
//
// Its errors are *credentialsError, as the SDK reports them as failures of whatever request came
// first.
type credentials struct {
	p    aws.CredentialsProvider
	load concurrency.Joined[issue]

	mu       sync.Mutex
	last     issue
	renewing bool // a goroutine asks, while the last ones are still good
}

// issue is what a provider gave at one time.
type issue struct {
	n     int // from 1; 0 is none yet
	creds aws.Credentials
	until time.Time // when new ones are asked for; zero is never
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

// get gives credentials to sign a request with.
func (c *credentials) get(ctx context.Context) (issue, error) {
	i, due := c.due()
	if due {
		return c.renew(ctx, i.n, false)
	}
	return i, nil
}

// usedKey is of a context's *int, which is set to the number of the credentials that a request was
// signed with.
type usedKey struct{}

// due gives the last credentials, and whether this goroutine is to ask for new ones. While the last
// ones are good only one does, so that a service that does not answer holds up one request and not
// all.
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

// refused is called when S3 said that the credentials of that number have ended. It is false if
// there are no others.
func (c *credentials) refused(ctx context.Context, n int) (bool, error) {
	old := c.held()
	if old.n != n {
		return true, nil // another goroutine was here
	}
	got, err := c.renew(ctx, n, true)
	same := got.creds.AccessKeyID == old.creds.AccessKeyID && got.creds.SessionToken == old.creds.SessionToken
	return !same, err
}

// renew gives others than those of number n. If they are refused, so those will not do any more.
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
			next = issue{n: n, creds: old.creds, until: now.Add(renewAgain)}
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

// renewal is when to ask for new credentials.
func renewal(creds aws.Credentials, now time.Time) time.Time {
	if !creds.CanExpire {
		return time.Time{}
	}
	until := creds.Expires
	if !renews(creds) {
		until = until.Add(-min(renewBefore, max(0, until.Sub(now)/5)))
	}
	if soon := now.Add(renewAgain); until.Before(soon) {
		return soon
	}
	return until
}

// renews reports whether credentials are left to the SDK's cache until they end: those of a
// container it renews five minutes earlier itself, and those of an instance it extends while their
// service is out of order, which EC2 honours.
func renews(creds aws.Credentials) bool {
	return creds.Source == ec2rolecreds.ProviderName || creds.Source == endpointcreds.ProviderName
}

// credentialsError is a failure of the credential chain. before is that there were credentials
// once.
type credentialsError struct {
	err    error
	before bool
}

func (e *credentialsError) Error() string { return e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }
