package s3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awscredentials "github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// oddKeys returns keys that clients escape differently: each printable ASCII character alone, at
// both ends and doubled, control characters, escape sequences, segments of dots, empty segments,
// other scripts and invalid UTF-8.
func oddKeys() []string {
	keys := []string{
		"k", "c/0/0", "zarr.json", ".zarray", "a/.b", "a/./b", "a/../b", "../a", "..", ".", "a/..", "a//b", "a/", "a///", "/a", "//a", "%41", "%", "%%", "%2F",
		"%2f", "a%20b", "a+b c", "a b", " a ", "?a=b", "a?x-id=GetObject", "#a", "a#b?c", "a&b=c;d", "~user/=@:!$'()*,[]", "\\", "\x00", "\x01\x7f", "\n", "\r\n",
		"é", "e\u0301", "日本/語", "😀", "\u202e", "\ufeff", "\xff\xfe", "\xc3", "a\xc3/b", strings.Repeat("ab/", 300), strings.Repeat("é", 500), "aws4_request",
	}
	for c := byte(' '); c < 0x7f; c++ {
		s := string(c)
		keys = append(keys, s, "a"+s+"b/"+s+s, s+"/end"+s)
	}
	return keys
}

// TestReadsAreTheSDKs checks that reads are byte for byte those of the SDK, except for its attempt
// count, its invocation ID and the operation's name in the query.
func TestReadsAreTheSDKs(t *testing.T) {
	const here = "s3://zarr-test/a b+%c3%a9?region=eu-central-1"
	for name, at := range map[string]string{
		"AWS":                            here,
		"a bucket with dots":             "s3://zarr.test.org?region=us-west-2",
		"us-east-1, no prefix":           "s3://zarr-test?region=us-east-1",
		"path style":                     here + "&use_path_style=true",
		"dual stack and FIPS":            here + "&dualstack=true&fips=true",
		"accelerate":                     here + "&accelerate=true",
		"China":                          "s3://zarr-test?region=cn-north-1",
		"anonymous":                      here + "&anonymous=true",
		"owner":                          here + "&expected_bucket_owner=123456789012",
		"a server":                       here + "&endpoint=http://127.0.0.1:9000&use_path_style=true",
		"a server below a path, by host": here + "&endpoint=https://example.org:444/s3/v1%2B/",
	} {
		t.Run(name, func(t *testing.T) {
			credentialsForTests(t)
			t.Setenv("AWS_SESSION_TOKEN", "token/+=")
			both := [2]*cloud{}
			var buckets [2]*bucket
			for i := range both {
				both[i] = &cloud{serve: value}
				c := parsed(t, at, inCloud(t, both[i]))
				c.sdkReads = i == 1
				client, err := c.connect(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				buckets[i] = newBucket(client, c)
			}
			options := []store.GetOptions{
				{}, {Range: store.Within(7, 1<<40)}, {Range: store.From(9)}, {Range: store.Suffix(1)}, {IfVersion: `"v"`}, {IfNotVersion: `W/"é 1"`},
				{Range: store.Suffix(3), IfVersion: `"v"`, Max: 10},
			}
			for i, key := range oddKeys() {
				for _, o := range []store.GetOptions{{}, options[i%len(options)]} {
					var r [2]*http.Request
					for i, b := range buckets {
						_, _ = b.get(t.Context(), key, o, nil) // the fake response ignores ranges
						if seen := both[i].requests(); len(seen) == 1 {
							r[i] = seen[0]
						}
					}
					switch {
					case r[0] == nil || r[1] == nil:
						t.Errorf("%q: %v, %v", key, r[0], r[1])
					default:
						sameRequest(t, fmt.Sprintf("%q %v", key, o), r[0], r[1])
					}
				}
			}
		})
	}
}

func sameRequest(t *testing.T, name string, direct, sdk *http.Request) {
	t.Helper()
	if sentBySDK(direct) || !sentBySDK(sdk) {
		t.Fatalf("%s: not sent as was asked for", name)
	}
	want, ok := strings.CutSuffix(sdk.URL.String(), "?x-id=GetObject")
	if !ok || direct.URL.String() != want || direct.URL.RequestURI()+"?x-id=GetObject" != sdk.URL.RequestURI() {
		t.Errorf("%s: %s, want %s", name, direct.URL, want)
	}
	if direct.Method != sdk.Method || direct.Host != sdk.Host || direct.URL.Host != sdk.URL.Host || direct.ContentLength != 0 || direct.Body != nil {
		t.Errorf("%s: %s %s", name, direct.Method, direct.Host)
	}
	got, all := direct.Header.Clone(), sdk.Header.Clone()
	for _, own := range []string{attemptHeader, invocationHeader} {
		all.Del(own)
	}
	for _, h := range []http.Header{got, all} {
		auth := h.Get("Authorization")
		auth, _, _ = strings.Cut(auth, "Signature=")
		auth = strings.ReplaceAll(auth, "amz-sdk-invocation-id;amz-sdk-request;", "")
		h.Set("Authorization", auth)
		h.Set(dateHeader, "now")
	}
	if !maps.EqualFunc(got, all, slices.Equal) {
		t.Errorf("%s:\n%v, want\n%v", name, got, all)
	}
}

// TestTemplateStays checks that a request does not change the template, nor another request.
func TestTemplateStays(t *testing.T) {
	credentialsForTests(t)
	net := &cloud{serve: value}
	s := bare(t, "s3://zarr-test?region=us-east-1", inCloud(t, net))
	for _, o := range []store.GetOptions{{Range: store.Suffix(3), IfVersion: `"v"`}, {}} {
		_, _ = s.Get(t.Context(), "k", o, nil)
	}
	second := net.requests()[1]
	if second.Header.Get("Range")+second.Header.Get("If-Match") != "" {
		t.Errorf("%v", second.Header)
	}
}

// memory is a transport that responds with a value from memory.
type memory struct {
	value  []byte
	header http.Header
}

func (m *memory) Do(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: m.header,
		ContentLength: int64(len(m.value)), Body: io.NopCloser(bytes.NewReader(m.value)), Request: r,
	}, nil
}

