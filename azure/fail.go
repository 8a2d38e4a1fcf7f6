package azure

import (
	"encoding/xml"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/zargo-io/zargo/zarr/fault"
)

// failure is an SDK error in few words and without the request's URL, which may hold a SAS token; the SDK's error stays
// reachable.
type failure struct {
	kind  error
	text  string
	after time.Duration
	err   error
}

func (f *failure) Error() string   { return f.kind.Error() + ": " + f.text }
func (f *failure) Unwrap() []error { return []error{f.kind, f.err} }

// RetryAfter is how long the server asks to wait; 0 if it does not say.
func (f *failure) RetryAfter() time.Duration { return f.after }

// explain gives an SDK error its kind, from Azure's own code and the HTTP status. Source: "Blob service error codes" and
// "Common REST API error codes". ifAbsent tells what a failed precondition means.
func explain(err error, ifAbsent bool) error {
	var cred *credentialError
	if errors.As(err, &cred) {
		return &failure{kind: cred.kind(), err: err, text: "no Azure credentials could be had: set AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY, " +
			"AZURE_STORAGE_SAS_TOKEN or AZURE_STORAGE_CONNECTION_STRING, sign in with az login, or open a public container with anonymous=true (" +
			firstLine(cred.Error()) + ")"}
	}
	var resp *azcore.ResponseError
	if !errors.As(err, &resp) || resp.RawResponse == nil {
		return &failure{kind: fault.Unavailable, err: err, text: "no answer: " + cause(err).Error()}
	}
	h := resp.RawResponse.Header
	f := &failure{err: err, after: retryAfter(h)}
	code := codeOf(resp)
	f.kind = kindOf(resp.StatusCode, code, ifAbsent)
	f.text = "Azure answered " + strconv.Itoa(resp.StatusCode)
	if code == "" {
		f.text += ", and not in Azure's form"
		return f
	}
	f.text += " " + code
	if m := message(resp.RawResponse); m != "" {
		f.text += ": " + m
	}
	f.text += hint(code)
	return f
}

// codeOf is Azure's own code. Azure sends it as a header; a page that happens to have a <code> element is not Azure's.
func codeOf(e *azcore.ResponseError) string {
	if code := e.RawResponse.Header.Get("X-Ms-Error-Code"); code != "" {
		return code
	}
	if e.RawResponse.Header.Get("X-Ms-Request-Id") != "" {
		return e.ErrorCode
	}
	return ""
}

// byCode holds Azure's codes whose HTTP status misleads or says too little.
func byCode(code string, ifAbsent bool) error {
	switch code {
	case "ContainerNotFound", "ResourceNotFound", "ContainerBeingDeleted", "ContainerDisabled", "AccountIsDisabled", "FilesystemNotFound":
		// 404 in part, but no proof that the key is absent: chunks of a missing container must not read as fill values.
		return fault.Refused
	case "BlobAlreadyExists":
		if ifAbsent {
			return fault.Exists
		}
		return fault.Refused
	case "ConditionNotMet", "TargetConditionNotMet", "UnmodifiedSinceConditionNotMet":
		if ifAbsent {
			return fault.Exists
		}
		return fault.Conflict
	case "InvalidBlockList", "InvalidBlobOrBlock":
		// Blocks are dropped when somebody else writes the key.
		return fault.Conflict
	case "ServerBusy", "TooManyRequests":
		return fault.Throttled
	case "OperationTimedOut", "InternalError", "Md5Mismatch", "Crc64Mismatch", "IncompleteBody", "RequestTimeout":
		return fault.Unavailable
	case "InvalidRange":
		return fault.Corrupt
	case "RequestBodyTooLarge", "BlockCountExceedsLimit", "BlockListTooLong":
		return fault.Limit
	case "InvalidResourceName", "InvalidUri":
		return fault.Path
	case "NotImplemented", "FeatureNotSupported", "UnsupportedHttpVerb":
		return errors.ErrUnsupported
	}
	if strings.HasPrefix(code, "Lease") {
		return fault.Refused // 409 or 412, but not about a version
	}
	return nil
}

func kindOf(status int, code string, ifAbsent bool) error {
	if status == http.StatusNotFound && code == "BlobNotFound" {
		return fault.NotFound
	}
	if k := byCode(code, ifAbsent); k != nil {
		return k
	}
	switch status {
	case http.StatusNotModified:
		return fault.Unchanged
	case http.StatusPreconditionFailed:
		if code != "" {
			return fault.Refused
		}
		if ifAbsent {
			return fault.Exists
		}
		return fault.Conflict
	case http.StatusRequestedRangeNotSatisfiable:
		return fault.Corrupt
	case http.StatusTooManyRequests:
		return fault.Throttled
	case http.StatusNotFound:
		if code != "" {
			return fault.Refused // "PathNotFound", or one that is not known here
		}
		return fault.Unavailable // from something in between
	case http.StatusRequestTimeout:
		return fault.Unavailable
	case http.StatusNotImplemented:
		return errors.ErrUnsupported
	}
	if status >= 400 && status < 500 {
		return fault.Refused
	}
	return fault.Unavailable // 5xx, a redirect, which Azure never sends, or a 2xx that is not the expected one
}

func hint(code string) string {
	switch code {
	case "ContainerNotFound":
		return " (the container does not exist in this account)"
	case "ResourceNotFound", "PublicAccessNotPermitted", "NoAuthenticationInformation":
		return " (the container may be private: Azure says this to requests without credentials)"
	case "AuthorizationPermissionMismatch":
		return " (the identity needs the role Storage Blob Data Reader, or Contributor to write)"
	case "AuthenticationFailed":
		return " (a wrong key, an expired SAS token or a wrong clock)"
	case "SnapshotsPresent":
		return " (the blob has snapshots, which are not deleted with it)"
	case "InvalidBlockList", "InvalidBlobOrBlock":
		return " (another writer was at this key)"
	case "BlobArchived":
		return " (the blob is in the archive tier: rehydrate it first)"
	}
	return ""
}

// message is the first line of what Azure says; the second is the request's number.
func message(r *http.Response) string {
	body, err := runtime.Payload(r) // read already, and bounded
	if err != nil {
		return ""
	}
	var doc struct {
		XMLName xml.Name `xml:"Error"`
		Message string
	}
	if xml.Unmarshal([]byte(strings.TrimPrefix(string(body), "\ufeff")), &doc) != nil {
		return ""
	}
	return firstLine(doc.Message)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return strings.ToValidUTF8(s, "")
}

// retryAfter reads Azure's headers in milliseconds, and RFC 9110 section 10.2.3 in its form with seconds.
func retryAfter(h http.Header) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if n, err := strconv.ParseUint(strings.TrimSpace(h.Get(name)), 10, 26); err == nil {
			return time.Duration(n) * time.Millisecond
		}
	}
	if n, err := strconv.ParseUint(strings.TrimSpace(h.Get("Retry-After")), 10, 16); err == nil {
		return time.Duration(n) * time.Second
	}
	return 0
}

// foreign is for answers that look like success but are not Azure's: a captive portal, a proxy's page, an empty body.
func foreign(what string) error {
	return fault.Newf(fault.Unavailable, "the answer is not Azure's: %s", what)
}

// cause is the innermost error of a chain. The outer ones print the request's URL.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
