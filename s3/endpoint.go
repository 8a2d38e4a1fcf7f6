package s3

import (
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
)

// isAWS reports whether a client sends its requests to AWS: its endpoint is not configured, or is
// an endpoint of AWS.
func isAWS(o awss3.Options) bool {
	return aws.ToString(o.BaseEndpoint) == "" || isAWSHost(hostOf(*o.BaseEndpoint))
}

// isAWSHost reports whether host is a host of S3 in one of AWS's partitions. Customers also run
// servers below AWS's domains, so the host must also have a label of S3. Source: partitions.json of
// the SDK, and "Amazon S3 endpoints and quotas" in the AWS General Reference.
func isAWSHost(host string) bool {
	if !slices.ContainsFunc(strings.Split(host, "."), func(label string) bool {
		return label == "s3" || strings.HasPrefix(label, "s3-") || strings.HasPrefix(label, "s3express-")
	}) {
		return false
	}
	for _, domain := range []string{
		"amazonaws.com", "amazonaws.com.cn", "amazonaws.eu", "api.aws", "api.amazonwebservices.com.cn", "api.amazonwebservices.eu",
		"c2s.ic.gov", "sc2s.sgov.gov", "cloud.adc-e.uk", "csp.hci.ic.gov", "api.aws.ic.gov", "api.aws.scloud", "api.cloud-aws.adc-e.uk",
		"api.aws.hci.ic.gov",
	} {
		if strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
}

// isRegion reports whether region is safe as a part of host names of S3 and STS. Servers other than
// AWS have region names such as "auto" and "default".
func isRegion(region string) bool {
	return len(region) <= 63 && !strings.ContainsFunc(region, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// hostOf returns the host of an endpoint in lower case, without its port. It returns "" for a
// malformed endpoint.
func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// checksumsChosen reports whether the environment or a profile configures the checksums of uploads.
// aws.Config itself does not distinguish a configured value from the SDK's default.
func checksumsChosen(cfg aws.Config) bool {
	for _, source := range cfg.ConfigSources {
		switch s := source.(type) {
		case awsconfig.EnvConfig:
			if s.RequestChecksumCalculation != 0 {
				return true
			}
		case awsconfig.SharedConfig:
			if s.RequestChecksumCalculation != 0 {
				return true
			}
		}
	}
	return false
}
