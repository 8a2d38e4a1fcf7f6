package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/faultproxy"
)

func start(t *testing.T) (string, *faultproxy.Proxy) {
	t.Helper()
	s := &server{st: newStore("", false)}
	s.proxy = faultproxy.StartLocal(t, s, operation, faultproxy.Config{})
	return s.proxy.URL(), s.proxy
}

// answer is a response without its body. The status is 0 if there was no response.
type answer struct {
	StatusCode int
	Header     http.Header
}

// do sends a request and reads the response. If the body does not end properly, do returns the
// error after "ERR" instead of the body.
func do(t *testing.T, method, url, body string, hdr ...string) (answer, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(hdr); i += 2 {
		r.Header.Set(hdr[i], hdr[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err.Error()
	}
	got := answer{resp.StatusCode, resp.Header}
	b, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return got, "ERR " + err.Error()
	}
	return got, string(b)
}

func TestRangesAndConditions(t *testing.T) {
	u, _ := start(t)
	r, _ := do(t, "PUT", u+"/b/k", "0123456789")
	tag := r.Header.Get("ETag")
	for _, c := range []struct {
		rng  string
		code int
		body string
	}{{"", 200, "0123456789"}, {"bytes=2-4", 206, "234"}, {"bytes=7-", 206, "789"}, {"bytes=-3", 206, "789"}, {"bytes=-30", 206, "0123456789"},
		{"bytes=9-99", 206, "9"}, {"bytes=0-9223372036854775807", 206, "0123456789"}, {"bytes=10-", 416, ""}, {"bytes=-0", 416, ""}, {"bytes=4-2", 200, "0123456789"}, {"bytes=0-1,4-5", 200, "0123456789"}} {
		h := []string{}
		if c.rng != "" {
			h = []string{"Range", c.rng}
		}
		r, b := do(t, "GET", u+"/b/k", "", h...)
		if r.StatusCode != c.code || (c.code < 300 && b != c.body) {
			t.Errorf("%q: %d %q, want %d %q", c.rng, r.StatusCode, b, c.code, c.body)
		}
	}
	for _, c := range []struct {
		method, h, v string
		code         int
	}{{"GET", "If-Match", tag, 200}, {"GET", "If-Match", `"x"`, 412}, {"GET", "If-None-Match", tag, 304}, {"GET", "If-None-Match", `"x"`, 200},
		{"PUT", "If-None-Match", "*", 412}, {"PUT", "If-Match", `"x"`, 412}, {"HEAD", "If-None-Match", tag, 304}} {
		if r, _ := do(t, c.method, u+"/b/k", "", c.h, c.v); r.StatusCode != c.code {
			t.Errorf("%v: %d", c, r.StatusCode)
		}
	}
	if r, _ := do(t, "PUT", u+"/b/new", "x", "If-Match", `"x"`); r.StatusCode != 404 {
		t.Errorf("If-Match on a missing key: %d", r.StatusCode)
	}
	if r, _ := do(t, "GET", u+"/b/none", ""); r.StatusCode != 404 {
		t.Errorf("missing: %d", r.StatusCode)
	}
}

func TestListPages(t *testing.T) {
	u, s := start(t)
	for _, k := range []string{"a/1", "a/2", "b", "c/x/1", "c/y", "d", "e/1"} {
		do(t, "PUT", u+"/b/"+k, "x")
	}
	type res struct {
		IsTruncated           bool
		NextContinuationToken string
		Contents              []struct{ Key string }
		CommonPrefixes        []struct{ Prefix string }
	}
	for max := 1; max <= 7; max++ {
		var got []string
		tok := ""
		for range 20 {
			_, b := do(t, "GET", fmt.Sprintf("%s/b?list-type=2&delimiter=/&max-keys=%d&continuation-token=%s", u, max, tok), "")
			var v res
			if err := xml.Unmarshal([]byte(b), &v); err != nil {
				t.Fatal(err, b)
			}
			for _, c := range v.Contents {
				got = append(got, c.Key)
			}
			for _, c := range v.CommonPrefixes {
				got = append(got, c.Prefix)
			}
			if tok = v.NextContinuationToken; !v.IsTruncated {
				break
			}
		}
		// Within one page S3 lists contents before prefixes, so the test compares sets.
		want := map[string]bool{"a/": true, "b": true, "c/": true, "d": true, "e/": true}
		for _, g := range got {
			if !want[g] {
				t.Fatalf("max-keys %d: unexpected or repeated %q in %v", max, g, got)
			}
			delete(want, g)
		}
		if len(want) != 0 {
			t.Fatalf("max-keys %d: missing %v", max, want)
		}
	}
	_, b := do(t, "GET", u+"/b?list-type=2&prefix=c/&start-after=c/x/1", "")
	if !strings.Contains(b, "<Key>c/y</Key>") || strings.Contains(b, "c/x/1</Key>") {
		t.Error(b)
	}
	if s.Stats().Operations["ListObjectsV2"] == 0 {
		t.Error("not counted")
	}
}

func TestMultipartAndDelete(t *testing.T) {
	u, _ := start(t)
	_, b := do(t, "POST", u+"/b/k?uploads", "")
	id := b[strings.Index(b, "<UploadId>")+10 : strings.Index(b, "</UploadId>")]
	big := strings.Repeat("z", 5<<20)
	r1, _ := do(t, "PUT", u+"/b/k?partNumber=1&uploadId="+id, big)
	r2, _ := do(t, "PUT", u+"/b/k?partNumber=2&uploadId="+id, "tail")
	x := fmt.Sprintf("<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>%s</ETag></Part><Part><PartNumber>2</PartNumber><ETag>%s</ETag></Part></CompleteMultipartUpload>", r1.Header.Get("ETag"), r2.Header.Get("ETag"))
	if r, b := do(t, "POST", u+"/b/k?uploadId="+id, x); r.StatusCode != 200 {
		t.Fatal(b)
	}
	if _, b := do(t, "GET", u+"/b/k", ""); b != big+"tail" {
		t.Fatal(len(b))
	}
	do(t, "POST", u+"/b?delete", "<Delete><Object><Key>k</Key></Object></Delete>")
	if r, _ := do(t, "HEAD", u+"/b/k", ""); r.StatusCode != 404 {
		t.Fatal(r.StatusCode)
	}
}

func TestAWSChunked(t *testing.T) {
	u, _ := start(t)
	do(t, "PUT", u+"/b/k", "4;chunk-signature=aa\r\nWiki\r\n5\r\npedia\r\n0\r\nx-amz-checksum-crc32:abc=\r\n\r\n",
		"X-Amz-Content-Sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "X-Amz-Decoded-Content-Length", "9", "Content-Encoding", "aws-chunked")
	r, b := do(t, "GET", u+"/b/k", "", "X-Amz-Checksum-Mode", "ENABLED")
	if b != "Wikipedia" || r.Header.Get("x-amz-checksum-crc32") != "abc=" || r.Header.Get("Content-Encoding") != "" {
		t.Error(b, r.Header)
	}
}

// TestControl checks the counters and the removal of objects, which are neither counted nor
// delayed.
func TestControl(t *testing.T) {
	u, s := start(t)
	do(t, "PUT", u+"/b/a/k", "value")
	do(t, "PUT", u+"/b/k", "value")
	if err := s.Configure(faultproxy.Config{Rates: faultproxy.Rates{SlowDown: 1}}); err != nil {
		t.Fatal(err)
	}
	do(t, "GET", u+"/b/k", "")
	_, stats := do(t, "GET", u+"/__stats?reset=1", "")
	for _, want := range []string{
		`"max_concurrent":1`, `"requests":3`, `"ops":{"GetObject":1,"PutObject":2}`, `"statuses":{"200":2,"503":1}`,
		`"faults":{"slow_down":1}`, `"bytes_in":10`, `"connections":`,
	} {
		if !strings.Contains(stats, want) {
			t.Errorf("%s lacks %s", stats, want)
		}
	}
	if _, b := do(t, "GET", u+"/__drop?path=b/a/", ""); b != `{"dropped":1}` {
		t.Error(b)
	}
	if n := s.Stats().Requests; n != 0 {
		t.Errorf("%d requests after the reset", n)
	}
}
