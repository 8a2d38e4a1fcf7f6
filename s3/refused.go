package s3

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// errorDocument is S3's error response. Source: Amazon S3 API Reference, "REST error responses".
type errorDocument struct {
	XMLName   xml.Name `xml:"Error"`
	Code      string
	Message   string
	RequestID string `xml:"RequestId"`
	HostID    string `xml:"HostId"`
}

// responseError is what the SDK has around the error of an answer, in a package of its own: an
// awss3.ResponseError.
type responseError struct {
	*awshttp.ResponseError
	host string
}

// ServiceHostID is S3's second number of a request.
func (e *responseError) ServiceHostID() string { return e.host }

// Error is as the SDK's.
func (e *responseError) Error() string {
	return fmt.Sprintf("https response error StatusCode: %d, RequestID: %s, HostID: %s, %v", e.HTTPStatusCode(), e.RequestID, e.host, e.Err)
}

// As finds the errors of HTTP that the SDK's has.
func (e *responseError) As(target any) bool { return errors.As(e.ResponseError, target) }

// longestError is how many bytes an error response of a few elements has at most.
const longestError = 4 << 10

// common is the SDK's error for an answer that reads get many times: the key is absent, as most
// chunks of a sparse array are, the service asks for fewer requests, or the value is unchanged. For
// the SDK to find it out costs more than the request. It is nil for all others, which can be read
// from their beginning then.
func common(resp *http.Response) error {
	var api smithy.APIError
	var d errorDocument
	switch resp.StatusCode {
	case http.StatusNotModified:
		api = &smithy.GenericAPIError{Code: "NotModified", Message: http.StatusText(http.StatusNotModified)}
	case http.StatusNotFound:
		if !d.read(resp) || d.Code != "NoSuchKey" {
			return nil
		}
		api = &types.NoSuchKey{Message: aws.String(d.Message)}
	case http.StatusServiceUnavailable:
		if !d.read(resp) || d.Code != "SlowDown" {
			return nil
		}
		api = &smithy.GenericAPIError{Code: d.Code, Message: d.Message}
	default:
		return nil
	}
	return &smithy.OperationError{ServiceID: awss3.ServiceID, OperationName: "GetObject", Err: &responseError{
		&awshttp.ResponseError{
			ResponseError: &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: resp}, Err: api},
			RequestID:     cmp.Or(resp.Header.Get("X-Amz-Request-Id"), d.RequestID),
		}, cmp.Or(resp.Header.Get("X-Amz-Id-2"), d.HostID),
	}}
}

// read reports whether an answer's body is such a document with a message. What it read of the body
// is put back, and an error with it: a document that was cut must not look whole when it is read
// again.
func (d *errorDocument) read(resp *http.Response) bool {
	b, err := io.ReadAll(io.LimitReader(resp.Body, longestError))
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failed{err}
	}
	resp.Body = body{io.MultiReader(bytes.NewReader(b), rest), resp.Body}
	return err == nil && len(b) < longestError && xml.Unmarshal(b, d) == nil && d.Message != ""
}

type body struct {
	io.Reader
	io.Closer
}

// failed is what is left of a body that failed.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }
