package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// TestTuning checks the printed settings of every kind of store. No URL contains a node, and no
// server receives a request.
func TestTuning(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_CONFIG_FILE": "/nonexistent", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
		"AWS_EC2_METADATA_DISABLED": "true", "STORAGE_EMULATOR_HOST": "", "AZURE_STORAGE_KEY": "a2V5", "AZURE_STORAGE_ACCOUNT": "",
	} {
		t.Setenv(name, value)
	}
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer srv.Close()
	host := strings.TrimPrefix(srv.URL, "http://")
	p := newProgram()
	for _, c := range []struct {
		name, url, flags string
		requests         int64
		page             int64
	}{
		{"directory", t.TempDir() + "/none", "", 16, 1000},
		{"memory", "mem://m/none", "", 16, 1000},
		{"S3", "s3://b/none?region=us-east-1&endpoint=" + url.QueryEscape(srv.URL), "", 128, 1000},
		{"S3 with fewer", "s3://b/none?region=us-east-1&endpoint=" + url.QueryEscape(srv.URL), "--inflight 7 ", 7, 1000},
		{"GCS", "gs://b/none?anonymous=true&endpoint=" + url.QueryEscape(srv.URL), "", 128, 1000},
		{"Azure", "azblob://c/none?storage_account=a&protocol=http&domain=" + url.QueryEscape(host), "", 128, 5000},
		{"web server", srv.URL + "/none?token=hush", "", 64, 1},
		{"archive", srv.URL + "/none.zip?token=hush|zip:x", "", 64, 1},
		{"archive in a directory", t.TempDir() + "/none.zip|zip:x", "", 16, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got struct {
				URL, Reason string
				Numbers     []struct {
					Name, Unit, Reason string
					Value              int64
				}
			}
			doJSON(t, p, c.flags+"info --tuning --json "+c.url, &got)
			table := do(t, p, c.flags+"info --tuning "+c.url)
			if len(got.Numbers) != 8 || got.Reason == "" || got.URL == "" || strings.Contains(table+got.URL, "hush") {
				t.Fatalf("%+v", got)
			}
			for _, n := range got.Numbers {
				if n.Reason == "" || n.Unit == "" || !strings.Contains(table, n.Reason) || !strings.Contains(table, strings.ReplaceAll(n.Name, "_", " ")) {
					t.Errorf("%+v is not said in\n%s", n, table)
				}
			}
			if n := got.Numbers[0]; n.Name != "requests" || n.Value != c.requests {
				t.Errorf("%+v, want %d", n, c.requests)
			}
			if n := got.Numbers[6]; n.Name != "list_page" || n.Value != c.page {
				t.Errorf("%+v, want %d", n, c.page)
			}
		})
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests were made", n)
	}
	fails(t, zargo(t, p, "info --tuning s3://b?regoin=x"), 2, "regoin")
}
