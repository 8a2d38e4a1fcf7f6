package s3

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestListOthersKeys checks listings with keys of other programs: directory markers, which are left
// out, keys that no store accepts, which have the size -1, and keys that XML cannot represent.
func TestListOthersKeys(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	for _, k := range []string{"p/", "p/a/", "p/a/x", "p//y", "p/ctrl\x01", "p/b__0x41__", "p/c+d e&f", "pq/z", "p/d/../e"} {
		f.Set(k, object{value: []byte("v"), etag: `"v"`})
	}
	s := bare(t, f.At("p"))
	for _, c := range []struct {
		name  string
		depth store.Depth
		want  []string
	}{
		{"deep", store.Deep, []string{"/y?", "a/x", "b__0x41__", "c+d e&f", "ctrl\x01", "d/../e?"}},
		{"one level", store.OneLevel, []string{"?", "a/", "b__0x41__", "c+d e&f", "ctrl\x01", "d/"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for e, err := range s.List(t.Context(), "", store.ListOptions{Depth: c.depth}) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Dir {
					e.Key += "/"
				} else if e.Size == -1 && store.CheckKey(e.Key) != nil {
					e.Key += "?"
				} else if e.Size != 1 || e.Version != `"v"` {
					t.Errorf("entry %+v", e)
				}
				got = append(got, e.Key)
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestListPages(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	for i := range 2500 {
		f.Set(fmt.Sprintf("p/%04d", i), object{etag: `"v"`})
	}
	s := bare(t, f.At("p"))
	n := 0
	for _, err := range s.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if r := len(f.Requests()); n != 2500 || r != 3 {
		t.Errorf("%d entries by %d requests", n, r)
	}
}

// TestListPart checks that a listing of a part of the keys selects them on the server, so that only
// their pages are requested.
func TestListPart(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	for i := range fake.PartsOf {
		f.Set(fmt.Sprintf("p/a/%04d", i), object{etag: `"v"`})
	}
	fake.ListParts(t, f.Server, bare(t, f.At("p")))
}

// TestListBroken checks that a response that would make a listing end early or never is an error.
func TestListBroken(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At("p"))
	for name, body := range map[string]string{
		"no token":         "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
		"does not advance": "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
		"does not say":     "<ListBucketResult></ListBucketResult>",
		"cut":              "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>p/a</Key>",
		"another's key":    "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>q/a</Key></Contents></ListBucketResult>",
		"bad escape":       "<ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType><Contents><Key>p/%zz</Key></Contents></ListBucketResult>",
	} {
		t.Run(name, func(t *testing.T) {
			f.Answer(fake.Page(200, "application/xml", body))
			var last error
			for _, err := range s.List(t.Context(), "", store.ListOptions{}) {
				last = err
			}
			fake.WantKind(t, last, fault.Unavailable)
		})
	}
	t.Run("a server that does not escape", func(t *testing.T) {
		f.Answer(fake.Page(200, "application/xml", "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>p/a+%41</Key><Size>1</Size></Contents></ListBucketResult>"))
		for e, err := range s.List(t.Context(), "", store.ListOptions{}) {
			if err != nil || e.Key != "a+%41" {
				t.Errorf("got %+v, %v", e, err)
			}
		}
	})
	t.Run("endless", func(t *testing.T) {
		blocks := make(chan int, 1)
		f.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
			io.WriteString(w, "<ListBucketResult><IsTruncated>false</IsTruncated>")
			blocks <- endless(w, "<Contents><Key>p/"+strings.Repeat("k", 1<<20)+"</Key></Contents>")
			return true
		})
		var last error
		for _, err := range s.List(t.Context(), "", store.ListOptions{}) {
			last = err
		}
		fake.WantKind(t, last, fault.Unavailable)
		if n := <-blocks; n == endlessBlocks {
			t.Errorf("the client read all of %d MiB", n)
		}
	})
}
