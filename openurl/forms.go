package openurl

import (
	"net/url"
	"strings"
)

// canonical turns the forms that other tools have for a place in Azure or Google Cloud Storage into
// azblob:// and gs://. Hadoop and fsspec write abfss://container@account.dfs.core.windows.net/path;
// fsspec leaves out the account too, and has az and gcs for short.
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

// azure splits the host of a storage account; ok tells whether it is one.
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

// signed tells whether the parameters hold a SAS token.
func (l Location) signed() bool {
	for p := range strings.SplitSeq(l.Query, "&") {
		if strings.HasPrefix(p, "sig=") {
			return true
		}
	}
	return false
}

// notAccount tells whether a character is in no account's name.
func notAccount(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-')
}

// azureQuery are the parameters that name an account.
func azureQuery(account, domain string) string {
	q := "storage_account=" + account
	if domain != "blob.core.windows.net" {
		q += "&domain=" + domain
	}
	return q
}

// joined are two lists of parameters as one.
func joined(q, more string) string {
	if more == "" {
		return q
	}
	return q + "&" + more
}

// Native gives the provider's own form of a place in a bucket that an https URL names, where it is
// known to be one:
//
//	https://account.blob.core.windows.net/container/path   azblob://container/path?storage_account=account
//	https://storage.googleapis.com/bucket/path             gs://bucket/path
//	https://bucket.s3.eu-central-1.amazonaws.com/path      s3://bucket/path?region=eu-central-1
//
// A web server is read without credentials and cannot be listed; the provider's form is opened with
// them. Parameters, which may be a signature for this one URL, are left out.
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
	if last := len(labels) - 1; last >= 0 && labels[last] != "s3" { // s3.region, or s3-region of old
		region, old := strings.CutPrefix(labels[last], "s3-")
		if !old {
			if last--; last < 0 || labels[last] != "s3" {
				return Location{}, false
			}
			labels = labels[:last+1]
		}
		n.Query = "region=" + url.QueryEscape(region)
	}
	if len(labels) > 1 { // the bucket is in the host's name
		n.Host, n.Path = strings.Join(labels[:len(labels)-1], "."), l.Path
	}
	return n, n.Host != ""
}
