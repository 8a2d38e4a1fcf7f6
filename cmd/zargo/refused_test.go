package main

import (
	"net/http"
	"net/http/httptest"
	"os"
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

// TestObjects checks the output of v2 arrays of objects as JSON and in other formats.
func TestObjects(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	array := func(name, filter, chunk string) {
		t.Helper()
		succeed(t, os.MkdirAll(name, 0o777))
		write(t, name+"/.zarray", []byte(`{"zarr_format":2,"shape":[3],"chunks":[3],"dtype":"|O","order":"C","fill_value":null,"compressor":null,"filters":[`+filter+`]}`))
		write(t, name+"/0", []byte(chunk))
	}
	array("json", `{"id":"json2"}`, `["a\"b",{"k":[1,null]},NaN,"|O",[3]]`)
	array("packed", `{"id":"msgpack2"}`, "\x95\x01\xc4\x01\xff\xc0\xa2|O\x91\x03")
	array("ragged", `{"id":"vlen-array","dtype":"<i2"}`, "\x03\x00\x00\x00\x04\x00\x00\x00\x01\x00\xff\xff\x00\x00\x00\x00\x02\x00\x00\x00\x07\x00")
	array("labels", `{"id":"categorize","labels":["red","é"],"dtype":"|O","astype":"|u1"}`, "\x02\x00\x01")
	for _, r := range []struct{ line, want string }{
		{"cat json --format json", `["a\"b", {"k":[1,null]}, {"float":"NaN"}]` + "\n"},
		{"cat json --format csv", `"""a\""b"""` + "\n" + `"{""k"":[1,null]}"` + "\n" + `"{""float"":""NaN""}"` + "\n"},
		{"cat packed --format json", `[1, {"b64":"/w=="}, null]` + "\n"},
		{"cat packed --sel 0:1", "[1]\n"},
		{"cat ragged --format json", `[{"array": [1, -1], "dtype": "<i2"}, {"array": [], "dtype": "<i2"}, {"array": [7], "dtype": "<i2"}]` + "\n"},
		{"cat ragged --format csv", "\"[1, -1]\"\n[]\n[7]\n"},
		{"cat ragged", "[[1, -1]      []     [7]]\n"},
		{"cat labels --format json", `["é", "", "red"]` + "\n"},
	} {
		if got := zargo(t, p, r.line); got.code != 0 || got.out != r.want {
			t.Errorf("%s: %q, want %q; %s", r.line, got.out, r.want, got.err)
		}
	}
	for _, line := range []string{"info json", "info ragged"} {
		if r := zargo(t, p, line); r.code != 0 {
			t.Errorf("%s: %s", line, r.err)
		}
	}
	fails(t, zargo(t, p, "cat ragged --format raw"), 6, "ragged")
	array("pickle", `{"id":"pickle","protocol":5}`, "")
	fails(t, zargo(t, p, "cat pickle"), 6, "pickle", "program")
}
