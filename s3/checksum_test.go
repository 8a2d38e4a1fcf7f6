package s3

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"hash/crc32"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/zargo-io/zargo/zarr/store"
)

// writes sends every request that has a body, and one read of each kind.
func writes(t *testing.T, s store.Store) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Put(t.Context(), "k", []byte("value"), store.PutOptions{})
	check(err)
	_, err = s.Put(t.Context(), "new", nil, store.PutOptions{IfAbsent: true})
	check(err)
	p, err := store.PutParts(t.Context(), s, "parts", store.PartsOptions{})
	check(err)
	check(p.Part(t.Context(), 0, bytes.Repeat([]byte("a"), minPart)))
	check(p.Part(t.Context(), 1, []byte("b")))
	_, err = p.Commit(t.Context(), store.PutOptions{})
	check(err)
	for _, r := range []store.Range{{}, store.From(1), store.Suffix(2)} {
		_, err = s.Get(t.Context(), "k", store.GetOptions{Range: r}, nil)
		check(err)
	}
	for _, err := range store.Pages(t.Context(), s, "", store.ListOptions{}) {
		check(err)
	}
	check(store.DeleteAll(t.Context(), s, []string{"k", "new"}))
	check(s.Delete(t.Context(), "parts", store.DeleteOptions{}))
}

// newer returns the parts of a header that servers other than AWS may reject: checksums added to S3
// in 2022 or later, and bodies in the SDK's chunked form, whose trailer contains them.
func newer(h http.Header) (found []string) {
	for name, values := range h {
		name = strings.ToLower(name)
		v := strings.ToLower(strings.Join(values, ","))
		switch {
		case strings.HasPrefix(name, "x-amz-checksum-"), name == "x-amz-sdk-checksum-algorithm", name == "x-amz-trailer",
			name == "x-amz-decoded-content-length", name == "trailer",
			strings.Contains(v, "aws-chunked"), strings.HasPrefix(v, "streaming-"):
			found = append(found, name+": "+v)
		}
	}
	return found
}

// TestChecksumsOfOtherEndpoints checks that by default, requests to endpoints other than AWS
// contain nothing that R2, Ceph, older MinIO or OVH reject.
func TestChecksumsOfOtherEndpoints(t *testing.T) {
	const at = "s3://zarr-test?region=us-east-1&use_path_style=true"
	for _, c := range []struct {
		name string
		url  string
		env  [2]string
		opts []Option
		sums bool
	}{
		{"by the URL", at + "&endpoint=https://s3.example", [2]string{}, nil, false},
		{"over http", at + "&endpoint=http://127.0.0.1:9000", [2]string{}, nil, false},
		{"by an option", at, [2]string{}, []Option{Endpoint("https://s3.example")}, false},
		{"by the environment", at, [2]string{"AWS_ENDPOINT_URL_S3", "https://s3.example"}, nil, false},
		{"by the environment, for all services", at, [2]string{"AWS_ENDPOINT_URL", "https://s3.example"}, nil, false},
		{"below a name like S3's", at + "&endpoint=https://s3.amazonaws.com.example", [2]string{}, nil, false},
		{"asked for in the URL", at + "&endpoint=https://s3.example&request_checksum_calculation=when_supported", [2]string{}, nil, true},
		{"asked for by an option", at + "&endpoint=https://s3.example", [2]string{}, []Option{ChecksumCalculation("when_supported")}, true},
		{"asked for by the environment", at + "&endpoint=https://s3.example",
			[2]string{"AWS_REQUEST_CHECKSUM_CALCULATION", "when_supported"}, nil, true},
		{"AWS", "s3://zarr-test?region=us-east-1", [2]string{}, nil, true},
		{"AWS by its endpoint", at + "&endpoint=https://s3.us-east-1.amazonaws.com", [2]string{}, nil, true},
		{"AWS, switched off", "s3://zarr-test?region=us-east-1&request_checksum_calculation=when_required", [2]string{}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			credentialsForTests(t)
			if c.env[0] != "" {
				t.Setenv(c.env[0], c.env[1])
			}
			net := &cloud{serve: hosted(newFake())}
			s := bare(t, c.url, append(c.opts, inCloud(t, net))...)
			writes(t, s)
			checkSums(t, net.requests(), c.sums)
		})
	}
	t.Run("a client's", func(t *testing.T) {
		net := &cloud{serve: hosted(newFake())}
		client := awss3.New(awss3.Options{
			BaseEndpoint: aws.String("https://s3.example"), Region: "us-east-1", UsePathStyle: true, HTTPClient: net,
			Credentials: aws.AnonymousCredentials{}, RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		})
		writes(t, bare(t, "s3://zarr-test", Client(client)))
		checkSums(t, net.requests(), false)
		writes(t, bare(t, "s3://zarr-test", Client(client), ChecksumCalculation("when_supported")))
		checkSums(t, net.requests(), true)
	})
}

