package s3

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// partSums is the checksum algorithm of multipart uploads; the SDK uses CRC32 for all other uploads
// as well. sumsType is how S3 combines the checksums of the parts. COMPOSITE is the default for
// CRC32. Only for this type does S3 compare the checksums of the parts when the upload is
// completed.
const (
	partSums = types.ChecksumAlgorithmCrc32
	sumsType = types.ChecksumTypeComposite
)

// contentMD5 makes a DeleteObjects carry Content-MD5 instead of a newer checksum. S3 requires
// either of them. The SDK always sends the newer checksum, which other servers reject with 400
// (Ceph, older MinIO, OVH) or 501 (R2).
func contentMD5(o *awss3.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		for _, id := range []string{"AWSChecksum:ComputeInputPayloadChecksum", "addInputChecksumTrailer"} {
			if _, ok := stack.Finalize.Get(id); !ok {
				continue
			}
			if _, err := stack.Finalize.Remove(id); err != nil {
				return err
			}
		}
		return smithyhttp.AddContentChecksumMiddleware(stack)
	})
}

// sumOf returns the checksum that was sent with a part, or nil if there was none.
func sumOf(out *awss3.UploadPartOutput) *string {
	sent, ok := awss3.GetComputedInputChecksumsMetadata(out.ResultMetadata)
	if sum := sent.ComputedChecksums[string(partSums)]; ok && sum != "" {
		return aws.String(sum)
	}
	return nil
}
