package azure

import (
	"errors"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestListRequests checks that a listing costs one request per 5000 entries, and that its versions
// equal those of reads.
func TestListRequests(t *testing.T) {
	environment(t)
	f := NewFake(t)
	for i := range 5001 {
		f.Set(fmt.Sprintf("p/c/%d", i), object{value: []byte("x")})
	}
	s := bare(t, f.At("p"))
	for _, depth := range []store.Depth{store.Deep, store.OneLevel} {
		n := 0
		for e, err := range s.List(t.Context(), "c", store.ListOptions{Depth: depth}) {
			if err != nil || e.Size != 1 || e.Dir {
				t.Fatal(e, err)
			}
			if n++; n == 1 {
				if v, err := s.Get(t.Context(), e.Key, store.GetOptions{IfVersion: e.Version}, nil); err != nil || v.Version != e.Version {
					t.Errorf("version %s is listed, %s is read, %v", e.Version, v.Version, err)
				}
				f.Requests()
			}
		}
		if n != 5001 {
			t.Errorf("%d entries", n)
		}
		if got := f.Query().Get("maxresults"); got != "5000" {
			t.Errorf("%s entries were asked for", got)
		}
		if got := f.Requests(); len(got) != 1 { // the listing, before the Get
			t.Errorf("requests %q", got)
		}
	}
}

// TestListForeign checks that responses that resemble a listing are rejected.
func TestListForeign(t *testing.T) {
	environment(t)
	const blob = "<Blob><Name>k</Name><Properties><Etag>1</Etag><Content-Length>1</Content-Length></Properties></Blob>"
	for _, c := range []struct{ name, body string }{
		{"empty", ""},
		{"no blobs", "<EnumerationResults><NextMarker/></EnumerationResults>"},
		{"not said to be complete", "<EnumerationResults><Blobs>" + blob + "</Blobs></EnumerationResults>"},
		{"cut", "<EnumerationResults><Blobs>" + blob},
		{"outside of the prefix", "<EnumerationResults><Blobs>" + blob + "</Blobs><NextMarker/></EnumerationResults>"},
		{"no name", "<EnumerationResults><Blobs><Blob><Properties/></Blob></Blobs><NextMarker/></EnumerationResults>"},
		{"no properties", "<EnumerationResults><Blobs><Blob><Name>p/k</Name></Blob></Blobs><NextMarker/></EnumerationResults>"},
		{"a prefix without name", "<EnumerationResults><Blobs><BlobPrefix/></Blobs><NextMarker/></EnumerationResults>"},
		{"turning in a circle", "<EnumerationResults><Blobs></Blobs><NextMarker>m</NextMarker></EnumerationResults>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFake(t)
			f.Answer(fake.Page(200, "application/xml", c.body))
			for _, depth := range []store.Depth{store.Deep, store.OneLevel} {
				err := error(nil)
				for _, err = range bare(t, f.At("p")).List(t.Context(), "", store.ListOptions{Depth: depth}) {
				}
				if !errors.Is(err, fault.Unavailable) && (c.name != "a prefix without name" || depth != store.Deep) {
					t.Errorf("depth %d: %v", depth, err)
				}
			}
		})
	}
}

// TestListPart checks that a listing of a part of the keys selects them on the server, except for
// StartAfter, for which Azure has no parameter.
func TestListPart(t *testing.T) {
	environment(t)
	f := NewFake(t)
	for i := range fake.PartsOf {
		f.Set(fmt.Sprintf("p/a/%04d", i), object{value: []byte("1")})
	}
	fake.ListParts(t, f.Server, bare(t, f.At("p")))
}

// TestListEncodedNames checks that names that XML cannot represent are decoded. Azure
// percent-encodes such names and marks them as encoded.
func TestListEncodedNames(t *testing.T) {
	environment(t)
	f := NewFake(t)
	f.Answer(fake.Page(200, "application/xml", `<EnumerationResults><Blobs><Blob><Name Encoded="true">p/a%25b</Name><Properties/></Blob>`+
		`<Blob><Name>p/c%25d</Name><Properties/></Blob></Blobs><NextMarker/></EnumerationResults>`))
	var got []string
	for e, err := range bare(t, f.At("p")).List(t.Context(), "", store.ListOptions{}) {
		got = append(got, fmt.Sprint(e.Key, e.Size, err))
	}
	if fmt.Sprint(got) != "[a%b-1 <nil> c%25d-1 <nil>]" {
		t.Error(got)
	}
}

// TestListedTails checks that the end of a listed value is read by one request, and that a value
// which was replaced after the listing is read as it is now.
func TestListedTails(t *testing.T) {
	environment(t)
	f := NewFake(t)
	for i := range 3 {
		f.Set(fmt.Sprintf("p/c/%d", i), object{value: []byte("0123456789")})
	}
	s := bare(t, f.At("p"))
	for _, err := range s.List(t.Context(), "c", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	f.Set("p/c/2", object{value: []byte("abcdefghijkl")})
	f.Requests()
	for i, want := range []struct {
		value    string
		requests int
	}{{"6789", 1}, {"6789", 1}, {"ijkl", 3}} {
		v, err := s.Get(t.Context(), fmt.Sprintf("c/%d", i), store.GetOptions{Range: store.Suffix(4)}, nil)
		if l := f.Requests(); err != nil || string(v.Bytes) != want.value || len(l) != want.requests {
			t.Errorf("%d: %q, %v, after %q", i, v.Bytes, err, l)
		}
	}
}
