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

	"github.com/zargo-io/zargo/internal/provider"
)

// errorDocument is S3's error response. Source: Amazon S3 API Reference, "REST error responses".
type errorDocument struct {
	XMLName   xml.Name `xml:"Error"`
	Code      string
	Message   string
	RequestID string `xml:"RequestId"`
	HostID    string `xml:"HostId"`
}

// responseError imitates awss3.ResponseError, which the SDK defines in an internal package.
type responseError struct {
	*awshttp.ResponseError
	host string
}

// ServiceHostID returns the host ID, which S3 sends in addition to the request ID.
func (e *responseError) ServiceHostID() string { return e.host }

// Error formats the error as the SDK does.
func (e *responseError) Error() string {
	return fmt.Sprintf("https response error StatusCode: %d, RequestID: %s, HostID: %s, %v", e.HTTPStatusCode(), e.RequestID, e.host, e.Err)
}

// As finds the HTTP errors that the SDK's error wraps.
func (e *responseError) As(target any) bool { return errors.As(e.ResponseError, target) }

// maxErrorBytes is the longest error response that is parsed here.
const maxErrorBytes = 4 << 10

// common returns the SDK's error for frequent responses to reads: the key is absent (like most
// chunks of a sparse array), the service throttles, or the value is unchanged. For these responses
// the SDK's parser costs more than the request. common returns nil for all other responses and
// leaves their body unread.
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

// read parses a response's body and reports whether it is an error document with a message. It
// restores the body, so that the next reader gets the same bytes and the same read error, if any.
func (d *errorDocument) read(resp *http.Response) bool {
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failed{err}
	}
	resp.Body = body{io.MultiReader(bytes.NewReader(b), rest), resp.Body}
	return err == nil && len(b) < maxErrorBytes && xml.Unmarshal(b, d) == nil && d.Message != ""
}

type body struct {
	io.Reader
	io.Closer
}

// Page returns the page that the body below keeps, see [provider.PageOf].
func (b body) Page() []byte { return provider.PageOf(b.Closer) }

// failed is a reader that returns err, for the rest of a body whose read failed.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }
