package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRefusedWrites checks that the error for a refused write contains a remedy.
func TestRefusedWrites(t *testing.T) {
	p := newProgram()
	t.Run("anonymous put in S3", func(t *testing.T) {
		b := newBucket(t)
		b.refuse = func(r *http.Request) (int, string) {
			if r.Method == "PUT" && r.Header.Get("Authorization") == "" {
				return 403, "AccessDenied"
			}
			return 0, ""
		}
		fails(t, zargo(t, p, "create "+b.at("b", "x")+"&anonymous=true --group"), 8, "s3://b/x", "AccessDenied", "anonymous")
	})
	t.Run("SAS that only reads", func(t *testing.T) {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			status, code := 404, "BlobNotFound"
			if r.Method == "PUT" {
				status, code = 403, "AuthorizationPermissionMismatch"
			}
			w.Header().Set("x-ms-error-code", code)
			w.Header().Set("x-ms-request-id", "1")
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			if r.Method != "HEAD" {
				_, _ = w.Write([]byte("<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>no</Message></Error>"))
			}
		}))
		defer srv.Close()
		for name, value := range map[string]string{"AZURE_STORAGE_ACCOUNT": "acct", "AZURE_STORAGE_SAS_TOKEN": "sv=1&sp=rl&sig=hidden", "AZURE_STORAGE_KEY": "", "AZURE_STORAGE_CONNECTION_STRING": "", "AZURE_STORAGE_DOMAIN": ""} {
			t.Setenv(name, value)
		}
		host := strings.TrimPrefix(srv.URL, "http://")
		r := zargo(t, p, "create azblob://c/x?protocol=http&domain="+host+" --group")
		fails(t, r, 8, "azblob://c/x", "SAS")
		if strings.Contains(r.err, "hidden") {
			t.Errorf("the token shows: %s", r.err)
		}
	})
}
