package http

import "testing"

// TestServersThatShare checks that all paths of a server belong to one bucket.
func TestServersThatShare(t *testing.T) {
	for url, want := range map[string]string{
		"https://Host.example/a/b?x=y": "https://host.example",
		"https://host.example/c":       "https://host.example",
		"http://host.example:81":       "http://host.example:81",
	} {
		c := &config{}
		if err := c.parseURL(url); err != nil {
			t.Fatal(err)
		}
		b := c.Shared()
		if b.Name != want || b.Greatest() != defaultRequests {
			t.Errorf("%s: %q, want %q; %d requests", url, b.Name, want, b.Greatest())
		}
	}
}
