package fake

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
)

// Batch serves batch requests as GCS and Azure do: each part of a multipart/mixed body is a
// request, and each part of the response body is the response to one of these requests.
type Batch struct {
	Most   int                    // maximum number of requests in a batch
	Status int                    // status of the response to a batch
	ID     func(id string) string // Content-ID of the response to the request with Content-ID id

	Refuse Answer // responds to a request of the batch, or returns false; nil returns false
	Serve  http.HandlerFunc
}

// Answer responds to the batch request in body. If Answer returns an error, it has not written to
// w.
func (b Batch) Answer(w http.ResponseWriter, contentType string, body io.Reader) error {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return err
	}
	in := multipart.NewReader(body, params["boundary"])
	var answer bytes.Buffer
	out := multipart.NewWriter(&answer)
	for n := 0; ; n++ {
		part, err := in.NextPart()
		if err == io.EOF {
			break
		}
		var req *http.Request
		if err == nil {
			req, err = http.ReadRequest(bufio.NewReader(part))
		}
		if err != nil || n == b.Most {
			return fmt.Errorf("a batch must have at most %d requests: %v", b.Most, err)
		}
		rec := httptest.NewRecorder()
		if b.Refuse == nil || !b.Refuse(rec, req) {
			b.Serve(rec, req)
		}
		head := textproto.MIMEHeader{"Content-Type": {"application/http"}, "Content-Id": {b.ID(part.Header.Get("Content-Id"))}}
		to, _ := out.CreatePart(head)
		_ = rec.Result().Write(to)
	}
	_ = out.Close()
	w.Header().Set("Content-Type", "multipart/mixed; boundary="+out.Boundary())
	w.WriteHeader(b.Status)
	_, _ = answer.WriteTo(w)
	return nil
}
