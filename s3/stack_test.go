package s3

import (
	"testing"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
)

// TestBucketsThatShare checks that prefixes of a bucket share its limits in any region, and that
// buckets of other endpoints do not.
func TestBucketsThatShare(t *testing.T) {
	credentialsForTests(t)
	client := awss3.New(awss3.Options{Region: "us-east-1"})
	name := func(url string, opts ...Option) string {
		c := &config{}
		if _, err := c.open(t.Context(), url, opts); err != nil {
			t.Fatal(err)
		}
		b := c.Shared()
		if len(b.Own) != 3 || b.Own[0] != c.client {
			t.Errorf("a client of the caller's is not told apart: %v", b.Own)
		}
		return b.Name
	}
	const aws = "s3 /b"
	for url, want := range map[string]string{
		"s3://b/p?region=us-east-1":                               aws,
		"s3://b/q/r?region=eu-west-1":                             aws,
		"s3://b?region=x&dualstack=true":                          aws,
		"s3://c?region=us-east-1":                                 "s3 /c",
		"s3://b?region=us-east-1&endpoint=http://127.0.0.1:9000/": "s3 http://127.0.0.1:9000/b",
		"s3://b?region=us-east-1&endpoint=http://127.0.0.1:9001":  "s3 http://127.0.0.1:9001/b",
	} {
		if got := name(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	if got := name("s3://b/p", Client(client)); got != aws {
		t.Errorf("%q", got)
	}
	t.Setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9002")
	if got := name("s3://b?region=us-east-1"); got != "s3 http://127.0.0.1:9002/b" {
		t.Errorf("the environment's endpoint: %q", got)
	}
}
