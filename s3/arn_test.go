package s3

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

const accessPoint = "arn:aws:s3:eu-west-1:123456789012:accesspoint/field"

func TestARN(t *testing.T) {
	for _, c := range []struct {
		name, url            string
		bucket, prefix, host string // of the request; "" is not checked
	}{
		{"access point", "s3://" + accessPoint, accessPoint, "", "field-123456789012.s3-accesspoint.eu-west-1.amazonaws.com"},
		{"with a prefix", "s3://" + accessPoint + "/a/b%20c/", accessPoint, "a/b c", "field-123456789012.s3-accesspoint.eu-west-1.amazonaws.com"},
		{"with parameters", "s3://" + accessPoint + "/a?region=us-east-1&requester_pays=true", accessPoint, "a",
			"field-123456789012.s3-accesspoint.eu-west-1.amazonaws.com"},
		{"with a colon", "s3://arn:aws:s3:eu-west-1:123456789012:accesspoint:field/a", "arn:aws:s3:eu-west-1:123456789012:accesspoint:field", "a",
			"field-123456789012.s3-accesspoint.eu-west-1.amazonaws.com"},
		{"of many regions", "s3://arn:aws:s3::123456789012:accesspoint/abc123.mrap/a", "arn:aws:s3::123456789012:accesspoint/abc123.mrap", "a",
			"abc123.mrap.accesspoint.s3-global.amazonaws.com"},
		{"on Outposts", "s3://arn:aws:s3-outposts:us-west-2:123456789012:outpost/op-01ac5d28a6a232904/accesspoint/field",
			"arn:aws:s3-outposts:us-west-2:123456789012:outpost/op-01ac5d28a6a232904/accesspoint/field", "",
			"field-123456789012.op-01ac5d28a6a232904.s3-outposts.us-west-2.amazonaws.com"},
		{"in China", "s3://arn:aws-cn:s3:cn-north-1:123456789012:accesspoint/field/a", "arn:aws-cn:s3:cn-north-1:123456789012:accesspoint/field", "a",
			"field-123456789012.s3-accesspoint.cn-north-1.amazonaws.com.cn"},
		{"bucket", "s3://arn:aws:s3:::zarr-test/a?region=us-east-1", "zarr-test", "a", "zarr-test.s3.us-east-1.amazonaws.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			credentialsForTests(t)
			net := &cloud{serve: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"v"`)
				w.WriteHeader(200)
			}}
			cfg := parsed(t, c.url)
			if cfg.bucket != c.bucket || cfg.prefix != c.prefix {
				t.Errorf("bucket %q, prefix %q", cfg.bucket, cfg.prefix)
			}
			s := bare(t, c.url, inCloud(t, net))
			if _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			seen := net.requests()
			want := "/k"
			if c.prefix != "" {
				want = "/" + c.prefix + "/k"
			}
			if len(seen) != 1 || seen[0].URL.Host != c.host || seen[0].URL.Path != want || seen[0].Header.Get("Authorization") == "" {
				t.Errorf("%v", seen[0].URL)
			}
			many := strings.Contains(c.url, ".mrap") || strings.Contains(c.url, "outpost")
			if strings.HasPrefix(seen[0].Header.Get("Authorization"), "AWS4-ECDSA-P256-SHA256") != many {
				t.Errorf("signed with %s", seen[0].Header.Get("Authorization"))
			}
			if name := store.Name(s); !strings.HasPrefix(name, "s3://"+c.bucket) {
				t.Errorf("the name is %q", name)
			}
		})
	}
}

func TestARNRefused(t *testing.T) {
	credentialsForTests(t)
	for _, url := range []string{
		"s3://arn:aws:s3:eu-west-1:123456789012:accesspoint", "s3://arn:aws:s3:eu-west-1:12:accesspoint/field", "s3://arn:aws:s3",
		"s3://arn:aws:s3:eu-west-1.evil.example:123456789012:accesspoint/field", "s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/fi.eld",
		"s3://arn:aws:iam::123456789012:role/x", "s3://arn:aws:s3-object-lambda:eu-west-1:123456789012:accesspoint/field",
		"s3://" + accessPoint + "?use_path_style=true", "s3://" + accessPoint + "?accelerate=true", "s3://" + accessPoint + "#x",
	} {
		var u *UsageError
		if _, err := Open(t.Context(), url); !errors.As(err, &u) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
