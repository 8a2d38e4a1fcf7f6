package bucket

import (
	"net/url"
	"testing"
)

// Through returns the URL of a bucket or of a [Site] with another endpoint, host:port.
func Through(t testing.TB, raw, host string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	switch u.Scheme {
	case "http", "https":
		u.Scheme, u.Host = "http", host
	case "azblob":
		q.Set("domain", host)
	default:
		q.Set("endpoint", "http://"+host)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// Endpoint returns the address of the server in the URL. If the URL lacks an address, the server is
// the cloud's and cannot be proxied, so Endpoint skips the test.
func Endpoint(t testing.TB, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	endpoint := u.Query().Get("endpoint")
	switch u.Scheme {
	case "http", "https":
		endpoint = u.Scheme + "://" + u.Host
	case "azblob":
		endpoint = ""
		if domain := u.Query().Get("domain"); domain != "" {
			endpoint = "http://" + domain
		}
	}
	if endpoint == "" {
		t.Skipf("SKIPPED: %s names no server that a proxy can stand in front of", raw)
	}
	e, err := url.Parse(endpoint)
	if err != nil || e.Host == "" {
		t.Fatalf("the endpoint of %s is invalid: %v", raw, err)
	}
	return e
}
