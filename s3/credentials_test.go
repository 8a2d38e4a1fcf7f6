package s3

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awscredentials "github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	awssts "github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

const role = "arn:aws:iam::123456789012:role/reader"

// tokens is STS and an S3 that accepts only its unexpired tokens.
type tokens struct {
	life  time.Duration // of a token
	says  time.Duration // the declared lifetime; 0 is life
	fails atomic.Pointer[error]

	given, refused atomic.Int64
	s3             *Fake

	mu   sync.Mutex
	ends map[string]time.Time
}

func newTokens(life time.Duration) *tokens {
	return &tokens{life: life, s3: newFake(), ends: map[string]time.Time{}}
}

func (s *tokens) transport() *cloud {
	c := &cloud{serve: s.ServeHTTP}
	c.fails = func(r *http.Request) error {
		if f := s.fails.Load(); f != nil && strings.HasPrefix(r.URL.Host, "sts.") {
			return *f
		}
		return nil
	}
	return c
}

func (s *tokens) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.Host, "sts.") {
		s.assume(w)
		return
	}
	s.mu.Lock()
	ends, ok := s.ends[r.Header.Get("X-Amz-Security-Token")]
	s.mu.Unlock()
	if !ok || !time.Now().Before(ends) {
		s.refused.Add(1)
		Fail(w, 400, "ExpiredToken", "The provided token has expired.")
		return
	}
	hosted(s.s3)(w, r)
}

