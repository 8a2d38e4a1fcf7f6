package main

import "testing"

// TestEndpointOfEnvironment opens an emulator that only the environment names, as docs/tasks/s3.md
// describes. The SDK addresses buckets of an IP address by path.
func TestEndpointOfEnvironment(t *testing.T) {
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
		t.Run(name, func(t *testing.T) {
			b := newBucket(t)
			t.Setenv(name, b.url)
			t.Setenv("AWS_REGION", "us-east-1")
			p := newProgram()
			do(t, p, "create s3://b/x --shape 4 --dtype int8 --fill 3")
			if got := do(t, p, "cat s3://b/x"); got != "[3 3 3 3]\n" {
				t.Error(got)
			}
			if len(b.objects) != 1 {
				t.Errorf("%d objects", len(b.objects))
			}
		})
	}
}
