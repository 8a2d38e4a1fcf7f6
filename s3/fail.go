package s3

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// explain gives an SDK error its kind, from S3's own code and the HTTP status. Source: Amazon S3 API Reference, "Error
// responses". ifAbsent tells what a failed precondition means.
func explain(err error, ifAbsent bool) error {
	var cred *credentialsError
	if errors.As(err, &cred) {
		return &provider.Failure{Kind: fault.Refused, Err: err, Text: "no AWS credentials could be had: set AWS_ACCESS_KEY_ID and " +
			"AWS_SECRET_ACCESS_KEY, name a profile, or open a public bucket with anonymous=true (" + cred.Error() + ")"}
	}
	var resp *awshttp.ResponseError
	if !errors.As(err, &resp) || resp.Response == nil || resp.Response.Response == nil || resp.HTTPStatusCode() == 0 {
		return provider.NoAnswer(err)
	}
	f := &provider.Failure{Err: err, After: provider.RetryAfter(resp.Response.Header, time.Now())}
	status, code, message := resp.HTTPStatusCode(), "", ""
	var api smithy.APIError
	if errors.As(err, &api) {
		code, message = api.ErrorCode(), api.ErrorMessage()
	}
	f.Kind = kindOf(status, code, ifAbsent)
	f.Text = "S3 answered " + strconv.Itoa(status)
	if code != "" {
		f.Text += " " + code
	}
	if message != "" && message != code {
		f.Text += ": " + message
	}
	if code == "" {
		f.Text += ", and not in S3's form: " + provider.Cause(err).Error()
	}
	f.Text += hint(status, code, resp.Response.Header.Get("X-Amz-Bucket-Region"))
	return f
}

// byCode holds S3's codes whose HTTP status misleads or says too little.
func byCode(code string) error {
	switch code {
	case "NoSuchBucket", "XAdminUserNotFound":
		// 404, but no proof that the key is absent: chunks of a missing bucket must not read as fill values.
		return fault.Refused
	case "SlowDown", "SlowDownRead", "SlowDownWrite", "RequestLimitExceeded", "TooManyRequests", "BandwidthLimitExceeded":
		return fault.Throttled
	case "RequestTimeout", "IncompleteBody", "BadDigest", "XAmzContentSHA256Mismatch", "ConditionalRequestConflict",
		"OperationAborted", "RequestTimeTooSkewed":
		// Broken on the way, or another writer at the same moment: whether the write took place is to be read back.
		// After a skewed clock the SDK corrects itself from the answer's date.
		return fault.Unavailable
	case "KeyTooLongError":
		return fault.Path
	case "EntityTooLarge":
		return fault.Limit
	case "NotImplemented":
		return errors.ErrUnsupported
	case "AuthorizationHeaderMalformed", "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidBucketName":
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
		return fault.Refused // S3 redirects to another region; a 302 is from something in between
	}
	return provider.KindOf(status, ifAbsent) // Unavailable also for a 2xx that the SDK could not read
}

func hint(status int, code, region string) string {
	switch {
	case code == "NoSuchBucket":
		return " (the bucket does not exist at this endpoint)"
	case region != "" && (status == http.StatusMovedPermanently || status == http.StatusBadRequest):
		return " (the bucket is in region " + region + ": give region=" + region + ")"
	case status == http.StatusMovedPermanently || code == "AuthorizationHeaderMalformed":
		return " (the bucket is probably in another region)"
	case code == "AccessDenied":
		return " (S3 also says this for an absent key when listing the bucket is not allowed)"
	}
	return ""
}

// foreign is for answers that look like success but are not S3's: a captive portal, a proxy's page, an empty body.
func foreign(what string) error { return provider.Foreign("S3", what) }
