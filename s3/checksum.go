package s3

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// partSums is the checksum of a multipart upload, and how the whole value's is made of its parts'.
// CRC32 is what the SDK sends with every other upload; COMPOSITE is S3's default for it, and the
// one type whose parts S3 compares at the end.
const (
	partSums = types.ChecksumAlgorithmCrc32
	sumsType = types.ChecksumTypeComposite
)

// contentMD5 makes a DeleteObjects carry Content-MD5 instead of a checksum of 2022 or later. S3
// requires one or the other there, the SDK always sends the newer, and servers that do not know it
// answer 400 (Ceph, older MinIO, OVH) or 501 (R2).
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

// sumOf is the checksum that went with a part, nil for none.
func sumOf(out *awss3.UploadPartOutput) *string {
	sent, ok := awss3.GetComputedInputChecksumsMetadata(out.ResultMetadata)
	if sum := sent.ComputedChecksums[string(partSums)]; ok && sum != "" {
		return aws.String(sum)
	}
	return nil
}
