package s3

import (
	"errors"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestPartsResume checks that another process can continue an upload by its token: it lists the
// parts, page by page, and commits them.
func TestPartsResume(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At("p"))
	p, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		succeed(t, p.Part(t.Context(), n, []byte(fmt.Sprint(n))))
	}
	f.Requests()
	q, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{Resume: p.Token()})
	if err != nil || len(f.Requests()) != 0 {
		t.Fatalf("to resume: %v, or a request", err)
	}
	sent, err := q.Sent(t.Context())
	if n := len(f.Requests()); err != nil || n != 3 || len(sent) != 5 || sent[1] != (store.PartInfo{N: 1, Size: 1, Sum: "crc32:83dcefb7"}) {
		t.Fatalf("%d requests: %+v, %v", n, sent, err)
	}
	if _, err := q.Commit(t.Context(), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := len(f.Requests()); n != 1 {
		t.Errorf("%d requests to commit what is known", n)
	}
	got, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
	if err != nil || string(got.Bytes) != "01234" {
		t.Errorf("got %q, %v", got.Bytes, err)
	}
	fake.WantKind(t, p.Part(t.Context(), 5, []byte("5")), fault.Conflict)
	for name, body := range map[string]string{
		"does not say":   "<ListPartsResult></ListPartsResult>",
		"no progress":    "<ListPartsResult><IsTruncated>true</IsTruncated></ListPartsResult>",
		"not in order":   "<ListPartsResult><IsTruncated>false</IsTruncated><Part><PartNumber>2</PartNumber><Size>1</Size><ETag>e</ETag></Part><Part><PartNumber>1</PartNumber><Size>1</Size><ETag>e</ETag></Part></ListPartsResult>",
		"no size":        "<ListPartsResult><IsTruncated>false</IsTruncated><Part><PartNumber>1</PartNumber><ETag>e</ETag></Part></ListPartsResult>",
		"beyond numbers": "<ListPartsResult><IsTruncated>false</IsTruncated><Part><PartNumber>10001</PartNumber><Size>1</Size><ETag>e</ETag></Part></ListPartsResult>",
	} {
		f.Answer(fake.Page(200, "application/xml", body))
		q, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{Resume: "x"})
		if err == nil {
			_, err = q.Sent(t.Context())
		}
		if !errors.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
