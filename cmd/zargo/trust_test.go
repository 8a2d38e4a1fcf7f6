package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestTrust checks that credentials are sent only to hosts that the user allowed outside the URL.
// It sends no requests: opening a store suffices for the error.
func TestTrust(t *testing.T) {
	newBucket(t) // sets the environment
	for name, value := range map[string]string{"AZURE_STORAGE_ACCOUNT": "acct", "AZURE_STORAGE_SAS_TOKEN": "sv=1&sig=hidden", "AZURE_STORAGE_KEY": "", "AZURE_STORAGE_CONNECTION_STRING": "",
		"AZURE_STORAGE_DOMAIN": "", "ZARGO_TRUSTED_HOSTS": ""} {
		t.Setenv(name, value)
	}
	p := newProgram()
	s3 := "s3://b/x?region=us-east-1&use_path_style=true&endpoint=http://192.0.2.1" // an address is refused before any request
	for _, r := range []struct{ name, line, with string }{
		{"S3 over http", "info " + s3, "info --tuning --allow-http " + s3},
		{"Azure elsewhere", "info --tuning azblob://c/x?domain=store.example", "info --tuning azblob://c/x?domain=store.example --trust-host=store.example"},
	} {
		t.Run(r.name, func(t *testing.T) {
			got := zargo(t, p, r.line)
			if got.code != 8 && got.code != 2 || strings.Contains(got.err, "hidden") || strings.Contains(got.err, "very-secret") {
				t.Errorf("exit %d, %s", got.code, got.err)
			}
			t.Log(got.err)
			do(t, p, r.with)
		})
	}
	t.Run("by the environment", func(t *testing.T) {
		t.Setenv("ZARGO_TRUSTED_HOSTS", "store.example")
		do(t, p, "info --tuning azblob://c/x?domain=store.example")
	})
	fails(t, zargo(t, p, "info "+s3+"&requester_pays=true&anonymous=true"), 2, "s3://b/x", "requester")
}

// TestWrites checks which command lines request write access.
func TestWrites(t *testing.T) {
	for line, want := range map[string]bool{
		"info x": false, "ls": false, "ls x": false, "du x": false, "census x": false, "diff x y": false, "hash x": false, "cat x": false, "validate x": false, "consolidate x --check": false, "attrs x": false,
		"transfer verify x": false, "copy x y": true, "transfer run x": true, "transfer plan x y -o z": true, "transfer resume x": true, "transfer clean x": true,
		"append x f --dim 0 --dry-run": true, "copy x y --dry-run": true, "pyramid x --dry-run": true, "pyramid x": true, "migrate x --dry-run": true, "rm x --dry-run": true, // rehearsals
		"create x --group": true, "put x f": true, "append x f --dim 0": true, "validate x --repair": true, "validate x --repair --dry-run": false, "attrs x --set a=1": true, "attrs x --unset a": true, "consolidate x": true, "migrate x": true, "rm x": true,
	} {
		flags := &cli{}
		parser, err := kong.New(flags, kong.Vars{"version": ""})
		if err != nil {
			t.Fatal(err)
		}
		command, err := parser.Parse(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		if got := flags.writes(command.Command()); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// TestTrustLocks checks that --trust-locks has no effect on a local disk.
func TestTrustLocks(t *testing.T) {
	p, dir := newProgram(), t.TempDir()
	do(t, p, "create --group --trust-locks "+dir+"/g")
	do(t, p, "attrs --set a=1 --trust-locks "+dir+"/g")
	do(t, p, "attrs --set a=2 "+dir+"/g")
}
