package gcs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gcsapi "cloud.google.com/go/storage"
	gcblob "gocloud.dev/blob"
	"golang.org/x/oauth2"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// opening describes GCS for the tests of Open that all providers share.
func opening() fake.Opening[Option] {
	return fake.Opening[Option]{
		Open: Open, Scheme: "gs", Bucket: "bucket", Server: "an endpoint is a parameter", Text: "user_project", TooFew: MaxInFlight(-1),
	}
}

func TestOpenRefuses(t *testing.T) {
	noEnvironment(t)
	p := opening()
	fake.Mistakes(t, p,
		p.Mistake("grpc", "gs://b?grpc=true", "grpc"),
		p.Mistake("endpoint without host", "gs://b?endpoint=http://", "endpoint"),
		p.Mistake("endpoint with a password", "gs://b?endpoint=http://u:hush@h", "endpoint"),
		p.Mistake("endpoint with a path", "gs://b?endpoint=http://h/storage", "endpoint"),
		p.Mistake("two ways", "gs://b?anonymous=true", "only one", TokenSource(oauth2.StaticTokenSource(nil))),
		p.Mistake("short key", "gs://b", "32", EncryptionKey([]byte("short"))),
		p.Mistake("two keys", "gs://b?kms_key=projects/p", "cannot be combined", EncryptionKey(make([]byte, 32))),
		p.Mistake("KMS key", "gs://b?kms_key=k", "projects/"),
	)
}

// TestNoCredentials checks the error if GOOGLE_APPLICATION_CREDENTIALS names a file that does not
// exist.
func TestNoCredentials(t *testing.T) {
	noEnvironment(t)
	_, err := Open(t.Context(), "gs://b")
	wantKind(t, err, fault.Refused)
	if !strings.Contains(err.Error(), "GOOGLE_APPLICATION_CREDENTIALS") || !strings.Contains(err.Error(), "anonymous=true") {
		t.Errorf("the message does not say what to do: %v", err)
	}
	file := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, file + "x"} {
		_, err = Open(t.Context(), "gs://b", CredentialsFile(path))
		wantKind(t, err, fault.Refused)
	}
}

func TestEmulator(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Set("k", object{value: []byte("v")})
	for _, host := range []string{f.URL, strings.TrimPrefix(f.URL, "http://")} {
		t.Setenv("STORAGE_EMULATOR_HOST", host)
		v, err := open(t, "gs://zarr-test").Get(t.Context(), "k", store.GetOptions{}, nil)
		if err != nil || string(v.Bytes) != "v" {
			t.Errorf("%s: got %q, %v", host, v.Bytes, err)
		}
	}
}

func TestHandles(t *testing.T) {
	noEnvironment(t)
	s := open(t, "gs://b/p/q/?endpoint=http://127.0.0.1:9&access_id=-&private_key_path=x&zonal=false", MaxInFlight(7))
	if got, want := store.Name(s), "gs://b/p/q?endpoint=http://127.0.0.1:9"; got != want {
		t.Errorf("name %q, want %q", got, want)
	}
	var bucket *gcblob.Bucket
	var client *gcsapi.Client
	if !store.As(s, &bucket) || bucket == nil || !store.As(s, &client) || client == nil {
		t.Error("a handle is missing")
	}
	if tu := store.TuningOf(s); tu.Requests != 7 || tu.ListPage != 1000 || tu.Reason == "" {
		t.Errorf("tuning %+v", tu)
	}
}

func TestOpenCancelled(t *testing.T) { noEnvironment(t); fake.OpenCancelled(t, opening()) }

func TestOptionsPrint(t *testing.T) {
	for want, o := range map[string]Option{
		`gcs.Anonymous()`: Anonymous(), `gcs.UserProject("p")`: UserProject("p"), `gcs.EncryptionKey(…)`: EncryptionKey(make([]byte, 32)),
	} {
		if o.String() != want {
			t.Errorf("got %s, want %s", o, want)
		}
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{"gs://b/p?anonymous=true", "gs://b?endpoint=http://h", "gs://%zz", "gs://u:p@b", "gs:b", "gs://b/.."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := &config{}
		if c.read(s, nil) == nil && (c.bucket == "" || store.CheckPrefix(c.prefix) != nil) {
			t.Errorf("%q: bucket %q, prefix %q", s, c.bucket, c.prefix)
		}
	})
}
