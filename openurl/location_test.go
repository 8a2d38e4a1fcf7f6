package openurl

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

func TestParse(t *testing.T) {
	for _, r := range []struct {
		name, text string
		want       Location
	}{
		{"relative", "data.zarr/t2m", Location{Scheme: "file", Path: "data.zarr/t2m"}},
		{"absolute", "/data/x.zarr", Location{Scheme: "file", Path: "/data/x.zarr"}},
		{"here", ".", Location{Scheme: "file", Path: "."}},
		{"above", "../x", Location{Scheme: "file", Path: "../x"}},
		{"colon", "run:1/x", Location{Scheme: "file", Path: "run:1/x"}},
		{"colon and slash", "run:/x", Location{Scheme: "file", Path: "run:/x"}},
		{"drive", "C:/data", Location{Scheme: "file", Path: "C:/data"}},
		{"drive with two slashes", "C://data", Location{Scheme: "file", Path: "C://data"}},
		{"question mark", "x?y", Location{Scheme: "file", Path: "x?y"}},
		{"bar", "a|b", Location{Scheme: "file", Path: "a|b"}},
		{"file", "file:///data/a%20b", Location{Scheme: "file", Path: "/data/a b"}},
		{"file of localhost", "file://localhost/data", Location{Scheme: "file", Path: "/data"}},
		{"file with one slash", "file:/data", Location{Scheme: "file", Path: "/data"}},
		{"memory", "mem://m/a/b", Location{Scheme: "mem", Host: "m", Path: "a/b"}},
		{"nameless memory", "mem://", Location{Scheme: "mem"}},
		{"bucket", "s3://bucket", Location{Scheme: "s3", Host: "bucket"}},
		{"key", "s3://bucket/a/b/", Location{Scheme: "s3", Host: "bucket", Path: "a/b"}},
		{"parameters", "s3://b/k?endpoint=http://h:9/&region=r", Location{Scheme: "s3", Host: "b", Path: "k", Query: "endpoint=http://h:9/&region=r"}},
		{"access point", "s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/field/a/b?region=r",
			Location{Scheme: "s3", Host: "arn:aws:s3:eu-west-1:123456789012:accesspoint:field", Path: "a/b", Query: "region=r"}},
		{"access point on Outposts", "s3://arn:aws:s3-outposts:us-west-2:123456789012:outpost/op-1/accesspoint/field/a",
			Location{Scheme: "s3", Host: "arn:aws:s3-outposts:us-west-2:123456789012:outpost:op-1:accesspoint:field", Path: "a"}},
		{"bucket by ARN", "s3://arn:aws:s3:::bucket/a", Location{Scheme: "s3", Host: "arn:aws:s3:::bucket", Path: "a"}},
		{"escapes", "s3://b/a%20b%23", Location{Scheme: "s3", Host: "b", Path: "a b#"}},
		{"upper case", "S3://Bucket/Key", Location{Scheme: "s3", Host: "Bucket", Path: "Key"}},
		{"other scheme", "gs://b/k", Location{Scheme: "gs", Host: "b", Path: "k"}},
		{"gcs", "gcs://b/k?anonymous=true", Location{Scheme: "gs", Host: "b", Path: "k", Query: "anonymous=true"}},
		{"az", "az://c/k", Location{Scheme: "azblob", Host: "c", Path: "k"}},
		{"abfs", "abfs://c/k?storage_account=a", Location{Scheme: "azblob", Host: "c", Path: "k", Query: "storage_account=a"}},
		{"abfss", "abfss://c@acct.dfs.core.windows.net/k/", Location{Scheme: "azblob", Host: "c", Path: "k", Query: "storage_account=acct"}},
		{"abfss of a container", "ABFSS://c@acct.dfs.core.windows.net", Location{Scheme: "azblob", Host: "c", Query: "storage_account=acct"}},
		{"abfss of a cloud of its own", "abfss://c@acct.dfs.core.usgovcloudapi.net/k?anonymous=true",
			Location{Scheme: "azblob", Host: "c", Path: "k", Query: "storage_account=acct&domain=blob.core.usgovcloudapi.net&anonymous=true"}},
		{"wasbs", "wasbs://c@acct.blob.core.windows.net/a.zip|zip:x", Location{Scheme: "azblob", Host: "c", Path: "a.zip", Query: "storage_account=acct", Inside: []string{"zip:x"}}},
		{"zip", "a.zip|zip:x/y", Location{Scheme: "file", Path: "a.zip", Inside: []string{"zip:x/y"}}},
		{"zip in a bucket", "s3://b/a.zip?region=r|zip:x|y|zip:z", Location{Scheme: "s3", Host: "b", Path: "a.zip", Query: "region=r", Inside: []string{"zip:x|y", "zip:z"}}},
	} {
		t.Run(r.name, func(t *testing.T) {
			got, err := parse(r.text, false)
			if err != nil || !reflect.DeepEqual(got, r.want) {
				t.Errorf("%+v, %v; want %+v", got, err, r.want)
			}
		})
	}
}

