package s3

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// purpose distinguishes requests whose failures have different meanings.
type purpose int

const (
	toRead   purpose = iota
	toWrite          // write or delete
	toCreate         // write a key that must be absent
)

// explain converts an SDK error to a fault kind, based on S3's error code and the HTTP status.
// Source: Amazon S3 API Reference, "Error responses".
func (b *bucket) explain(err error, to purpose) error {
	if cred, ok := errors.AsType[*credentialsError](err); ok {
		return cred.explain()
	}
	if known, ok := errors.AsType[*provider.Failure](err); ok {
		return known // the request was not sent
	}
	var resp *awshttp.ResponseError
	if !errors.As(err, &resp) || resp.Response == nil || resp.Response.Response == nil || resp.HTTPStatusCode() == 0 {
		return noResponse(err)
	}
	header := resp.Response.Header
	status, code, message := resp.HTTPStatusCode(), "", ""
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		code, message = api.ErrorCode(), api.ErrorMessage()
	}
	said := code
	if code == codeBusy && message == http.StatusText(status) {
		// Without an error document, the SDK derives code and message from the status, which a
		// proxy may have sent.
		said = ""
	}
	a := provider.Answer{From: "S3", Status: status, Header: header, Code: code, Message: message, Foreign: code == ""}
	if page := provider.PageOf(resp.Response.Body); page != nil && (a.Foreign || message == http.StatusText(status)) {
		a.Code, a.Message, a.Foreign, a.Page = "", "", true, page // the SDK derives both from the status
	}
	f := a.Failure(kindOf(status, said, to == toCreate), err)
	f.Maybe = said == codeBusy
	if a.Foreign && a.Page == nil {
		f.Text += ": " + provider.Cause(err).Error()
	}
	f.Text += b.hint(status, code, message, header.Get(regionHeader), to)
	if code == codeSkewed {
		f.Text, f.Kind = skewed(provider.ClockOf(resp.Response.Response, "X-Amz-Date"), f.Text)
	}
	return f
}

// skewed returns the text and the kind of a request that S3 refused because of its time. The SDK
// corrects its clock with the date of the response, so another request helps, unless the time
// agreed with that date already.
func skewed(c provider.Clock, text string) (string, error) {
	switch {
	case c.Wrong():
		return text + " (" + c.String() + ": the next requests are signed with the server's time)", fault.Unavailable
	case c.Corrected.Abs() > time.Minute:
		return text + " (" + c.String() + ", and the request was signed with the server's time: a proxy or the server has another clock)", fault.Refused
	}
	return text + " (the time of the request is that of the response, or one of them has no time: check the clocks of this machine and of the server)", fault.Refused
}

// regionHeader is the header with the bucket's region. S3 also sends it with refusals.
const regionHeader = "X-Amz-Bucket-Region"

// codeBusy is the code of 503 responses of overloaded servers: S3, Ceph, B2 and MinIO. Unlike the
// code SlowDown, it does not prove that the request had no effect.
const codeBusy = "ServiceUnavailable"

// codeArchived is the code of a read of an object in an archive, such as Glacier.
const codeArchived = "InvalidObjectState"

// codeSkewed is the code of a request whose time differs too much from the server's.
const codeSkewed = "RequestTimeTooSkewed"

// byCode returns the kind of a code whose HTTP status is misleading or ambiguous, or nil.
func byCode(code string) error {
	switch code {
	case "NoSuchBucket":
		// The status is 404, but it does not prove that the key is absent: chunks of a missing
		// bucket must not read as fill values.
		return fault.NoBucket
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidSecurity",
		"NotSignedUp", "RequestExpired", "XAdminUserNotFound":
		return fault.Unauthenticated
	case "AllAccessDisabled", "AccountProblem":
		return fault.Denied
	case "XMinioStorageFull", "QuotaExceeded", "XMinioAdminBucketQuotaExceeded":
		return fault.Full
	case "SlowDown", "SlowDownRead", "SlowDownWrite", "RequestLimitExceeded", "RequestThrottled", "RequestThrottledException", "TooManyRequests",
		"TooManyRequestsException", "BandwidthLimitExceeded", codeBusy:
		return fault.Throttled
	case "RequestTimeout", "IncompleteBody", "BadDigest", "XAmzContentSHA256Mismatch", "ConditionalRequestConflict",
		"OperationAborted":
		// The request was damaged, or there is a concurrent writer. The retry layer reads the key
		// to find out whether the write took place.
		return fault.Unavailable
	case "KeyTooLongError":
		return fault.Path
	case "EntityTooLarge":
		return fault.Limit
	case "NotImplemented":
		return errors.ErrUnsupported
	case "AuthorizationHeaderMalformed", "InvalidBucketName", codeArchived:
		return fault.Refused
	}
	switch {
	case strings.HasPrefix(code, "Throttl"):
		return fault.Throttled
	case strings.HasPrefix(code, "KMS."):
		return fault.Refused
	}
	return nil
}

