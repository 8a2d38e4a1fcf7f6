package azure

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// copy sends one Copy Blob From URL. Azure responds when the copy has ended, and the destination
// changes at once. The asynchronous Copy Blob is not used: it leaves an empty blob if it is
// aborted. Servers other than Azure may ignore conditions: copy returns errors.ErrUnsupported for
// conditions on the destination, and checks a condition on the source by a read.
func (b *bucket) copy(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error) {
	if !b.azure {
		if err := provider.CheckCopy(ctx, "Azure", from, o, b.get); err != nil {
			return "", err
		}
	}
	source, bearer, err := b.source(ctx, from)
	if err != nil {
		return "", err
	}
	b.sizes.forget(to)
	out, err := b.blob(to).CopyFromURL(provider.SlowAnswer(ctx), source, &azblob.CopyFromURLOptions{
		CopySourceAuthorization:        bearer,
		Tier:                           b.tier,
		BlobAccessConditions:           whenPut(store.PutOptions{IfAbsent: o.IfAbsent, IfVersion: o.IfVersion}),
		SourceModifiedAccessConditions: &azblob.SourceModifiedAccessConditions{SourceIfMatch: etag(o.FromVersion)},
	})
	if err != nil {
		return "", b.notCopied(ctx, from, o, err)
	}
	v := version(out.ETag)
	switch {
	case v == "":
		return "", foreign("it has no ETag")
	case out.CopyStatus == nil || *out.CopyStatus != "success":
		return "", foreign("it does not state that the copy has ended")
	}
	return v, nil
}

const (
	// maxCopy is Azure's limit for Copy Blob From URL.
	maxCopy = 256 << 20
	// sourceLifetime is how long the token for the source of a copy is valid. A copy takes seconds,
	// and clocks may differ by minutes.
	sourceLifetime = time.Hour
	// storageScope is the scope of tokens for Azure Storage in all clouds.
	storageScope = "https://storage.azure.com/.default"
)

// source returns the URL of a key that the service can read for a copy, and the token for it or
// nil. With the account's key, the URL has a token that permits only to read this blob. It returns
// errors.ErrUnsupported if the client's credentials are unknown.
func (b *bucket) source(ctx context.Context, key string) (from string, bearer *string, err error) {
	blob := b.blob(key)
	if u, err := url.Parse(blob.URL()); err == nil && u.Query().Has("sig") {
		return blob.URL(), nil, nil
	}
	if b.tokens != nil {
		t, err := b.tokens.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{storageScope}})
		if err != nil {
			return "", nil, &provider.UnsentError{Err: explain(err, false)}
		}
		return blob.URL(), new("Bearer " + t.Token), nil
	}
	from, err = blob.GetSASURL(sas.BlobPermissions{Read: true}, time.Now().Add(sourceLifetime), nil)
	if err != nil {
		return "", nil, fault.Newf(errors.ErrUnsupported, "the credentials of the client cannot authorize the source of a copy")
	}
	return from, nil, nil
}

// notCopied returns the error of a failed copy. Azure's response does not always state whether it
// is about the source, so notCopied requests the properties of the source if the kind depends on
// them.
func (b *bucket) notCopied(ctx context.Context, from string, o store.CopyOptions, err error) error {
	failed := explain(err, o.IfAbsent)
	var resp *azcore.ResponseError
	if !errors.As(err, &resp) || resp.RawResponse == nil {
		return failed
	}
	code := codeOf(resp)
	switch {
	case code == "SourceConditionNotMet":
		return explain(err, false)
	case resp.StatusCode == http.StatusNotFound && errors.Is(failed, fault.NotFound),
		resp.StatusCode == http.StatusNotFound && code == "CannotVerifyCopySource":
		if _, look := b.head(ctx, from, store.GetOptions{}); look != nil {
			return look
		}
		return fault.Newf(fault.Unavailable, "Azure did not find the source, which exists: %w", err)
	case code == "CannotVerifyCopySource" && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden):
		// Firewalls of accounts and some credentials refuse the service what they permit the
		// client.
		return fault.Newf(errors.ErrUnsupported, "Azure may not read the source of the copy: %w", failed)
	case resp.StatusCode == http.StatusConflict && code != "BlobAlreadyExists" || resp.StatusCode == http.StatusRequestEntityTooLarge:
		if at, look := b.head(ctx, from, store.GetOptions{}); look == nil && at.size > maxCopy {
			return fault.Newf(fault.Limit, "Azure copies at most 256 MiB in one request: %w", failed)
		}
	}
	return failed
}
