package main

import (
	"net/url"
	"strings"
	"testing"
)

// TestDocumentIsItsNode checks that the URL of a document, as in a listing or a browser, refers to
// the document's node.
func TestDocumentIsItsNode(t *testing.T) {
	t.Chdir(t.TempDir())
	b, p := newBucket(t), newProgram()
	do(t, p, "create g --group")
	do(t, p, "create g/a --shape 2 --dtype int8")
	do(t, p, "create g2 --group --format 2")
	do(t, p, "create g2/a --shape 2 --dtype int8 --format 2 --attrs {\"x\":1}")
	do(t, p, "create "+b.at("b", "")+" --shape 2 --dtype int8")
	do(t, p, "create mem://m/a --shape 2 --dtype int8")
	for _, r := range []struct{ url, where string }{
		{"g/zarr.json", "g"},
		{"g/a/zarr.json", "g/a"},
		{"g2/.zgroup", "g2"},
		{"g2/a/.zarray", "g2/a"},
		{"g2/a/.zattrs", "g2/a"},
		{b.at("b", "zarr.json"), "s3://b"},
		{"mem://m/a/zarr.json", "mem://m/a"},
	} {
		if got := do(t, p, "info "+r.url); !strings.Contains(got, "  "+r.where+"\n") && !strings.Contains(got, " "+r.where+"\n") {
			t.Errorf("%s: %s", r.url, got)
		}
	}
	if got := do(t, p, "ls g/zarr.json"); !strings.HasPrefix(got, "a ") {
		t.Error(got)
	}
	if got := do(t, p, "cat g/a/zarr.json"); got != "[0 0]\n" {
		t.Error(got)
	}
	do(t, p, "attrs g/a/zarr.json --set u=1")
	if got := do(t, p, "attrs g/a"); !strings.Contains(got, `"u"`) {
		t.Error(got)
	}
}

// TestForms checks that URLs in the forms of other tools are accepted. It sends no requests.
func TestForms(t *testing.T) {
	t.Setenv("AZURE_STORAGE_KEY", "a2V5")
	t.Setenv("AZURE_STORAGE_ACCOUNT", "acct")
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "")
	p := newProgram()
	for _, r := range []struct{ url, store string }{
		{"gcs://b/k?anonymous=true", "gs://b/k"},
		{"az://c/k", "azblob://c/k"},
		{"abfs://c/k", "azblob://c/k"},
		{"abfs://c@acct.dfs.core.windows.net/k", "azblob://c/k"},
		{"abfss://c@acct.dfs.core.windows.net/k", "azblob://c/k"},
	} {
		if got := do(t, p, "info --tuning "+r.url); !strings.HasPrefix(got, "store") || !strings.Contains(got, " "+r.store+"\n") {
			t.Errorf("%s: %s", r.url, got)
		}
	}
	fails(t, zargo(t, p, "info s3:/b/k"), 2, "s3://")
	fails(t, zargo(t, p, "info abfss://c@evil.example/k"), 2, "abfss://container@account.dfs.core.windows.net/path")
	fails(t, zargo(t, p, "info ftp://h/k"), 6, `"ftp"`, "a path", "s3", "gs", "azblob", "https")
}

// TestURLOnce checks that a message names the URL once, with the endpoint if it has one.
func TestURLOnce(t *testing.T) {
	b, p := newBucket(t), newProgram()
	lines := []string{"info " + b.at("b", "x"), "ls " + b.at("nob", "x"), "create " + b.at("nob", "x") + " --group", "cat --timeout 300ms s3://b/x?region=us-east-1&endpoint=" + url.QueryEscape("http://127.0.0.1:1"),
		"info s3://b/x?regoin=x", "info gs://b/x?nonsense=x", "info azblob://b/x?nonsense=x", "create s3://b/x?regoin=x --group", "info http://127.0.0.1:1/b/x --timeout 300ms"}
	for _, line := range lines {
		r := zargo(t, p, line)
		if r.code == 0 || strings.Count(r.err, "b/x")+strings.Count(r.err, "nob/x") > 2 || strings.Count(r.err, "://b/x")+strings.Count(r.err, "/nob/x")+strings.Count(r.err, ":1/b/x") != 1 {
			t.Errorf("%s: %s", line, r.err)
		}
	}
}
