package session

import (
	"errors"
	"testing"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestNodeOf checks which parts of a path are the name of a document.
func TestNodeOf(t *testing.T) {
	for text, want := range map[string]string{"a.zip|zip:x/.zarray": "a.zip|zip:x/", "a.zip|zip:zarr.json": "a.zip|zip:", "x.zarr.json": "x.zarr.json", "a/zarr.json/b": "a/zarr.json/b"} {
		l, err := openurl.Parse(text)
		if got := NodeOf(l).String(); err != nil || got != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
}

func TestNativeFormIsSaid(t *testing.T) {
	l := must(openurl.Parse("https://acct.blob.core.windows.net/c/k"))
	key := &fault.KeyError{Op: "get", Key: "zarr.json", Store: l.String() + "/", Kind: fault.NotFound}
	got := FailedAt(l, "", key)
	want := `https://acct.blob.core.windows.net/c/k: get "zarr.json": not found; to use credentials and listings, open it as azblob://c/k?storage_account=acct`
	if got.Error() != want || !errors.Is(got, fault.NotFound) {
		t.Errorf("%v", got)
	}
}

// TestLastSegment checks that names in HTTP URLs are unescaped, and that others have no escapes.
func TestLastSegment(t *testing.T) {
	for where, want := range map[string]string{"http://host/a%20b.zarr/": "a b.zarr", "s3://bucket/x/a%20b": "a%20b", "http://host/a%zz": "a%zz"} {
		if name := LastSegment(where); name != want {
			t.Errorf("LastSegment(%q) is %q, want %q", where, name, want)
		}
	}
}
