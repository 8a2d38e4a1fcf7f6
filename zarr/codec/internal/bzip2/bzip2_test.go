package bzip2_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec/internal/bzip2"
	"github.com/zargo-io/zargo/zarr/fault"
)

// contents returns inputs that each stress one part of the encoder: run lengths, repetitions for
// the sort, few symbols for the Huffman tables.
func contents() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 130_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	all := map[string][]byte{
		"nothing": {}, "one": {7}, "two": {7, 7}, "a and b": []byte("ab"), "b and a": []byte("ba"), "word": []byte("mississippi"),
		"noise": noise, "zeros": make([]byte, 300_000), "power": bytes.Repeat([]byte("abaab"), 30_001), "power of two": bytes.Repeat(noise[:1000], 200),
		"skewed": nil, "fibonacci": []byte("ab"),
	}
	for n := range 16 {
		all["skewed"] = append(all["skewed"], bytes.Repeat(noise[n:n+1], 3<<n)...)
	}
	r.Shuffle(len(all["skewed"]), func(i, j int) {
		s := all["skewed"]
		s[i], s[j] = s[j], s[i]
	})
	for a, b := []byte("a"), []byte("ab"); len(b) < 150_000; a, b = b, slices.Concat(b, a) {
		all["fibonacci"] = b
	}
	for _, n := range []int{2, 3, 4, 5, 6, 254, 255, 256, 259, 260, 99_980, 99_981, 99_982, 100_100} {
		all["run"] = append(append(all["run"], bytes.Repeat([]byte{byte(n)}, n)...), noise[:n%5]...)
	}
	for range 300 {
		all["short"] = append(all["short"], byte(r.IntN(3)))
	}
	return all
}

// levels returns the highest level worth testing for n bytes. The level sets only the block size,
// so all levels whose blocks hold n bytes have the same output. Short inputs are tested at all
// levels.
func levels(n int) int {
	if n < 1000 {
		return 9
	}
	return 1 + n/80_000
}

func TestRoundTrip(t *testing.T) {
	var enc [10]*bzip2.Encoder
	for level := 1; level <= 9; level++ {
		enc[level] = bzip2.NewEncoder(level)
	}
	for name, want := range contents() {
		for n := len(want); ; n = n * 2 / 3 {
			for level := 1; level <= levels(n); level++ {
				stored, err := enc[level].Encode([]byte("x"), want[:n])
				if err != nil || stored[0] != 'x' {
					t.Fatal(err)
				}
				if got, err := bzip2.Decode(nil, stored[1:], n); err != nil || !bytes.Equal(got, want[:n]) {
					t.Fatalf("%s, %d bytes, level %d: %d bytes, %v", name, n, level, len(got), err)
				}
			}
			if n == 0 {
				break
			}
		}
	}
}

func TestStreams(t *testing.T) {
	enc := func(s string) []byte {
		b, err := bzip2.NewEncoder(1).Encode(nil, []byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	tests := []struct {
		name, want string
		stored     []byte
		good       bool
	}{
		{"two streams", "ab", slices.Concat(enc("a"), enc("b")), true},
		{"an empty stream", "ab", slices.Concat(enc(""), enc("ab")), true},
		{"a byte behind", "ab", append(enc("ab"), 0), false},
		{"half a stream behind", "ab", append(enc("ab"), "BZh"...), false},
		{"nothing", "", nil, false},
		{"too much", "ab", enc("abc"), false},
		{"another level", "ab", slices.Replace(enc("ab"), 3, 4, '0'), false},
		{"another checksum", "ab", slices.Replace(enc("ab"), 10, 11, enc("ab")[10]^1), false},
	}
	for _, tt := range tests {
		got, err := bzip2.Decode(nil, tt.stored, len(tt.want))
		if good := err == nil && string(got) == tt.want; good != tt.good || !good && !errors.Is(err, fault.Corrupt) {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
}
