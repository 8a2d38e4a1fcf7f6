package gcs

import "testing"

// TestBucketsThatShare checks that prefixes of a bucket share its limits, and that buckets of other
// endpoints do not. Writes start with few in flight, at the rate that Google recommends.
func TestBucketsThatShare(t *testing.T) {
	noEnvironment(t)
	name := func(url string, opts ...Option) string {
		c := &config{}
		s, err := c.open(t.Context(), url, append(opts, Anonymous()))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if b := c.Shared(); b.Reads != 128 || b.Writes != 32 || b.ReadRate != 5000 || b.WriteRate != 1000 {
			t.Errorf("%+v", b.BucketOptions)
		}
		return c.Shared().Name
	}
	for url, want := range map[string]string{
		"gs://b/p":                               "gs /b",
		"gs://b/q":                               "gs /b",
		"gcs://b/q":                              "gs /b",
		"gs://c":                                 "gs /c",
		"gs://b?endpoint=http://127.0.0.1:4443/": "gs http://127.0.0.1:4443/b",
	} {
		if got := name(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	t.Setenv("STORAGE_EMULATOR_HOST", "127.0.0.1:4444")
	if got := name("gs://b"); got != "gs http://127.0.0.1:4444/b" {
		t.Errorf("the emulator: %q", got)
	}
}
