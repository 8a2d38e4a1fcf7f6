package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// world responds as all of AWS's services and every other host.
func world(f *Fake) http.HandlerFunc {
	soon := func() string { return time.Now().Add(time.Hour).UTC().Format(time.RFC3339) }
	keys := func() string {
		return fmt.Sprintf(`{"Code":"Success","AccessKeyId":"AKIAX","SecretAccessKey":"s","Token":"session-x","Expiration":%q}`, soon())
	}
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.Host, "sts.") || strings.HasPrefix(r.Host, "sts-fips."):
			name := "AssumeRole"
			if _ = r.ParseForm(); r.Form.Get("WebIdentityToken") != "" {
				name += "WithWebIdentity"
			}
			fmt.Fprintf(w, `<%[1]sResponse><%[1]sResult><Credentials><AccessKeyId>AKIAY</AccessKeyId><SecretAccessKey>s</SecretAccessKey>`+
				`<SessionToken>session-y</SessionToken><Expiration>%[2]s</Expiration></Credentials></%[1]sResult></%[1]sResponse>`, name, soon())
		case r.URL.Path == "/creds" || r.Host == "169.254.169.254" && strings.HasSuffix(r.URL.Path, "/me"):
			_, _ = w.Write([]byte(keys()))
		case r.Host == "169.254.169.254" && strings.HasSuffix(r.URL.Path, "/token"):
			w.Header().Set("X-Aws-Ec2-Metadata-Token-Ttl-Seconds", "600")
			_, _ = w.Write([]byte("imds-token"))
		case r.Host == "169.254.169.254":
			_, _ = w.Write([]byte("me"))
		default:
			w.Header().Set(regionHeader, "us-east-1")
			hosted(f)(w, r)
		}
	}
}

// identities returns the environments of all kinds of credentials.
func identities(t *testing.T) map[string]map[string]string {
	token := filepath.Join(t.TempDir(), "token")
	succeed(t, os.WriteFile(token, []byte("web-identity"), 0o600))
	none := map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
	with := func(more map[string]string) map[string]string {
		maps.Copy(more, none)
		return more
	}
	return map[string]map[string]string{
		"keys":         {},
		"session":      {"AWS_SESSION_TOKEN": "session-z"},
		"web identity": with(map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": token, "AWS_ROLE_ARN": role}),
		"container": with(map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1/creds",
			"AWS_CONTAINER_AUTHORIZATION_TOKEN": "container-token"}),
		"instance": with(map[string]string{"AWS_EC2_METADATA_DISABLED": ""}),
	}
}

