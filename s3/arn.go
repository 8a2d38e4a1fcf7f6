package s3

import (
	"regexp"
	"strings"

	"github.com/zargo-io/zargo/internal/provider"
)

// Patterns of the ARNs of buckets, and of access points in one region, in several regions and on
// Outposts. The ARN of a bucket is equivalent to the bucket's name. Source: "Amazon S3 resources",
// Service Authorization Reference; names as in "Access points restrictions and limitations".
const arnHead = `^(arn:aws[a-z-]*:`

var ( // read-only
	accessPointARN = regexp.MustCompile(arnHead + `s3:([a-z0-9-]+):[0-9]{12}:accesspoint[:/][a-z0-9][a-z0-9-]{1,48}[a-z0-9])(/.*)?$`)
	multiRegionARN = regexp.MustCompile(arnHead + `s3:():[0-9]{12}:accesspoint[:/][a-z0-9]+\.mrap)(/.*)?$`)
	outpostARN     = regexp.MustCompile(arnHead + `s3-outposts:([a-z0-9-]+):[0-9]{12}:outpost[:/]op-[0-9a-z]+[:/]accesspoint[:/][a-z0-9][a-z0-9-]{1,48}[a-z0-9])(/.*)?$`)
	bucketARN      = regexp.MustCompile(`^arn:aws[a-z-]*:s3:::([A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9])(/.*)?$`)
)

// splitARN extracts the bucket from "s3://arn:…/prefix?parameters". url.Parse rejects such a URL
// because it expects a port after the colon. splitARN returns the bucket (an access point's ARN, or
// the name in a bucket ARN), the region in the ARN, and the URL with a placeholder instead of the
// ARN. ok is false for a URL without an ARN.
func splitARN(raw string) (bucket, region, rest string, ok bool, err error) {
	after, ok := strings.CutPrefix(raw, "s3://arn:")
	if !ok {
		return "", "", raw, false, nil
	}
	path, query := "arn:"+after, ""
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path, query = path[:i], path[i:]
	}
	for _, form := range []*regexp.Regexp{accessPointARN, multiRegionARN, outpostARN} {
		if m := form.FindStringSubmatch(path); m != nil {
			return m[1], m[2], "s3://arn" + m[3] + query, true, nil
		}
	}
	if m := bucketARN.FindStringSubmatch(path); m != nil {
		return m[1], "", "s3://arn" + m[2] + query, true, nil
	}
	return "", "", "", true, provider.Usage("the ARN must be that of a bucket (arn:aws:s3:::name), of an access point" +
		" (arn:aws:s3:region:account:accesspoint/name, arn:aws:s3::account:accesspoint/alias.mrap) or of an access point on Outposts")
}

// isARN reports whether the bucket is an access point.
func (c *config) isARN() bool { return strings.HasPrefix(c.bucket, "arn:") }
