package azure

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// explain converts an SDK error to a fault kind, based on Azure's error code and the HTTP status.
// ifAbsent reports whether the write required an absent key; a failed precondition then means that
// the key exists. Source: "Blob service error codes" and "Common REST API error codes".
func explain(err error, ifAbsent bool) error {
	if cred, ok := errors.AsType[*credentialError](err); ok {
		return &provider.Failure{Kind: cred.kind(), Err: err, Text: "no Azure credentials were found: set AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY, " +
			"AZURE_STORAGE_SAS_TOKEN or AZURE_STORAGE_CONNECTION_STRING, sign in with az login, or open a public container with anonymous=true (" +
			firstLine(cred.Error()) + ")"}
	}
	var resp *azcore.ResponseError
	if !errors.As(err, &resp) || resp.RawResponse == nil {
		return provider.NoAnswer(err)
	}
	a := provider.Answer{From: "Azure", Status: resp.StatusCode, Header: resp.RawResponse.Header, Code: codeOf(resp)}
	if a.Foreign = a.Code == ""; a.Foreign {
		a.Page, _ = runtime.Payload(resp.RawResponse) // already in memory
	} else {
		a.Message = message(resp.RawResponse)
	}
	f := a.Failure(kindOf(a.Status, a.Code, ifAbsent), err)
	if a.Code == "AuthenticationFailed" {
		f.Text += untimely(resp.RawResponse)
	} else {
		f.Text += hint(a.Code, resp.RawResponse.Request)
	}
	return f
}

// codeOf returns Azure's error code, or "" if the response is not from Azure. Azure sends the code
// as a header, so a <code> element in another server's page is ignored.
func codeOf(e *azcore.ResponseError) string {
	if code := e.RawResponse.Header.Get("X-Ms-Error-Code"); code != "" {
		return code
	}
	if e.RawResponse.Header.Get("X-Ms-Request-Id") != "" {
		return e.ErrorCode
	}
	return ""
}

// byCode returns the kind of a code whose HTTP status is misleading or ambiguous, or nil.
func byCode(code string, ifAbsent bool) error {
	switch code {
	case "ContainerNotFound", "ContainerBeingDeleted", "FilesystemNotFound":
		// The status may be 404, but it does not prove that the key is absent: chunks of a missing
		// container must not read as fill values.
		return fault.NoBucket
	case "ResourceNotFound", "ContainerDisabled", "AccountIsDisabled":
		return fault.Refused
	case "NoAuthenticationInformation", "PublicAccessNotPermitted":
		return fault.NoCredentials
	case "AuthenticationFailed", "InvalidAuthenticationInfo":
		return fault.Unauthenticated
	case "BlobAlreadyExists":
		if ifAbsent {
			return fault.Exists
		}
		return fault.Refused
	case "SourceConditionNotMet":
		return fault.Conflict
	case "ConditionNotMet", "TargetConditionNotMet", "UnmodifiedSinceConditionNotMet":
		if ifAbsent {
			return fault.Exists
		}
		return fault.Conflict
	case "InvalidBlockList", "InvalidBlobOrBlock":
		// Blocks are dropped when another writer writes the key.
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
	if strings.HasPrefix(code, "Lease") || strings.HasPrefix(code, keyVault) {
		return fault.Refused // 409 or 412, but it does not concern a version; 403, but not the caller's
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
	if code != "" && (status == http.StatusPreconditionFailed || status == http.StatusNotFound) {
		return fault.Refused // does not concern a version: "PathNotFound", or an unknown code
	}
	return provider.KindOf(status, ifAbsent) // also for a redirect or an unexpected 2xx
}

// hint returns advice on a refusal, or "". r is the request, or nil if the transport does not
// provide it.
func hint(code string, r *http.Request) string {
	if text := access(code, r); text != "" {
		return text
	}
	switch code {
	case "ContainerNotFound":
		return " (the container does not exist in this account)"
	case "ResourceNotFound", "PublicAccessNotPermitted", "NoAuthenticationInformation":
		return " (the container may be private: Azure responds like this to requests without credentials)"
	case "AuthorizationPermissionMismatch":
		return " (the identity needs the role Storage Blob Data Reader, or Contributor to write)"
	case "SnapshotsPresent":
		return " (the blob has snapshots, which are not deleted with it)"
	case "InvalidBlockList", "InvalidBlobOrBlock":
		return " (another writer has written this key)"
	case "BlobArchived":
		return " (the blob is in the archive tier: rehydrate it first, with Set Blob Tier)"
	case "BlobBeingRehydrated":
		return " (the blob is being read from the archive tier, which may take hours)"
	}
	if strings.HasPrefix(code, keyVault) {
		return " (the customer-managed key of the account cannot be used: check the key, and the account's access to its key vault)"
	}
	return ""
}

// keyVault begins the codes about a customer-managed key.
const keyVault = "KeyVault"

// untimely returns advice on a failed authentication. Azure refuses requests whose time differs by
// 15 minutes, and SAS tokens outside of their period. The client does not correct its clock.
func untimely(resp *http.Response) string {
	if resp.Request != nil && resp.Request.URL != nil {
		q := resp.Request.URL.Query()
		if q.Has("sig") {
			date, err := http.ParseTime(resp.Header.Get("Date"))
			for _, t := range []struct {
				name, says string
				sign       time.Duration
			}{{"se", "expired at", 1}, {"st", "is valid from", -1}} {
				at, bad := time.Parse(time.RFC3339, q.Get(t.name))
				if err == nil && bad == nil && t.sign*date.Sub(at) > 0 {
					return fmt.Sprintf(" (the SAS token %s %s, and the server's time is %s)", t.says, q.Get(t.name), date.UTC().Format(time.RFC3339))
				}
			}
		}
		if text := access("AuthenticationFailed", resp.Request); text != "" {
			return text
		}
	}
	if c := provider.ClockOf(resp, "X-Ms-Date"); c.Wrong() {
		return " (" + c.String() + ": set it, because Azure refuses requests that differ by 15 minutes)"
	}
	return " (the key is wrong, the SAS token has expired or the clock is wrong)"
}

// access returns advice on the permissions that a request lacks, or "".
func access(code string, r *http.Request) string {
	if r == nil || r.URL == nil {
		return ""
	}
	q := r.URL.Query()
	writes := r.Method == http.MethodPut || r.Method == http.MethodDelete
	switch code {
	case "AuthorizationPermissionMismatch", "AuthorizationResourceTypeMismatch", "AuthorizationServiceMismatch":
		if q.Has("sig") && q.Get("sp") != "" {
			return fmt.Sprintf(" (the SAS token permits %q: reads need r, listings l, writes c and w, deletes d)", q.Get("sp"))
		}
		if q.Has("sig") {
			return " (the SAS token does not permit it: reads need r, listings l, writes c and w, deletes d)"
		}
	case "NoAuthenticationInformation", "ResourceNotFound", "PublicAccessNotPermitted", "AuthenticationFailed", "AuthorizationFailure":
		if writes && !q.Has("sig") && r.Header.Get("Authorization") == "" {
			return " (writes need credentials: remove anonymous=true)"
		}
	}
	return ""
}

// message returns the first line of Azure's message. The second line is the request ID.
func message(r *http.Response) string {
	body, err := runtime.Payload(r) // already in memory, and bounded
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

// foreign returns the error for a response that looks like a success but is not from Azure: the
// page of a captive portal or a proxy, or an empty body.
func foreign(what string) error { return provider.Foreign("Azure", what) }