func TestParseWindows(t *testing.T) {
	for _, r := range []struct{ name, text, path string }{
		{"drive", `C:\data\x.zarr`, `C:\data\x.zarr`},
		{"relative", `data\x`, `data\x`},
		{"share", `\\server\share\x`, `\\server\share\x`},
		{"file", "file:///C:/data", "C:/data"},
	} {
		t.Run(r.name, func(t *testing.T) {
			l, err := parse(r.text, true)
			if err != nil || l.Scheme != "file" || l.Path != r.path {
				t.Errorf("%+v, %v", l, err)
			}
		})
	}
}

func TestUnsafe(t *testing.T) {
	for _, text := range []string{
		"s3://b/a/../b", "s3://b/%2e%2e/b", `s3://b/a\b`, "s3://b/a%5cb", "s3://b/a//b", "mem://m/..", "s3://b/a%00", "s3://b/a%ff", "s3://b/./a",
		"file:///a/../b", "file:///a/%2e%2e/b", `file:///a\b`, `a\b`, "a\x00b", "a\xff", "s3://b/" + strings.Repeat("k", 1025),
	} {
		t.Run(text[:min(len(text), 30)], func(t *testing.T) {
			if _, err := parse(text, false); !errors.Is(err, fault.Path) {
				t.Error(err)
			}
		})
	}
}

func TestSyntax(t *testing.T) {
	for _, text := range []string{"", "s3://", "s3:///k", "s3://b/%zz", "s3://b/k#f", "file://host/x", "file:///x?y", "file://", "s3://id:secret@b/k", "s3://a b/k", "s3://a%2fb/k",
		"abfss://id:secret@b/k", "abfss://c@evil.example/k", "abfss://c@acct.dfs.core.windows.net.evil.example/k", "abfss://@acct.dfs.core.windows.net/k",
		"abfss://c:secret@acct.dfs.core.windows.net/k", "az://c@d@acct.dfs.core.windows.net/k"} {
		t.Run(text, func(t *testing.T) {
			l, err := parse(text, false)
			var s *SyntaxError
			if !errors.As(err, &s) {
				t.Fatal(err)
			}
			if strings.Contains(err.Error()+l.String(), "secret") {
				t.Errorf("%v, %v: the password shows", l, err)
			}
		})
	}
}

func TestPrint(t *testing.T) {
	for _, r := range []struct{ text, short, whole string }{
		{"s3://b/a%20b?region=r", "s3://b/a%20b", "s3://b/a%20b?region=r"},
		{"s3://b?region=r|zip:x", "s3://b|zip:x", "s3://b?region=r|zip:x"},
		{"mem://m/x", "mem://m/x", "mem://m/x"},
		{"file:///x/y", "/x/y", "/x/y"},
	} {
		t.Run(r.text, func(t *testing.T) {
			l, err := Parse(r.text)
			if err != nil || l.String() != r.short || l.URL() != r.whole {
				t.Errorf("%q and %q, %v", l.String(), l.URL(), err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a/b", "s3://b/k?region=r|zip:x", "file:///C:/x", "mem://m/a%20b", "abfss://c@acct.dfs.core.windows.net/k?x=y", "az://c/k", `C:\x`, "a|b|zip:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := parse(s, false)
		if err != nil || l.Scheme == "file" {
			return
		}
		again, err := parse(l.URL(), false)
		if err != nil || !reflect.DeepEqual(again, l) {
			t.Errorf("%q: %+v prints as %q, which is %+v, %v", s, l, l.URL(), again, err)
		}
	})
}
