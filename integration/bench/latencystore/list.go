package main

import (
	"encoding/base64"
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func (s *server) list(w http.ResponseWriter, r *http.Request, bk string, q url.Values, v2 bool) {
	maxKeys := 1000
	if n, err := strconv.Atoi(q.Get("max-keys")); err == nil && n >= 0 && n < maxKeys {
		maxKeys = n
	}
	after := q.Get("start-after")
	if !v2 {
		after = q.Get("marker")
	}
	if t := q.Get("continuation-token"); t != "" {
		b, err := base64.RawURLEncoding.DecodeString(t)
		if err != nil {
			s.err(w, r, 400, "InvalidArgument", "The continuation token provided is incorrect")
			return
		}
		after = string(b)
	}
	prefix, delim := q.Get("prefix"), q.Get("delimiter")
	ents, more, ok := s.st.list(bk, prefix, delim, after, maxKeys)
	if !ok {
		s.err(w, r, 404, "NoSuchBucket", "The specified bucket does not exist")
		return
	}
	enc := func(s string) string { return s }
	if q.Get("encoding-type") == "url" {
		enc = func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "%2F", "/") }
	}
	type content struct {
		Key          string
		LastModified string
		ETag         string
		Size         int64
		StorageClass string
	}
	type cp struct{ Prefix string }
	v := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Name                  string
		Prefix                string
		Delimiter             string `xml:",omitempty"`
		EncodingType          string `xml:",omitempty"`
		StartAfter            string `xml:",omitempty"`
		Marker                string `xml:",omitempty"`
		NextMarker            string `xml:",omitempty"`
		ContinuationToken     string `xml:",omitempty"`
		NextContinuationToken string `xml:",omitempty"`
		KeyCount              int
		MaxKeys               int
		IsTruncated           bool
		Contents              []content
		CommonPrefixes        []cp
	}{Name: bk, Prefix: enc(prefix), Delimiter: enc(delim), EncodingType: q.Get("encoding-type"), KeyCount: len(ents), MaxKeys: maxKeys, IsTruncated: more,
		ContinuationToken: q.Get("continuation-token"), StartAfter: enc(q.Get("start-after"))}
	for _, e := range ents {
		if e.obj == nil {
			v.CommonPrefixes = append(v.CommonPrefixes, cp{enc(e.key)})
		} else {
			v.Contents = append(v.Contents, content{enc(e.key), e.obj.mod.UTC().Format("2006-01-02T15:04:05.000Z"), e.obj.etag, e.obj.size, "STANDARD"})
		}
	}
	if more && len(ents) > 0 {
		last := ents[len(ents)-1]
		if v2 {
			v.NextContinuationToken = base64.RawURLEncoding.EncodeToString([]byte(last.resume))
		} else {
			v.Marker, v.NextMarker = q.Get("marker"), enc(last.key)
		}
	}
	s.xml(w, 200, v)
}

func (s *server) listBuckets(w http.ResponseWriter) {
	type bk struct{ Name, CreationDate string }
	var v struct {
		XMLName xml.Name `xml:"ListAllMyBucketsResult"`
		Buckets struct{ Bucket []bk }
	}
	for _, n := range s.st.bucketNames() {
		v.Buckets.Bucket = append(v.Buckets.Bucket, bk{n, time.Unix(0, 0).UTC().Format(time.RFC3339)})
	}
	s.xml(w, 200, v)
}
