package s3

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// regional is AWS with the bucket in one region. Other regions respond with its name.
func regional(f *Fake, region string, header, body bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if header {
			w.Header().Set(regionHeader, region)
		}
		auth := r.Header.Get("Authorization")
		switch {
		case r.Method == "HEAD":
			w.Header().Set(regionHeader, region)
			w.WriteHeader(403) // not signed
		case !strings.Contains(r.Host, "."+region+".") && body:
			Fail(w, 400, "AuthorizationHeaderMalformed", "The authorization header is malformed; the region is wrong")
		case !strings.Contains(r.Host, "."+region+"."):
			w.Header().Set("Location", "https://evil.example/")
			Fail(w, 301, "PermanentRedirect", "The bucket you are attempting to access must be addressed using the specified endpoint.")
		case auth != "" && !strings.Contains(auth, "/"+region+"/s3/"):
			Fail(w, 400, "AuthorizationHeaderMalformed", "the region is wrong")
		default:
			hosted(f)(w, r)
		}
	}
}

// TestRegionIsFound checks that the region is taken from S3's responses, and queried only if no
// response names it.
func TestRegionIsFound(t *testing.T) { bothWays(t, testRegionIsFound) }

func testRegionIsFound(t *testing.T, way Option) {
	const region = "eu-central-1"
	for _, c := range []struct {
		name         string
		url          string
		header, body bool
		want         []string // the first requests
	}{
		{"configured and right", "s3://zarr-test?region=eu-central-1", true, false, []string{"PUT", "GET"}},
		{"none configured", "s3://zarr-test", true, false, []string{"HEAD", "PUT", "GET"}},
		{"none configured, unsigned", "s3://zarr-test?anonymous=true", true, false, []string{"HEAD", "PUT", "GET"}},
		{"another configured", "s3://zarr-test?region=us-west-2", true, false, []string{"PUT", "PUT", "GET"}},
		{"another configured, in the body", "s3://zarr-test?region=us-west-2", true, true, []string{"PUT", "PUT", "GET"}},
		{"another configured, and S3 does not name it", "s3://zarr-test?region=us-west-2", false, false, []string{"PUT", "HEAD", "PUT", "GET"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			credentialsForTests(t)
			net := &cloud{serve: regional(newFake(), region, c.header, c.body)}
			s := bare(t, c.url, inCloud(t, net), way)
			if _, err := s.Put(t.Context(), "k", []byte("value"), store.PutOptions{IfAbsent: true}); err != nil {
				t.Fatal(err)
			}
			if v, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "value" {
				t.Fatalf("%q, %v", v.Bytes, err)
			}
			var got []string
			for _, r := range net.requests() {
				got = append(got, r.Method)
				if !strings.HasSuffix(r.URL.Host, ".amazonaws.com") {
					t.Errorf("%s was asked", r.URL.Host)
				}
				if r.Method == "HEAD" && r.Header.Get("Authorization") != "" {
					t.Error("the question for the region is signed")
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestRegionIsAskedOnce checks that all goroutines share one query, and its result is kept for the
// store's life.
func TestRegionIsAskedOnce(t *testing.T) {
	credentialsForTests(t)
	synctest.Test(t, func(t *testing.T) {
		serve := regional(newFake(), "ap-south-1", true, false)
		net := &cloud{serve: func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(50 * time.Millisecond)
			serve(w, r)
		}}
		s := open(t, "s3://zarr-test", inCloud(t, net))
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				if _, err := s.Put(t.Context(), fmt.Sprint(i), nil, store.PutOptions{}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := len(net.requests()); n != 65 {
			t.Errorf("%d requests for 64 puts", n)
		}
	})
}

// TestRegionIsNotBelieved checks that names that cannot be part of a host name are ignored, that
// all requests go to a configured endpoint, and that a server cannot redirect forever.
func TestRegionIsNotBelieved(t *testing.T) { bothWays(t, testRegionIsNotBelieved) }

func testRegionIsNotBelieved(t *testing.T, way Option) {
	credentialsForTests(t)
	for _, c := range []struct {
		name, url, says string
		want            int
	}{
		{"a host", "s3://zarr-test?region=us-east-1", "evil.example/", 2},
		{"nothing", "s3://zarr-test?region=us-east-1", "", 2},
		{"the same", "s3://zarr-test?region=us-east-1", "us-east-1", 1},
		{"always another", "s3://zarr-test?region=us-east-1", "eu-west-1", 2},
		{"a server of one's own", "s3://zarr-test?region=us-east-1&endpoint=https://s3.example", "eu-west-1", 1},
		{"AWS by its endpoint", "s3://zarr-test?region=us-east-1&endpoint=https://s3.us-east-1.amazonaws.com", "eu-west-1", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake()
			f.Answer(fake.Page(301, "application/xml", document("PermanentRedirect"), regionHeader, c.says))
			net := &cloud{serve: hosted(f)}
			_, err := open(t, c.url, inCloud(t, net), way).Get(t.Context(), "k", store.GetOptions{}, nil)
			fake.WantKind(t, err, fault.Refused)
			seen := net.requests()
			for _, r := range seen {
				if strings.Contains(r.URL.Host, "evil") {
					t.Errorf("%s was asked", r.URL.Host)
				}
			}
			if len(seen) != c.want {
				t.Errorf("%d requests, want %d", len(seen), c.want)
			}
		})
	}
}

// TestRegionUnavailable checks that a failed query for the region is retried like the request that
// needed it.
func TestRegionUnavailable(t *testing.T) { bothWays(t, testRegionUnavailable) }

func testRegionUnavailable(t *testing.T, way Option) {
	credentialsForTests(t)
	for name, net := range map[string]*cloud{
		"no connection": {fails: func(*http.Request) error { return errRefused }},
		"503":           {serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }},
	} {
		t.Run(name, func(t *testing.T) {
			for verb, err := range fake.Verbs(t.Context(), bare(t, "s3://zarr-test", inCloud(t, net), way), `"1"`) {
				fake.WantKind(t, err, fault.Unavailable)
				var unsent *provider.UnsentError
				if !errors.As(err, &unsent) {
					t.Errorf("%s: %v", verb, err)
				}
			}
		})
	}
}

// TestRegionOfNoBucket checks that the error for a missing bucket is that of the bucket, not of its
// region.
func TestRegionOfNoBucket(t *testing.T) { bothWays(t, testRegionOfNoBucket) }

func testRegionOfNoBucket(t *testing.T, way Option) {
	credentialsForTests(t)
	f := newFake()
	net := &cloud{serve: func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "HEAD" {
			w.WriteHeader(404)
			return
		}
		f.ServeHTTP(w, r)
	}}
	s := open(t, "s3://absent-bucket", inCloud(t, net), way)
	for range 3 {
		_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
		fake.WantKind(t, err, fault.Refused)
		if !strings.Contains(fmt.Sprint(err), "NoSuchBucket") {
			t.Error(err)
		}
	}
	if n := len(net.requests()); n != 4 {
		t.Errorf("%d requests", n)
	}
}
