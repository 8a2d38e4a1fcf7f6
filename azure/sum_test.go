package azure

import (
	"crypto/md5"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// asAzure selects the checksums for Azure's own hosts.
func asAzure() Option { return option(func(c *config) { c.crc = true }, "asAzure") }

// TestPutsCarryAChecksum checks that every put and every part carries one checksum of its bytes: a
// CRC64 for Azure, an MD5 for other hosts, such as Azurite.
func TestPutsCarryAChecksum(t *testing.T) {
	environment(t)
	for _, c := range []struct {
		name     string
		opts     []Option
		has, not string
		sum      func([]byte) string
	}{
		{"Azure", []Option{asAzure()}, "X-Ms-Content-Crc64", "Content-Md5", crc},
		{"Azurite", nil, "Content-Md5", "X-Ms-Content-Crc64", digest},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFake(t)
			s := bare(t, f.At(""), c.opts...)
			p, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, value := range []string{"", "v", strings.Repeat("value", 100_000)} {
				if _, err := s.Put(t.Context(), "k", []byte(value), store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
				if h := f.Header(); h.Get(c.has) != c.sum([]byte(value)) || h.Get(c.not) != "" {
					t.Errorf("%d bytes: %s %q, %s %q", len(value), c.has, h.Get(c.has), c.not, h.Get(c.not))
				}
			}
			if err := p.Part(t.Context(), 0, []byte("part")); err != nil {
				t.Fatal(err)
			}
			if got := f.Header().Get(c.has); got != c.sum([]byte("part")) {
				t.Errorf("part: %q", got)
			}
		})
	}
}

// TestWhoGetsACRC64 checks that the client's address determines whether the host belongs to Azure.
func TestWhoGetsACRC64(t *testing.T) {
	environment(t)
	for url, want := range map[string]bool{
		"azblob://c": true, "azblob://c?domain=blob.core.chinacloudapi.cn": true, "azblob://c?localemu=true": false, "azblob://c?domain=cdn.example&cdn=true": false,
	} {
		net := &wire{answer: func(r *http.Request) *http.Response { return says(r, 201, "", "ETag", `"1"`) }}
		if _, err := open(t, url, HTTPClient(net)).Put(t.Context(), "k", []byte("v"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := has(net.seen[0].Header, "X-Ms-Content-Crc64"); got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}

// has reports whether h contains a header, which the SDK writes in non-canonical form.
func has(h http.Header, name string) bool {
	for got := range h {
		if strings.EqualFold(got, name) {
			return true
		}
	}
	return false
}

// TestDamagedPutIsRefused checks that a value that was damaged in transit is rejected, and that the
// put is retried.
func TestDamagedPutIsRefused(t *testing.T) {
	environment(t)
	for header, c := range map[string]struct {
		opts []Option
		sum  string
	}{"X-Ms-Content-Crc64": {[]Option{asAzure()}, crc([]byte("before"))}, "Content-Md5": {nil, digest([]byte("before"))}} {
		t.Run(header, func(t *testing.T) {
			f := NewFake(t)
			broken := 1
			rt := roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPut && broken > 0 {
					broken--
					maps.DeleteFunc(r.Header, func(name string, _ []string) bool { return strings.EqualFold(name, header) })
					r.Header.Set(header, c.sum)
				}
				return http.DefaultTransport.RoundTrip(r)
			})
			opts := append(c.opts, HTTPClient(&http.Client{Transport: rt}))
			s := open(t, f.At(""), append(opts, Retry(retry.Tries(1)))...)
			if _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{}); !errors.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "Mismatch") {
				t.Errorf("got %v", err)
			}
			broken = 1
			if _, err := open(t, f.At(""), opts...).Put(t.Context(), "k", []byte("v"), store.PutOptions{IfAbsent: true}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestVerifyReads(t *testing.T) {
	environment(t)
	f := NewFake(t)
	value := []byte("some value")
	sum := md5.Sum(value)
	flip := func(b []byte) { b[0] ^= 1 }
	md := map[string]string{"Content-Md5": base64.StdEncoding.EncodeToString(sum[:])}
	f.Set("whole", object{value: value, header: md})
	f.Set("damaged", object{value: value, header: md, damage: flip})
	f.Set("bare", object{value: value, damage: flip})
	strict := []Option{VerifyReads(), Retry(retry.Tries(1))}
	for _, c := range []struct {
		name, key string
		r         store.Range
		opts      []Option
		kind      error
	}{
		{"whole", "whole", store.Range{}, strict, nil},
		{"whole, damaged", "damaged", store.Range{}, strict, fault.Unavailable},
		{"whole, without a sum", "bare", store.Range{}, strict, nil},
		{"range", "whole", store.Within(1, 4), strict, nil},
		{"range, damaged", "damaged", store.Within(1, 4), strict, fault.Unavailable},
		{"range, of a value without a sum", "bare", store.Within(0, 4), strict, fault.Unavailable},
		{"tail, damaged", "damaged", store.Suffix(4), strict, fault.Unavailable},
		{"open range, which has none", "damaged", store.From(2), strict, nil},
		{"not asked for", "damaged", store.Range{}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, as := range [][]Option{nil, {asAzure()}} {
				s := open(t, f.At(""), append(as, c.opts...)...)
				buf := append(make([]byte, 0, 64), "before"...)
				v, err := s.Get(t.Context(), c.key, store.GetOptions{Range: c.r}, buf)
				if !errors.Is(err, c.kind) || c.kind == nil && (err != nil || string(v.Bytes[:6]) != "before") {
					t.Errorf("%v: %q, %v", as, v.Bytes, err)
				}
			}
		})
	}
	if err := (&config{}).parseURL("azblob://c?verify_reads=true&readonly=true"); err != nil {
		t.Error(err)
	}
}

func TestReadOnly(t *testing.T) {
	environment(t)
	f := NewFake(t)
	for _, s := range []store.Store{open(t, f.At("")+"&readonly=true"), open(t, f.At(""), ReadOnly())} {
		if _, err := s.Put(t.Context(), "k", nil, store.PutOptions{}); !errors.Is(err, fault.ReadOnly) || !store.IsReadOnly(s) {
			t.Error(err)
		}
	}
}
