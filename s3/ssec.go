package s3

import (
	"crypto/md5"
	"encoding/base64"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

const (
	// customerKeyHeader is the header that contains the encryption key of SSE-C.
	customerKeyHeader = "X-Amz-Server-Side-Encryption-Customer-Key"
	// customerKeyEnv is the environment variable with the base64 key for URLs with
	// sse_customer=true.
	customerKeyEnv = "ZARGO_S3_SSE_CUSTOMER_KEY"
	// customerKeySize is the key size of AES-256, the only algorithm of SSE-C.
	customerKeySize = 32
)

// customer holds the request parameters for a customer's encryption key. The zero value means no
// key. Source: "Using server-side encryption with customer-provided keys", Amazon S3 User Guide.
type customer struct{ algorithm, key, md5 *string }

func newCustomer(key []byte) customer {
	if len(key) == 0 {
		return customer{}
	}
	sum := md5.Sum(key) // S3 compares it to detect a key damaged in transit
	return customer{
		algorithm: aws.String("AES256"),
		key:       aws.String(base64.StdEncoding.EncodeToString(key)),
		md5:       aws.String(base64.StdEncoding.EncodeToString(sum[:])),
	}
}

// checkCustomer reads the key from the environment if the URL requests it, and validates it.
func (c *config) checkCustomer() error {
	if c.customerEnv && c.customerKey == nil {
		v := os.Getenv(customerKeyEnv)
		key, err := base64.StdEncoding.DecodeString(v)
		if v == "" || err != nil {
			return provider.Usage("parameter sse_customer requires a base64 key of %d bytes in %s", customerKeySize, customerKeyEnv)
		}
		c.customerKey = key
	}
	switch {
	case c.customerKey == nil:
		return nil
	case len(c.customerKey) != customerKeySize:
		return provider.Usage("the customer's key has %d bytes, want %d", len(c.customerKey), customerKeySize)
	case c.sse != "":
		return provider.Usage("a customer's key cannot be combined with ssetype")
	}
	return nil
}

// checkTrust returns fault.Refused if the customer's encryption key would be sent to a server that
// only the URL names.
func (c *config) checkTrust(o awss3.Options) error {
	if c.customerKey == nil || c.client != nil || isAWS(o) || c.isOutside(&o) {
		return nil
	}
	return fault.Newf(fault.Refused, "the customer's key is not sent to an endpoint that only the URL names:"+
		" set it with s3.Endpoint, AWS_ENDPOINT_URL_S3 or a profile")
}
