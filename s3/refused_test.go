package s3

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/store"
)

// refusal holds the details of the error of a read.
type refusal struct {
	text, code, message, fault string
	absent                     string // the message of the SDK's error for an absent key
	request, host, http        string
}

func refusalOf(err error) refusal {
	r := refusal{text: fmt.Sprint(err)}
	var api smithy.APIError
	if errors.As(err, &api) {
		r.code, r.message, r.fault = api.ErrorCode(), api.ErrorMessage(), api.ErrorFault().String()
	}
	var absent *types.NoSuchKey
	if errors.As(err, &absent) {
		r.absent = absent.Error()
	}
	var response awss3.ResponseError
	if errors.As(err, &response) {
		r.request, r.host = response.ServiceRequestID(), response.ServiceHostID()
	}
	var h *awshttp.ResponseError
	if errors.As(err, &h) {
		r.http = fmt.Sprint(h.HTTPStatusCode(), h.RequestID, h.Response.Header.Get("Retry-After"))
	}
	var op *smithy.OperationError
	if errors.As(err, &op) {
		r.text += " of " + op.Error()
	}
	return r
}

// TestRefusalsAreTheSDKs checks that an error that the SDK did not parse has the same details as
// the SDK's.
func TestRefusalsAreTheSDKs(t *testing.T) {
	const form = `<?xml version="1.0" encoding="UTF-8"?>` + "\n<Error><Code>%s</Code><Message>says &amp; means it</Message><Key>k</Key>" +
		"<RequestId>REQ</RequestId><HostId>HOST</HostId></Error>"
	long := fmt.Sprintf(form, "NoSuchKey") + "<!--" + strings.Repeat("x", maxErrorBytes) + "-->"
	for _, c := range []struct {
		name    string
		status  int
		body    string
		headers []string
		direct  bool // it is parsed without the SDK
	}{
		{"absent", 404, fmt.Sprintf(form, "NoSuchKey"), nil, true},
		{"absent, with numbers of headers", 404, fmt.Sprintf(form, "NoSuchKey"), []string{"X-Amz-Request-Id", "R2", "X-Amz-Id-2", "H2"}, true},
		{"busy", 503, fmt.Sprintf(form, "SlowDown"), []string{"Retry-After", "3"}, true},
		{"unchanged", 304, "", []string{"X-Amz-Request-Id", "R2"}, true},
		{"missing bucket", 404, fmt.Sprintf(form, "NoSuchBucket"), nil, false},
		{"out of order", 503, fmt.Sprintf(form, "ServiceUnavailable"), nil, false},
		{"absent with 403", 403, fmt.Sprintf(form, "NoSuchKey"), nil, false},
		{"no message", 404, document("NoSuchKey")[:len("<Error><Code>NoSuchKey</Code>")] + "</Error>", nil, false},
		{"long", 404, long, nil, false},
		{"broken", 404, "<Error><Code>NoSuchKey</Code><Message>m</Mess", nil, false},
		{"another root", 404, "<Errors><Code>NoSuchKey</Code><Message>m</Message></Errors>", nil, false},
		{"a page", 404, fake.HTML, nil, false},
		{"a page of a proxy", 503, fake.XHTML, nil, false},
		{"nothing", 404, "", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := map[refusal]string{}
			bothWays(t, func(t *testing.T, way Option) {
				credentialsForTests(t)
				f := NewFake(t)
				f.Answer(fake.Page(c.status, "application/xml", c.body, c.headers...))
				_, err := bare(t, f.At(""), way).Get(t.Context(), "k", store.GetOptions{}, nil)
				r := refusalOf(err)
				r.text = strings.ReplaceAll(r.text, f.URL, "")
				got[r] = t.Name()
			})
			if len(got) != 1 {
				t.Errorf("they differ:\n%+v", got)
			}
			resp := &http.Response{StatusCode: c.status, Body: io.NopCloser(strings.NewReader(c.body)), Header: http.Header{}}
			if direct := common(resp) != nil; direct != c.direct {
				t.Errorf("read without the SDK: %v", direct)
			}
		})
	}
}

// TestCutRefusal checks that a truncated document does not prove absence, even if all relevant
// elements arrived, and the next reader sees the truncation too.
func TestCutRefusal(t *testing.T) {
	cut := errors.New("cut")
	whole := "<Error><Code>NoSuchKey</Code><Message>m</Message></Error>"
	resp := &http.Response{StatusCode: 404, Header: http.Header{}, Body: io.NopCloser(&once{strings.NewReader(whole), cut})}
	if err := common(resp); err != nil {
		t.Errorf("%v", err)
	}
	if b, err := io.ReadAll(resp.Body); string(b) != whole || !errors.Is(err, cut) {
		t.Errorf("%q and then %v", b, err)
	}
}

// once fails at its end with err, and later returns io.EOF.
type once struct {
	io.Reader
	err error
}

func (o *once) Read(b []byte) (n int, err error) {
	if n, err = o.Reader.Read(b); err == io.EOF && o.err != nil {
		err, o.err = o.err, nil
	}
	return n, err
}