// TestTrust checks that signatures are sent over https, or over http within private networks or if
// something outside the URL allows it. Tokens of the identity are sent to AWS's services and this
// machine only. No request leaves this process.
func TestTrust(t *testing.T) {
	const at = "s3://zarr-test?region=us-east-1"
	allowed, refused := error(nil), error(fault.Refused)
	for _, c := range []struct {
		name string
		url  string
		env  map[string]string
		opts []Option
		host string // receives the bucket's requests, with its port
		want error  // of the signed requests
	}{
		{"AWS", at, nil, nil, "zarr-test.s3.us-east-1.amazonaws.com", allowed},
		{"AWS over http", at + "&disable_https=true", nil, nil, "zarr-test.s3.us-east-1.amazonaws.com", refused},
		{"a region of its own", "s3://zarr-test?region=evil", nil, nil, "zarr-test.s3.evil.amazonaws.com", allowed},
		{"a role", at + "&role=" + role, nil, nil, "zarr-test.s3.us-east-1.amazonaws.com", allowed},
		{"a role of another", at + "&role=arn:aws:iam::999999999999:role/evil.example", nil, nil, "zarr-test.s3.us-east-1.amazonaws.com", allowed},
		{"a role, elsewhere", at + "&endpoint=https://evil.example&role=" + role, nil, nil, "zarr-test.evil.example", allowed},
		{"a role, elsewhere over http", at + "&endpoint=http://evil.example&role=" + role, nil, nil, "zarr-test.evil.example", refused},
		{"dualstack", at + "&dualstack=true", nil, nil, "zarr-test.s3.dualstack.us-east-1.amazonaws.com", allowed},
		{"fips", at + "&fips=true&role=" + role, nil, nil, "zarr-test.s3-fips.us-east-1.amazonaws.com", allowed},
		{"accelerate over http", at + "&accelerate=true&disable_https=true", nil, nil, "zarr-test.s3-accelerate.amazonaws.com", refused},
		{"another host", at + "&endpoint=https://evil.example", nil, nil, "zarr-test.evil.example", allowed},
		{"http", at + "&endpoint=http://evil.example", nil, nil, "zarr-test.evil.example", refused},
		{"http by another name", at + "&endpoint=evil.example&disable_https=true", nil, nil, "zarr-test.evil.example", refused},
		{"https made http", at + "&endpoint=https://evil.example&disable_https=true", nil, nil, "zarr-test.evil.example", refused},
		{"HTTP", at + "&endpoint=HTTP://evil.example", nil, nil, "zarr-test.evil.example", refused},
		{"a public address", at + "&use_path_style=true&endpoint=http://8.8.8.8", nil, nil, "8.8.8.8", refused},
		{"beside a private network", at + "&use_path_style=true&endpoint=http://172.32.0.1", nil, nil, "172.32.0.1", refused},
		{"a carrier's network", at + "&use_path_style=true&endpoint=http://100.64.0.1", nil, nil, "100.64.0.1", refused},
		{"a public address of version 6", at + "&use_path_style=true&endpoint=http://[2001:db8::1]", nil, nil, "[2001:db8::1]", refused},
		{"a public address in one of version 6", at + "&use_path_style=true&endpoint=http://[::ffff:8.8.8.8]", nil, nil, "[::ffff:8.8.8.8]", refused},
		{"a name that begins as an address", at + "&use_path_style=true&endpoint=http://10.0.0.1.evil.example", nil, nil, "10.0.0.1.evil.example", refused},
		{"a name that begins as localhost", at + "&use_path_style=true&endpoint=http://localhost.evil.example", nil, nil, "localhost.evil.example", refused},
		{"an address in octal", at + "&use_path_style=true&endpoint=http://0177.0.0.1", nil, nil, "0177.0.0.1", refused},
		{"this machine", at + "&use_path_style=true&endpoint=http://127.0.0.1:9000", nil, nil, "127.0.0.1:9000", allowed},
		{"this machine, version 6", at + "&use_path_style=true&endpoint=http://[::1]:9000", nil, nil, "[::1]:9000", allowed},
		{"this machine by name", at + "&use_path_style=true&endpoint=http://localhost:9000", nil, nil, "localhost:9000", allowed},
		{"a private network", at + "&use_path_style=true&endpoint=http://10.1.2.3:9000", nil, nil, "10.1.2.3:9000", allowed},
		{"a private network of version 6", at + "&use_path_style=true&endpoint=http://[fd00::1]", nil, nil, "[fd00::1]", allowed},
		{"a link", at + "&use_path_style=true&endpoint=http://169.254.7.7", nil, nil, "169.254.7.7", allowed},
		{"http, allowed", at + "&endpoint=http://store.example", nil, []Option{AllowHTTP()}, "zarr-test.store.example", allowed},
		{"AWS over http, allowed", at + "&disable_https=true", nil, []Option{AllowHTTP()}, "zarr-test.s3.us-east-1.amazonaws.com", allowed},
		{"http by an option", at, nil, []Option{Endpoint("http://store.example")}, "zarr-test.store.example", allowed},
		{"https by an option, http by the URL", at + "&disable_https=true", nil, []Option{Endpoint("https://store.example")}, "zarr-test.store.example", refused},
		{"a host by an option, http by the URL", at + "&disable_https=true", nil, []Option{Endpoint("store.example")}, "zarr-test.store.example", refused},
		{"http by the environment", at, map[string]string{"AWS_ENDPOINT_URL_S3": "http://store.example"}, nil, "zarr-test.store.example", allowed},
		{"http by both", at + "&endpoint=http://store.example", map[string]string{"AWS_ENDPOINT_URL_S3": "http://store.example"}, nil,
			"zarr-test.store.example", allowed},
		{"http by the environment, another by the URL", at + "&endpoint=http://evil.example", map[string]string{"AWS_ENDPOINT_URL_S3": "http://store.example"},
			nil, "zarr-test.evil.example", refused},
		{"https by the environment, http by the URL", at + "&disable_https=true", map[string]string{"AWS_ENDPOINT_URL_S3": "https://store.example"}, nil,
			"zarr-test.store.example", refused},
		{"a bucket like a host", "s3://evil.example?region=us-east-1", nil, nil, "s3.us-east-1.amazonaws.com", allowed},
		{"unsigned", at + "&anonymous=true&endpoint=http://evil.example", nil, nil, "zarr-test.evil.example", allowed},
	} {
		for who, env := range identities(t) {
			t.Run(c.name+" by "+who, func(t *testing.T) {
				credentialsForTests(t)
				for _, e := range []map[string]string{env, c.env} {
					for k, v := range e {
						t.Setenv(k, v)
					}
				}
				net := &cloud{serve: world(newFake())}
				s := bare(t, c.url, append(c.opts, inCloud(t, net))...)
				_, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{})
				_, err2 := s.Get(t.Context(), "other", store.GetOptions{}, nil)
				if c.want != nil {
					fake.WantKind(t, err, c.want)
					fake.WantKind(t, err2, c.want)
				} else if noBucket := strings.Contains(fmt.Sprint(err), "NoSuchBucket"); err != nil && !noBucket {
					t.Error(err)
				}
				reached := false
				for _, r := range net.requests() {
					reached = reached || r.URL.Host == c.host
					for _, secret := range secrets(r) {
						if !mayGo(secret, r, c.host, c.want == nil) {
							t.Errorf("%s went to %s://%s", secret, r.URL.Scheme, r.URL.Host)
						}
					}
				}
				if reached != (c.want == nil) {
					t.Errorf("%s was asked: %v", c.host, reached)
				}
			})
		}
	}
}