// inMemory returns a bucket with one value under every key.
func inMemory(t testing.TB, size int, opts ...Option) store.Store {
	m := &memory{make([]byte, size), http.Header{"Etag": {`"v"`}, "Content-Length": {fmt.Sprint(size)}}}
	keys := awscredentials.NewStaticCredentialsProvider("AKIA", "secret", "")
	return bare(t, "s3://zarr-test?region=us-east-1", append([]Option{HTTPClient(m), Credentials(keys)}, opts...)...)
}

// TestReadsAllocateLittle checks the number of allocations of a read without the transport: those
// of the request, the signature and the stall timeout.
func TestReadsAllocateLittle(t *testing.T) {
	if race.Enabled || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("SKIPPED: allocations are counted on linux/amd64, without the race detector")
	}
	credentialsForTests(t)
	for _, c := range []struct {
		name string
		key  string
		o    store.GetOptions
		opts []Option
		want float64
	}{
		{"whole", "c/0/0", store.GetOptions{}, nil, 64},
		{"anonymous", "c/0/0", store.GetOptions{}, []Option{Credentials(aws.AnonymousCredentials{})}, 23},
		{"key to escape", "c 0", store.GetOptions{}, nil, 69},
		{"if version", "c/0/0", store.GetOptions{IfVersion: `"v"`}, nil, 67},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := inMemory(t, 64<<10, c.opts...)
			buf := make([]byte, 64<<10)
			got := testing.AllocsPerRun(200, func() {
				if _, err := s.Get(t.Context(), c.key, c.o, buf[:0]); err != nil {
					t.Fatal(err)
				}
			})
			if got > c.want {
				t.Errorf("%v allocations, more than %v", got, c.want)
			}
		})
	}
}

// absent is a transport that responds to every read with NoSuchKey.
type absent struct{}

func (absent) Do(r *http.Request) (*http.Response, error) {
	const document = `<?xml version="1.0" encoding="UTF-8"?>` + "\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message>" +
		"<Key>c/0/0</Key><RequestId>TTK0S3R7XQ6A7ZB5</RequestId><HostId>host</HostId></Error>"
	return &http.Response{
		StatusCode: 404, Status: "404 Not Found", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/xml"}, "X-Amz-Request-Id": {"TTK0S3R7XQ6A7ZB5"}}, ContentLength: -1,
		Body: io.NopCloser(strings.NewReader(document)), Request: r,
	}, nil
}

// BenchmarkAbsent measures a read of an absent key without a network. Most chunks of a sparse array
// are absent.
func BenchmarkAbsent(b *testing.B) {
	credentialsForTests(b)
	keys := awscredentials.NewStaticCredentialsProvider("AKIA", "secret", "")
	for name, opts := range map[string][]Option{"direct": nil, "SDK": {SDKReads()}} {
		b.Run("by="+name, func(b *testing.B) {
			s := bare(b, "s3://zarr-test?region=us-east-1", append([]Option{HTTPClient(absent{}), Credentials(keys)}, opts...)...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Get(b.Context(), "c/0/0", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReads measures a read without a network.
func BenchmarkReads(b *testing.B) {
	credentialsForTests(b)
	for _, size := range []int{8 << 10, 64 << 10} {
		for name, opts := range map[string][]Option{"direct": nil, "SDK": {SDKReads()}} {
			b.Run(fmt.Sprintf("size=%dKiB/by=%s", size>>10, name), func(b *testing.B) {
				s := inMemory(b, size, opts...)
				buf := make([]byte, size)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Get(b.Context(), "c/0/0", store.GetOptions{}, buf[:0]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