func checkSums(t *testing.T, requests []*http.Request, want bool) {
	t.Helper()
	if len(requests) < 10 {
		t.Errorf("only %d requests", len(requests))
	}
	for _, r := range requests {
		found := newer(r.Header)
		isDelete := r.URL.Query().Has("delete") // S3 requires a checksum of it
		aws := isAWSHost(hostOf("https://" + r.URL.Host))
		if !want && len(found) > 0 && !(aws && isDelete) {
			t.Errorf("%s %s: %q", r.Method, r.URL, found)
		}
		if want && len(found) == 0 && (r.Method == "PUT" || isDelete) {
			t.Errorf("%s %s has no checksum: %v", r.Method, r.URL, r.Header)
		}
		if r.Header.Get("X-Amz-Checksum-Mode") != "" {
			t.Errorf("%s %s asks for checksums", r.Method, r.URL)
		}
		if md5 := r.Header.Get("Content-Md5"); (md5 != "") != (isDelete && !want && !aws) {
			t.Errorf("%s %s: Content-MD5 is %q", r.Method, r.URL, md5)
		}
	}
}

// TestDeleteObjectsContentMD5 checks that Content-MD5 is that of the body.
func TestDeleteObjectsContentMD5(t *testing.T) {
	credentialsForTests(t)
	net := &cloud{serve: hosted(newFake())}
	s := bare(t, "s3://zarr-test?region=us-east-1&use_path_style=true&endpoint=https://s3.example", inCloud(t, net))
	succeed(t, store.DeleteAll(t.Context(), s, []string{"x", "y"}))
	sum := md5.Sum([]byte(net.body[0]))
	if got, want := net.seen[0].Header.Get("Content-Md5"), base64.StdEncoding.EncodeToString(sum[:]); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMultipartChecksums checks that on AWS a multipart upload declares its checksum algorithm,
// each part carries its own checksum, and the completion repeats them.
func TestMultipartChecksums(t *testing.T) {
	credentialsForTests(t)
	net := &cloud{serve: hosted(newFake())}
	s := bare(t, "s3://zarr-test?region=us-east-1", inCloud(t, net))
	values := [][]byte{bytes.Repeat([]byte("a"), minPart), []byte("b")}
	p, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for n, v := range values {
		succeed(t, p.Part(t.Context(), n, v))
	}
	if _, err := p.Commit(t.Context(), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	begin, end, last := net.seen[0].Header, net.seen[3].Header, net.body[3]
	if begin.Get("X-Amz-Checksum-Algorithm") != "CRC32" || begin.Get("X-Amz-Checksum-Type") != "COMPOSITE" {
		t.Errorf("it begins with %v", begin)
	}
	if end.Get("X-Amz-Checksum-Type") != "COMPOSITE" {
		t.Errorf("it ends with %v", end)
	}
	for n, v := range values {
		sum := crc32.ChecksumIEEE(v)
		want := base64.StdEncoding.EncodeToString([]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
		if sent := net.body[1+n]; !strings.Contains(sent[len(v):], "x-amz-checksum-crc32:"+want) {
			t.Errorf("part %d does not carry %s", n, want)
		}
		if !strings.Contains(last, "<ChecksumCRC32>"+want+"</ChecksumCRC32>") {
			t.Errorf("the end does not repeat %s: %s", want, last)
		}
	}
}

func TestIsAWSHost(t *testing.T) {
	for host, want := range map[string]bool{
		"s3.amazonaws.com": true, "s3.eu-west-1.amazonaws.com": true, "s3-eu-west-1.amazonaws.com": true, "b.s3.amazonaws.com": true,
		"s3.dualstack.us-east-1.amazonaws.com": true, "s3.cn-north-1.amazonaws.com.cn": true, "s3.us-iso-east-1.c2s.ic.gov": true,
		"bucket.vpce-0e25b8cd-argc85vg.s3.us-east-1.vpce.amazonaws.com": true, "s3express-use1-az4.us-east-1.amazonaws.com": true,
		"amazonaws.com": false, "s3.amazonaws.com.example": false, "s3.example": false, "x.execute-api.us-east-1.amazonaws.com": false,
		"ec2-1-2-3-4.compute-1.amazonaws.com": false, "s3amazonaws.com": false, "127.0.0.1": false, "": false,
	} {
		if got := isAWSHost(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