// secrets returns the parts of a request that its receiver could reuse.
func secrets(r *http.Request) (found []string) {
	auth := r.Header.Get("Authorization")
	switch {
	case strings.HasPrefix(auth, "AWS4-"), r.Header.Get("X-Amz-Security-Token") != "":
		found = append(found, "a signature")
	case auth != "":
		found = append(found, "the container's token")
	}
	if r.Header.Get("X-Aws-Ec2-Metadata-Token") != "" {
		found = append(found, "the instance's token")
	}
	if strings.Contains(r.URL.RawQuery+bodyOf(r), "web-identity") {
		found = append(found, "the web identity")
	}
	return found
}

func bodyOf(r *http.Request) string {
	b, _ := r.Context().Value(bodyKey{}).(string)
	return b
}

// mayGo states the rule, independently of the code under test.
func mayGo(secret string, r *http.Request, bucketHost string, allowed bool) bool {
	host, aws := r.URL.Hostname(), strings.HasSuffix(r.URL.Host, ".amazonaws.com") || strings.HasSuffix(r.URL.Host, ".api.aws")
	switch secret {
	case "the container's token":
		return r.URL.Host == "127.0.0.1:1"
	case "the instance's token":
		return host == "169.254.169.254"
	case "the web identity":
		return r.URL.Scheme == "https" && aws && strings.HasPrefix(host, "sts")
	}
	return r.URL.Scheme == "https" && (aws || r.URL.Host == bucketHost) || allowed && r.URL.Host == bucketHost
}

// TestRegionIsNoHost checks that names that are not valid in a host name are rejected as a region.
// A region is part of host names, including that of the service that receives the identity's token.
func TestRegionIsNoHost(t *testing.T) {
	credentialsForTests(t)
	for _, region := range []string{"evil.example%23", "evil.example%2F", "x.y", "a%20b", "evil.example%3F", "%40evil", strings.Repeat("a", 64)} {
		var u *UsageError
		if _, err := Open(t.Context(), "s3://b?region="+region); !errors.As(err, &u) {
			t.Errorf("%q: %v", region, err)
		}
	}
}

// TestTrustByAddress checks that the transport of this package decides by the address that a name
// resolves to, and writes nothing to a public address.
func TestTrustByAddress(t *testing.T) {
	for _, c := range []struct {
		name, url, leadsTo string
		want               bool
	}{
		{"a name in a private network", "http://minio:9000", "10.0.0.7:9000", true},
		{"a name of this machine", "http://localhost:9000", "127.0.0.1:9000", true},
		{"a public name", "http://evil.example", "93.184.216.34:80", false},
		{"a name like a private one", "http://10.0.0.1.evil.example", "93.184.216.34:80", false},
		{"localhost that is not", "http://localhost", "93.184.216.34:80", false},
		{"a public name that leads into the private network", "http://store.example", "192.168.3.4:80", true},
		{"this machine by no address", "http://0.0.0.0:9000", "127.0.0.1:9000", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var written atomic.Int64
			dial := func(context.Context, string, string) (net.Conn, error) {
				near, far := net.Pipe()
				go func() { // the server of this connection
					defer far.Close()
					buf := make([]byte, 4096)
					n, _ := far.Read(buf)
					if written.Add(int64(n)); n > 0 {
						_, _ = far.Write([]byte("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"))
						_, _ = io.Copy(io.Discard, far)
					}
				}()
				return &elsewhere{near, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.leadsTo))}, nil
			}
			cfg := &config{stack: provider.Stack{InFlight: 1}} // with its own transport
			way := cfg.transport(awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.DialContext = dial }))
			defer func() { _ = cfg.release() }()
			r, err := http.NewRequestWithContext(t.Context(), "PUT", c.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=…")
			resp, err := (&cleartext{client: way, dials: true}).Do(r)
			if err == nil {
				_ = resp.Body.Close()
			}
			var refused *provider.Failure
			if got := err == nil; got != c.want || !got && !errors.As(err, &refused) || (written.Load() > 0) != c.want {
				t.Errorf("%v, %d bytes were written", err, written.Load())
			}
		})
	}
}

// elsewhere is a connection that reports another remote address.
type elsewhere struct {
	net.Conn
	at net.Addr
}

func (e *elsewhere) RemoteAddr() net.Addr { return e.at }

// TestLocalhost checks that http to a name of this machine needs no permission, and requests
// succeed.
func TestLocalhost(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	s := open(t, strings.Replace(f.At(""), "127.0.0.1", "localhost", 1))
	if _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{}); err != nil {
		t.Error(err)
	}
}
