package provider

import (
	"net/url"
	"slices"
	"testing"
)

func TestHosts(t *testing.T) {
	h := Hosts{"googleapis.com", "Storage.Example", "port.example:8443", "", "."}
	for _, c := range []struct {
		url  string
		want bool
	}{
		{"https://googleapis.com/b", true},
		{"https://storage.googleapis.com", true},
		{"https://storage.googleapis.com:443", true},
		{"https://STORAGE.GOOGLEAPIS.COM", true},
		{"https://storage.example", true},
		{"https://port.example:8443", true},
		{"https://a.port.example:8443", true},
		{"https://port.example", false},
		{"https://port.example:443", false},
		{"http://storage.googleapis.com", false},
		{"https://evilgoogleapis.com", false},
		{"https://googleapis.com.evil.example", false},
		{"https://googleapis.com@evil.example", false},
		{"https://evil.example/googleapis.com", false},
		{"https://evil.example", false},
		{"http://127.0.0.1:4443", true},
		{"http://[::1]:4443", true},
		{"http://[::ffff:127.0.0.1]:1", true},
		{"http://localhost", true},
		{"http://localhost.evil.example", false},
		{"http://127.0.0.1.evil.example", false},
		{"http://10.0.0.1", false},
		{"http://0.0.0.0", false},
		{"https://", false},
	} {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Take(u); got != c.want {
			t.Errorf("%s: %v, want %v", c.url, got, c.want)
		}
	}
}

func TestTrustedByUser(t *testing.T) {
	t.Setenv(TrustVariable, " a.example, b.example:1 ,,")
	if got := TrustedByUser(); !slices.Equal(got, Hosts{"a.example", "b.example:1"}) {
		t.Errorf("%q", got)
	}
	t.Setenv(TrustVariable, "")
	if got := TrustedByUser(); got != nil {
		t.Errorf("%q", got)
	}
}
