package main

import (
	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/s3"
)

// stores says what a URL may name. A program links the providers that it names here, and no other.
func stores() openurl.Mux {
	m := openurl.Builtin() // paths, https://, zip archives
	m["s3"] = openurl.With(s3.Open)
	m["gs"] = openurl.With(gcs.Open)
	m["azblob"] = openurl.With(azure.Open)
	return m
}
