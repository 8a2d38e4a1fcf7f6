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

// Batch answers one request that holds many requests, as GCS and Azure have it: each part of a
// multipart/mixed body is a request, and each part of the answer is the response to one.
type Batch struct {
	Most   int                    // requests in a batch
	Status int                    // of the answer
	ID     func(id string) string // Content-ID of the response to the request with that Content-ID

	Refuse Answer // answers a request of the batch, or returns false; nil refuses none
	Serve  http.HandlerFunc
}

// Answer answers the batch in body. On error nothing has been written to w.
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
			return fmt.Errorf("a batch of %d requests at most: %v", b.Most, err)
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
