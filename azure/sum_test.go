package azure

import (
	"crypto/md5"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Every put and every part carries a CRC64 of its bytes, and none an MD5.
func TestPutsCarryACRC64(t *testing.T) {
	environment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	for _, value := range []string{"", "v", strings.Repeat("value", 100_000)} {
		if _, err := s.Put(t.Context(), "k", []byte(value), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if h := f.Header(); h.Get("X-Ms-Content-Crc64") != crc([]byte(value)) || h.Get("Content-Md5") != "" {
			t.Errorf("%d bytes: CRC64 %q, MD5 %q", len(value), h.Get("X-Ms-Content-Crc64"), h.Get("Content-Md5"))
		}
	}
	p, err := store.PutParts(t.Context(), s, "k")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Part(t.Context(), 0, []byte("part")); err != nil {
		t.Fatal(err)
	}
	if got := f.Header().Get("X-Ms-Content-Crc64"); got != crc([]byte("part")) {
		t.Errorf("part: CRC64 %q", got)
	}
}

// What is damaged on the way there is refused by Azure, and sent again.
func TestDamagedPutIsRefused(t *testing.T) {
	environment(t)
	f := NewFake(t)
	broken := 1
	rt := roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPut && broken > 0 {
			broken--
			r.Header.Set("X-Ms-Content-Crc64", crc([]byte("what the value was")))
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	s := open(t, f.At(""), HTTPClient(&http.Client{Transport: rt}), Retry(retry.Tries(1)))
	if _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{}); !errors.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "Crc64Mismatch") {
		t.Errorf("got %v", err)
	}
	broken = 1
	again := open(t, f.At(""), HTTPClient(&http.Client{Transport: rt}))
	if _, err := again.Put(t.Context(), "k", []byte("v"), store.PutOptions{IfAbsent: true}); err != nil {
		t.Error(err)
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
		{"tail, damaged", "damaged", store.Last(4), strict, fault.Unavailable},
		{"open range, which has none", "damaged", store.From(2), strict, nil},
		{"not asked for", "damaged", store.Range{}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, f.At(""), c.opts...)
			buf := append(make([]byte, 0, 64), "before"...)
			v, err := s.Get(t.Context(), c.key, store.GetOptions{Range: c.r}, buf)
			if !errors.Is(err, c.kind) || c.kind == nil && (err != nil || string(v.Bytes[:6]) != "before") {
				t.Errorf("%q, %v", v.Bytes, err)
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
