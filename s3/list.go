package s3

import (
	"context"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/zargo-io/zargo/zarr/store"
)

// listPage sends one ListObjectsV2.
func (b *bucket) listPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	in := &awss3.ListObjectsV2Input{
		Bucket: b.name, MaxKeys: aws.Int32(b.page), RequestPayer: b.payer, ExpectedBucketOwner: b.owner,
		// Other programs may have written keys with control characters. XML cannot represent such
		// keys, and the listing would fail without URL encoding.
		EncodingType: types.EncodingTypeUrl,
	}
	at := b.prefix
	if prefix != "" {
		at += prefix + "/"
	}
	if o.StartAfter != "" && token == "" { // the token includes it
		in.StartAfter = aws.String(at + o.StartAfter)
	}
	if at += o.KeyPrefix; at != "" {
		in.Prefix = aws.String(at)
	}
	if o.Depth == store.OneLevel {
		in.Delimiter = aws.String("/")
	}
	if token != "" {
		in.ContinuationToken = aws.String(token)
	}
	out, err := b.client.ListObjectsV2(ctx, in)
	if err != nil {
		return nil, "", b.explain(err, toRead)
	}
	// The SDK parses an empty body or an HTML page as an empty listing. Every listing of S3 states
	// whether it is truncated.
	if out.IsTruncated == nil {
		return nil, "", foreign("it does not state whether the listing is complete")
	}
	next := ""
	if *out.IsTruncated {
		if next = aws.ToString(out.NextContinuationToken); next == "" {
			return nil, "", foreign("its listing is incomplete and has no continuation token")
		}
	}
	page := make([]store.Entry, 0, len(out.Contents)+len(out.CommonPrefixes))
	for _, obj := range out.Contents {
		key, err := b.relative(out.EncodingType, obj.Key)
		if err != nil {
			return nil, "", err
		}
		size := int64(-1)
		if obj.Size != nil {
			size = *obj.Size
		}
		page = append(page, store.Entry{Key: key, Size: size, Version: store.Version(aws.ToString(obj.ETag))})
	}
	for _, p := range out.CommonPrefixes {
		key, err := b.relative(out.EncodingType, p.Prefix)
		if err != nil {
			return nil, "", err
		}
		page = append(page, store.Entry{Key: strings.TrimSuffix(key, "/"), Dir: true})
	}
	return page, next, nil
}

// relative decodes a key of a listing and removes the store's prefix.
func (b *bucket) relative(enc types.EncodingType, s *string) (string, error) {
	key := aws.ToString(s)
	if enc == types.EncodingTypeUrl {
		var err error
		if key, err = url.QueryUnescape(key); err != nil {
			return "", foreign("its listing contains a key that is not URL-encoded: " + err.Error())
		}
	}
	rel, ok := strings.CutPrefix(key, b.prefix)
	if !ok {
		return "", foreign("its listing contains a key outside the prefix")
	}
	return rel, nil
}