func (s *tokens) assume(w http.ResponseWriter) {
	token := fmt.Sprintf("token-%d", s.given.Add(1))
	now := time.Now()
	s.mu.Lock()
	s.ends[token] = now.Add(s.life)
	s.mu.Unlock()
	says := s.says
	if says == 0 {
		says = s.life
	}
	fmt.Fprintf(w, `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>AKIA%s</AccessKeyId><SecretAccessKey>s</SecretAccessKey>`+
		`<SessionToken>%s</SessionToken><Expiration>%s</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
		token, token, now.Add(says).UTC().Format("2006-01-02T15:04:05.000Z"))
}

const assumed = "s3://zarr-test?region=us-east-1&role=" + role

// TestShortTokens checks that no request fails during 30 s with tokens that are valid for 2 s, and
// that each token is fetched once.
func TestShortTokens(t *testing.T) { bothWays(t, testShortTokens) }

func testShortTokens(t *testing.T, way Option) {
	credentialsForTests(t)
	synctest.Test(t, func(t *testing.T) {
		sts := newTokens(2 * time.Second)
		s := open(t, assumed, inCloud(t, sts.transport()), way)
		n := job(t, s, 30*time.Second)
		if sts.refused.Load() != 0 {
			t.Errorf("%d of %d requests went with a token that had ended", sts.refused.Load(), n)
		}
		if g := sts.given.Load(); g < 15 || g > 20 {
			t.Errorf("%d tokens for 30 s", g)
		}
	})
}

// job writes and reads with four goroutines for d and returns the number of requests.
func job(t *testing.T, s store.Store, d time.Duration) int64 {
	t.Helper()
	var n atomic.Int64
	var wg sync.WaitGroup
	end := time.Now().Add(d)
	for g := range 4 {
		wg.Go(func() {
			for i := 0; time.Now().Before(end); i++ {
				key := fmt.Sprintf("%d/%d", g, i)
				if _, err := s.Put(t.Context(), key, []byte(key), store.PutOptions{IfAbsent: true}); err != nil {
					t.Errorf("put: %v", err)
					return
				}
				if v, err := s.Get(t.Context(), key, store.GetOptions{}, nil); err != nil || string(v.Bytes) != key {
					t.Errorf("get: %q, %v", v.Bytes, err)
					return
				}
				n.Add(2)
				time.Sleep(197 * time.Millisecond)
			}
		})
	}
	wg.Wait()
	return n.Load()
}

// TestTokensThatEndEarly uses tokens that expire before their declared time, because the role's
// sessions were revoked or a clock is wrong. It checks that after ExpiredToken the store fetches
// one new token for all goroutines, and sends the requests again, including conditional ones.
func TestTokensThatEndEarly(t *testing.T) { bothWays(t, testTokensThatEndEarly) }

func testTokensThatEndEarly(t *testing.T, way Option) {
	credentialsForTests(t)
	synctest.Test(t, func(t *testing.T) {
		sts := newTokens(2 * time.Second)
		sts.says = time.Hour
		s := open(t, assumed, inCloud(t, sts.transport()), way)
		job(t, s, 30*time.Second)
		if g := sts.given.Load(); g < 14 || g > 17 {
			t.Errorf("%d tokens for 30 s", g)
		}
		// At most one refusal per goroutine and token.
		if r := sts.refused.Load(); r == 0 || r > 4*17 {
			t.Errorf("%d refusals", r)
		}
	})
}

// TestExpiredForGood checks that a refusal is reported immediately if the source has no newer
// credentials.
func TestExpiredForGood(t *testing.T) { bothWays(t, testExpiredForGood) }

func testExpiredForGood(t *testing.T, way Option) {
	credentialsForTests(t)
	f := newFake()
	f.Answer(fake.Page(400, "application/xml", document("ExpiredToken")))
	net := &cloud{serve: hosted(f)}
	s := open(t, "s3://zarr-test?region=us-east-1", inCloud(t, net), way)
	_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
	fake.WantKind(t, err, fault.Refused)
	if n := len(net.requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

var errRefused error = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

// TestServiceOutOfOrder checks that requests wait for a credential service that fails for a while,
// as they do for S3. While the last credentials are valid, its failures have no effect.
func TestServiceOutOfOrder(t *testing.T) { bothWays(t, testServiceOutOfOrder) }

func testServiceOutOfOrder(t *testing.T, way Option) {
	credentialsForTests(t)
	synctest.Test(t, func(t *testing.T) {
		sts := newTokens(100 * time.Second)
		again := 0
		s := open(t, assumed, inCloud(t, sts.transport()), Retry(retry.Notify(func(store.Retry) {
			if again++; again == 5 { // the SDK has sent several requests for each
				sts.fails.Store(nil)
			}
		})), way)
		sts.fails.Store(&errRefused)
		if _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{IfAbsent: true}); err != nil {
			t.Fatal(err)
		}
		if again != 5 {
			t.Errorf("tried %d times again", again)
		}
		// New credentials are due twenty seconds before the expiry, and the service recovers before
		// it.
		time.Sleep(85 * time.Second)
		sts.fails.Store(&errRefused)
		again = 0
		for range 10 {
			if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		sts.fails.Store(nil)
		time.Sleep(1200 * time.Millisecond)
		if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil {
			t.Fatal(err)
		}
		if again != 0 || sts.given.Load() != 2 {
			t.Errorf("tried %d times again, %d tokens", again, sts.given.Load())
		}
	})
}

// TestCredentialFailures checks that only failures of a credential service that may recover are
// fault.Unavailable.
func TestCredentialFailures(t *testing.T) { bothWays(t, testCredentialFailures) }

func testCredentialFailures(t *testing.T, way Option) {
	container := map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1/creds"}
	for _, c := range []struct {
		name  string
		url   string
		env   map[string]string
		fails error
		serve http.HandlerFunc
		want  error
	}{
		{"STS refuses the connection", assumed, nil, errRefused, nil, fault.Unavailable},
		{"STS has no name", assumed, nil, &net.DNSError{Err: "no such host", IsNotFound: true}, nil, fault.Refused},
		{"STS is down", assumed, nil, nil, stsSays(503, "ServiceUnavailable"), fault.Unavailable},
		{"STS throttles", assumed, nil, nil, stsSays(400, "Throttling"), fault.Throttled},
		{"STS denies", assumed, nil, nil, stsSays(403, "AccessDenied"), fault.Refused},
		{"the container's service refuses the connection", "s3://zarr-test?region=us-east-1", container, errRefused, nil, fault.Unavailable},
		{"the container's service is down", "s3://zarr-test?region=us-east-1", container, nil, stsSays(500, "x"), fault.Unavailable},
		{"no instance", "s3://zarr-test?region=us-east-1", map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "",
			"AWS_EC2_METADATA_DISABLED": ""}, errRefused, nil, fault.Refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			credentialsForTests(t)
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			synctest.Test(t, func(t *testing.T) {
				if c.serve == nil {
					c.serve = func(http.ResponseWriter, *http.Request) { panic("a request was answered") }
				}
				net := &cloud{serve: c.serve, fails: func(*http.Request) error { return c.fails }}
				s := bare(t, c.url, inCloud(t, net), way)
				for verb, err := range fake.Verbs(t.Context(), s, `"1"`) {
					fake.WantKind(t, err, c.want)
					var unsent *provider.UnsentError
					if !errors.As(err, &unsent) {
						t.Errorf("%s: nothing was sent, and that is not said: %v", verb, err)
					}
					none := strings.Contains(err.Error(), "no AWS credentials were found")
					if none != errors.Is(err, fault.NoCredentials) {
						t.Errorf("%s: the message does not fit the kind: %v", verb, err)
					}
				}
			})
		})
	}
}

func stsSays(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `<ErrorResponse><Error><Code>%s</Code><Message>m</Message></Error></ErrorResponse>`, code)
	}
}

// TestTokensAreJoined checks that concurrent first requests share one AssumeRole.
func TestTokensAreJoined(t *testing.T) { bothWays(t, testTokensAreJoined) }

func testTokensAreJoined(t *testing.T, way Option) {
	credentialsForTests(t)
	synctest.Test(t, func(t *testing.T) {
		sts := newTokens(time.Hour)
		s := open(t, assumed, inCloud(t, sts.transport()), way)
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() { _, _ = s.Get(t.Context(), "k", store.GetOptions{}, nil) })
		}
		wg.Wait()
		if sts.given.Load() != 1 || sts.refused.Load() != 0 {
			t.Errorf("%d tokens, %d refusals", sts.given.Load(), sts.refused.Load())
		}
	})
}

func TestRenewal(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		creds aws.Credentials
		want  time.Time
	}{
		{"static", aws.Credentials{}, time.Time{}},
		{"an hour", aws.Credentials{CanExpire: true, Expires: now.Add(time.Hour)}, now.Add(55 * time.Minute)},
		{"ten seconds", aws.Credentials{CanExpire: true, Expires: now.Add(10 * time.Second)}, now.Add(8 * time.Second)},
		{"ended", aws.Credentials{CanExpire: true, Expires: now.Add(-time.Hour)}, now.Add(time.Second)},
		{"an instance's", aws.Credentials{CanExpire: true, Expires: now.Add(time.Hour), Source: ec2rolecreds.ProviderName}, now.Add(time.Hour)},
	} {
		if got := renewal(c.creds, now); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestAnonymousCredentials checks that anonymous credentials are equivalent to the Anonymous
// option.
func TestAnonymousCredentials(t *testing.T) { bothWays(t, testAnonymousCredentials) }

func testAnonymousCredentials(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	at := "s3://zarr-test?use_path_style=true&region=us-east-1&endpoint=" + url.QueryEscape(f.URL)
	_, err := bare(t, at, Credentials(aws.AnonymousCredentials{}), way).Get(t.Context(), "k", store.GetOptions{}, nil)
	fake.WantKind(t, err, fault.NotFound)
	if a := f.Header().Get("Authorization"); a != "" {
		t.Errorf("signed: %s", a)
	}
}

// TestClientsTokens checks that the credentials of a caller's client are renewed too.
func TestClientsTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sts := newTokens(2 * time.Second)
		sts.says = time.Hour
		net := sts.transport()
		service := awssts.New(awssts.Options{Region: "us-east-1", HTTPClient: net, Credentials: awscredentials.NewStaticCredentialsProvider("a", "b", "")})
		client := awss3.New(awss3.Options{Region: "us-east-1", HTTPClient: net,
			Credentials: aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(service, role))})
		job(t, open(t, "s3://zarr-test", Client(client)), 5*time.Second)
		if g := sts.given.Load(); g != 3 {
			t.Errorf("%d tokens for 5 s", g)
		}
	})
}