func kindOf(status int, code string, ifAbsent bool) error {
	if status == http.StatusNotFound && code == "NoSuchKey" {
		return fault.NotFound
	}
	if k := byCode(code); k != nil {
		return k
	}
	if status >= 300 && status < 400 && status != http.StatusNotModified && status != http.StatusFound {
		return fault.Refused // S3 redirects to another region; a 302 is from a proxy
	}
	return provider.KindOf(status, ifAbsent) // a malformed 2xx is Unavailable too
}

// hint returns advice on a refusal, or "".
func (b *bucket) hint(status int, code, message, region string, to purpose) string {
	switch {
	case code == "AccessDenied" && strings.Contains(message, " kms:"):
		return " (the KMS key does not allow it: the policies of the key and of the caller must allow kms:Decrypt to read, and kms:GenerateDataKey to write)"
	case strings.HasPrefix(code, "KMS."):
		return " (check the state and the policy of the KMS key)"
	case code == codeArchived:
		return " (the object is in an archive: restore it first, with RestoreObject, and read it when the restore has ended)"
	case code == "NoSuchBucket":
		return " (the bucket does not exist at this endpoint)"
	case region != "" && (status == http.StatusMovedPermanently || status == http.StatusBadRequest):
		return " (the bucket is in region " + region + ": set region=" + region + ")"
	case status == http.StatusMovedPermanently || code == "AuthorizationHeaderMalformed":
		return " (the bucket is probably in another region)"
	case status == http.StatusForbidden && b.anonymous && to != toRead:
		return " (the request was not signed because of anonymous access: writes need credentials)"
	case code == "AccessDenied" && to != toRead:
		return " (the credentials do not allow it)"
	case code == "AccessDenied" && b.anonymous:
		return " (the request was not signed: the bucket is not public, or its requester pays; S3 also responds like this for an absent key if" +
			" the caller may not list the bucket)"
	case code == "AccessDenied" && b.payer == "":
		return " (S3 also responds like this for an absent key if the caller may not list the bucket, and if the requester must pay: set requester_pays=true)"
	case code == "AccessDenied":
		return " (S3 also responds like this for an absent key if the caller may not list the bucket)"
	}
	return ""
}

// noResponse returns the failure of a request without a response. If the SDK could not build the
// request, because its options or the bucket's name conflict, the kind is fault.Refused: a retry
// would not help.
func noResponse(err error) error {
	var sent *smithyhttp.RequestSendError
	var ended *smithy.CanceledError
	var gone *aws.RequestCanceledError
	if errors.As(err, &sent) || errors.As(err, &ended) || errors.As(err, &gone) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return provider.NoAnswer(err)
	}
	return &provider.Failure{Kind: fault.Refused, Err: &provider.UnsentError{Err: err}, Text: "the request cannot be built: " + inner(err).Error()}
}

// inner strips the operation and the service from an SDK error, because the messages of this
// package contain them.
func inner(err error) error {
	if op, ok := errors.AsType[*smithy.OperationError](err); ok && op.Err != nil {
		return op.Err
	}
	return err
}

// explain returns fault.Unavailable or fault.Throttled for a credential service that may recover,
// and a kind of fault.Refused for missing or rejected credentials. Only missing credentials are
// reported as not found. Nothing was sent to S3.
func (e *credentialsError) explain() error {
	f := &provider.Failure{Kind: e.kind(), Err: &provider.UnsentError{Err: e}}
	switch {
	case errors.Is(f.Kind, fault.NoCredentials):
		f.Text = "no AWS credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a profile, or open a public bucket" +
			" with anonymous=true (" + e.Error() + ")"
	case errors.Is(f.Kind, fault.Unauthenticated):
		f.Text = "the service of the AWS credentials refused the request for them: " + e.Error()
	default:
		f.Text = "the service of the AWS credentials failed: " + e.Error()
	}
	return f
}

func (e *credentialsError) kind() error {
	if op, ok := errors.AsType[*smithy.OperationError](e.err); ok && op.ServiceID == "ec2imds" && !e.before {
		return fault.NoCredentials // end of the chain: not on EC2, nothing else is configured
	}
	var resp *smithyhttp.ResponseError
	var sent *smithyhttp.RequestSendError
	var api smithy.APIError
	switch {
	case errors.As(e.err, &api) && api.ErrorFault() == smithy.FaultServer:
		return fault.Unavailable // the service of a container, whose errors have no response
	case errors.As(e.err, &resp) && resp.Response != nil && resp.Response.Response != nil && resp.HTTPStatusCode() > 0:
		switch code := codeOf(e.err); {
		case strings.HasPrefix(code, "Throttl") || resp.HTTPStatusCode() == http.StatusTooManyRequests:
			return fault.Throttled
		case resp.HTTPStatusCode() >= 500 || resp.HTTPStatusCode() < 400 || code == "IDPCommunicationError":
			return fault.Unavailable
		}
		return fault.Unauthenticated
	case errors.As(e.err, &sent):
		return provider.NoAnswer(e.err).Kind
	}
	return fault.NoCredentials
}

// foreign returns the error of a response that looks like a success but is not from S3: a captive
// portal's or a proxy's page, or an empty body.
func foreign(what string) error { return provider.Foreign("S3", what) }
