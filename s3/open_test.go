package s3

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// opening describes S3 to the tests of Open that all providers share.
func opening() fake.Opening[Option] {
	return fake.Opening[Option]{
		Open: Open, Scheme: "s3", Bucket: "bucket", Server: "an endpoint is a parameter", Query: "region=us-east-1", Text: "region", TooFew: MaxInFlight(-1),
	}
}

func TestOpenRefuses(t *testing.T) {
	credentialsForTests(t)
	p := opening()
	fake.Mistakes(t, p,
		p.Mistake("endpoint without host", "s3://b?endpoint=http://", "endpoint"),
		p.Mistake("endpoint with a password", "s3://b?endpoint=http://u:hush@h", "endpoint"),
		p.Mistake("endpoint of another kind", "s3://b?endpoint=ftp://h", "endpoint"),
		p.Mistake("checksums", "s3://b?request_checksum_calculation=never", "when_required"),
		p.Mistake("encryption", "s3://b?ssetype=rot13", "rot13"),
		p.Mistake("key without KMS", "s3://b?kmskeyid=k", "ssetype"),
		p.Mistake("storage class", "s3://b?storage_class=attic", "attic"),
		p.Mistake("role", "s3://b?role=me", "arn:"),
		p.Mistake("anonymous with a profile", "s3://b?profile=p", "anonymous", Anonymous()),
		p.Mistake("client with a region", "s3://b?region=us-east-1", "s3.Client", Client(awss3.New(awss3.Options{}))),
	)
	_, err := Open(t.Context(), "s3://b?profile=nobody")
	if !errors.Is(err, fault.Refused) || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("unknown profile: %v", err)
	}
}

func TestRegion(t *testing.T) {
	credentialsForTests(t)
	for _, c := range []struct {
		name, url, env string
		want           string
	}{
		{"parameter", "s3://b?region=eu-west-1", "", "eu-west-1"},
		{"environment", "s3://b", "eu-west-2", "eu-west-2"},
		{"parameter before environment", "s3://b?region=eu-west-1", "eu-west-2", "eu-west-1"},
		{"endpoint", "s3://b?endpoint=http://127.0.0.1:9000", "", "us-east-1"},
		{"anonymous", "s3://b?anonymous=true", "", "us-east-1"},
		{"nothing: S3 will say", "s3://b", "", "us-east-1"},
		{"an access point's", "s3://" + accessPoint, "", "eu-west-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("AWS_REGION", c.env)
			var client *awss3.Client
			if !store.As(open(t, c.url), &client) {
				t.Fatal("no client")
			}
			if got := client.Options().Region; got != c.want {
				t.Errorf("region %q, want %q", got, c.want)
			}
		})
	}
	_, err := Open(t.Context(), "s3://b--use1-az4--x-s3")
	if !errors.Is(err, fault.Refused) || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("without a region: %v", err)
	}
}

func TestHandles(t *testing.T) {
	credentialsForTests(t)
	s := open(t, "s3://b/p/q/?region=us-east-1&endpoint=127.0.0.1:9000&disable_https=true&awssdk=v2&rate_limiter_capacity=5", MaxInFlight(7))
	if got, want := store.Name(s), "s3://b/p/q?endpoint=http://127.0.0.1:9000"; got != want {
		t.Errorf("name %q, want %q", got, want)
	}
	var bucket *gcblob.Bucket
	if !store.As(s, &bucket) || bucket == nil {
		t.Error("no *gcblob.Bucket")
	}
	if tu := store.TuningOf(s); tu.Requests != 7 || tu.ListPage != 1000 || tu.Reason == "" {
		t.Errorf("tuning %+v", tu)
	}
	if tu := store.TuningOf(open(t, "s3://b?region=us-east-1")); tu.Requests != 128 {
		t.Errorf("tuning %+v", tu)
	}
}

func TestClientContradicts(t *testing.T) {
	credentialsForTests(t)
	client := Client(awss3.New(awss3.Options{}))
	fake.ClientContradicts(t, opening(), "s3://b", "s3.Client", client, map[string]Option{
		"region": Region("eu-west-1"), "endpoint": Endpoint("https://h"), "path style": PathStyle(), "profile": Profile("p"),
		"role": Role("arn:aws:iam::1:role/r"), "anonymous": Anonymous(), "credentials": Credentials(aws.AnonymousCredentials{}),
		"HTTP client": HTTPClient(http.DefaultClient),
	})
}

func TestOpenCancelled(t *testing.T) { credentialsForTests(t); fake.OpenCancelled(t, opening()) }

func TestOptionsPrint(t *testing.T) {
	for want, o := range map[string]Option{
		`s3.Anonymous()`: Anonymous(), `s3.Region("eu-west-1")`: Region("eu-west-1"), `s3.MaxInFlight(7)`: MaxInFlight(7),
	} {
		if o.String() != want {
			t.Errorf("got %s, want %s", o, want)
		}
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{"s3://b/p?region=r", "s3://b?endpoint=http://h&anonymous=true", "s3://%zz", "s3://u:p@b", "s3:b", "s3://b/..", "s3://b?ssetype=aes256&x", "s3://" + accessPoint + "/p?x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := &config{}
		if c.parseURL(s) == nil && c.check() == nil {
			if c.bucket == "" || store.CheckPrefix(c.prefix) != nil {
				t.Errorf("%q: bucket %q, prefix %q", s, c.bucket, c.prefix)
			}
		}
	})
}
