package openurl

import (
	"net/url"
	"strings"
)

// canonical converts URLs of other tools for Azure and Google Cloud Storage to azblob:// and gs://.
// Hadoop and fsspec write abfss://container@account.dfs.core.windows.net/path. Programs with fsspec
// may also omit the account, and use the short schemes az and gcs.
func canonical(scheme, rest string) (string, string, error) {
	switch scheme {
	case "gcs":
		return "gs", rest, nil
	case "az", "azure", "abfs", "abfss", "wasb", "wasbs":
	default:
		return scheme, rest, nil
	}
	place, query, _ := strings.Cut(rest, "?")
	host, path, _ := strings.Cut(place, "/")
	if container, server, ok := strings.Cut(host, "@"); ok {
		account, domain, ok := azure(server)
		if !ok || strings.Contains(container, ":") {
			return "azblob", "", syntax("an %s URL is %s://container@account.dfs.core.windows.net/path, or azblob://container/path?storage_account=account", scheme, scheme)
		}
		host, query = container, joined(azureQuery(account, domain), query)
	}
	rest = host + "/" + path
	if query != "" {
		rest += "?" + query
	}
	return "azblob", rest, nil
}

// azure splits the host name of a storage account into the account and the domain. ok is false for
// other host names.
func azure(server string) (account, domain string, ok bool) {
	account, domain, _ = strings.Cut(strings.ToLower(server), ".")
	endpoint, cloud, _ := strings.Cut(domain, ".")
	if account == "" || strings.IndexFunc(account, notAccount) >= 0 || endpoint != "blob" && endpoint != "dfs" {
		return "", "", false
	}
	switch cloud {
	case "core.windows.net", "core.usgovcloudapi.net", "core.chinacloudapi.cn":
		return account, "blob." + cloud, true
	}
	return "", "", false
}

// signed reports whether the parameters contain a SAS token.
func (l Location) signed() bool {
	for p := range strings.SplitSeq(l.Query, "&") {
		if strings.HasPrefix(p, "sig=") {
			return true
		}
	}
	return false
}

// notAccount reports whether r is not allowed in an account name.
func notAccount(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-')
}

// azureQuery returns the parameters that select an account.
func azureQuery(account, domain string) string {
	q := "storage_account=" + account
	if domain != "blob.core.windows.net" {
		q += "&domain=" + domain
	}
	return q
}

// joined concatenates two lists of parameters.
func joined(q, more string) string {
	if more == "" {
		return q
	}
	return q + "&" + more
}

// Native converts an https URL of an object or prefix in a bucket to the provider's URL form. It
// returns false if the host does not belong to a known provider:
//
//	https://account.blob.core.windows.net/container/path   azblob://container/path?storage_account=account
//	https://storage.googleapis.com/bucket/path             gs://bucket/path
//	https://bucket.s3.eu-central-1.amazonaws.com/path      s3://bucket/path?region=eu-central-1
//
// With the https URL, a store reads without credentials and cannot list. With the provider's URL
// form, it uses credentials. Native omits the parameters, because they may be a signature for this
// one URL.
func (l Location) Native() (Location, bool) {
	if l.Scheme != "https" {
		return Location{}, false
	}
	bucket, path, _ := strings.Cut(l.Path, "/")
	host := strings.ToLower(l.Host)
	n := Location{Host: bucket, Path: path, Inside: l.Inside}
	if account, domain, ok := azure(host); ok {
		n.Scheme, n.Query = "azblob", azureQuery(account, domain)
		return n, bucket != ""
	}
	if host == "storage.googleapis.com" || host == "storage.cloud.google.com" {
		n.Scheme = "gs"
		return n, bucket != ""
	}
	rest, ok := strings.CutSuffix(host, ".amazonaws.com")
	if !ok {
		return Location{}, false
	}
	n.Scheme = "s3"
	labels := strings.Split(rest, ".")
	if last := len(labels) - 1; last >= 0 && labels[last] != "s3" { // s3.region, or the older s3-region
		region, old := strings.CutPrefix(labels[last], "s3-")
		if !old {
			if last--; last < 0 || labels[last] != "s3" {
				return Location{}, false
			}
			labels = labels[:last+1]
		}
		n.Query = "region=" + url.QueryEscape(region)
	}
	if len(labels) > 1 { // the host name contains the bucket
		n.Host, n.Path = strings.Join(labels[:len(labels)-1], "."), l.Path
	}
	return n, n.Host != ""
}
