package azure

import "testing"

// TestContainersThatShare checks that prefixes of a container share its limits, that containers of
// other accounts do not, and that the name contains no secret.
func TestContainersThatShare(t *testing.T) {
	environment(t)
	for url, want := range map[string]string{
		"azblob://c/p?storage_account=acct&anonymous=true":                   "https://acct.blob.core.windows.net/c",
		"azblob://c/q?storage_account=acct&anonymous=true":                   "https://acct.blob.core.windows.net/c",
		"https://acct.blob.core.windows.net/c/q?sv=2020-01-01&sr=c&sig=hush": "https://acct.blob.core.windows.net/c",
		"azblob://c?storage_account=other&anonymous=true":                    "https://other.blob.core.windows.net/c",
		"azblob://d?storage_account=acct&anonymous=true":                     "https://acct.blob.core.windows.net/d",
	} {
		c := &config{}
		s, err := c.open(t.Context(), url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Shared().Name; got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
