package lzma

import (
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TestBranches compares the filters with the output of liblzma 5 for a few jumps in both
// directions, at the start of a stream and elsewhere.
func TestBranches(t *testing.T) {
	tests := []struct {
		id          FilterID
		start       uint32
		plain, want string
	}{
		{X86, 0, "90e810000000909090e9ffffffff90e8123456789090909090", "90e816000000909090e90d00000090e8123456789090909090"},
		{X86, 32, "90e810000000909090e9ffffffff90e8123456789090909090", "90e836000000909090e92d00000090e8123456789090909090"},
		{PowerPC, 0, "600000004800001148000001480000034bfffff1", "6000000048000015480000094800000348000001"},
		{PowerPC, 32, "600000004800001148000001480000034bfffff1", "6000000048000035480000294800000348000021"},
		{IA64, 0, "10000000000000000000000040230150000000000014000000000000000000001600dc01001400c80400280000000000", "10000000000000000000000040230150000000000014000000000000000000001600e401001400d80400280000000000"},
		{IA64, 32, "10000000000000000000000040230150000000000014000000000000000000001600dc01001400c80400280000000000", "10000000000000000000000060230150000000000014000000000000000000001600ec01001400e80400280000000000"},
		{ARM, 0, "000000e0000000eb100000ebfeffffeb020000ea", "000000e0030000eb140000eb030000eb020000ea"},
		{ARM, 32, "000000e0000000eb100000ebfeffffeb020000ea", "000000e00b0000eb1c0000eb0b0000eb020000ea"},
		{ARMThumb, 0, "00bf00f000f800bffff7fef700f010f8fff7feff", "00bf00f003f800bffff7fef700f018f800f008f8"},
		{ARMThumb, 32, "00bf00f000f800bffff7fef700f010f8fff7feff", "00bf00f013f800bffff7fef700f028f800f018f8"},
		{SPARC, 0, "0100000040000001400000007fffffff7fbfffff", "010000004000000240000002400000027fbfffff"},
		{SPARC, 32, "0100000040000001400000007fffffff7fbfffff", "010000004000000a4000000a4000000a7fbfffff"},
	}
	for _, tt := range tests {
		b, err := hex.DecodeString(tt.plain)
		if err != nil {
			t.Fatal(err)
		}
		f := Filter{ID: tt.id, StartOffset: tt.start}
		if f.apply(b, true); hex.EncodeToString(b) != tt.want {
			t.Errorf("filter %#x from %d: %x, want %s", uint64(tt.id), tt.start, b, tt.want)
		}
		if f.apply(b, false); hex.EncodeToString(b) != tt.plain {
			t.Errorf("filter %#x from %d, undone: %x, want %s", uint64(tt.id), tt.start, b, tt.plain)
		}
	}
}

// TestValidate checks that Validate rejects the configurations that Python's module rejects. An
// unknown filter is not fault.Metadata but unsupported.
func TestValidate(t *testing.T) {
	last := Filter{ID: LZMA2, Coder: Preset(1, false)}
	chain := func(list ...Filter) []Filter { return list }
	tests := []struct {
		name string
		c    Config
		want error
	}{
		{"format", Config{Format: 9}, fault.Metadata},
		{"check", Config{Format: XZ, Check: 3}, fault.Metadata},
		{"check without a place", Config{Format: Alone, Check: CRC32}, fault.Metadata},
		{"preset", Config{Format: XZ, Preset: 10}, fault.Metadata},
		{"raw without filters", Config{Format: Raw}, fault.Metadata},
		{"five filters", Config{Format: XZ, Filters: slices.Repeat(chain(last), 5)}, fault.Metadata},
		{"two in one", Config{Format: Alone, Filters: chain(last, last)}, fault.Metadata},
		{"LZMA2 before the end", Config{Format: XZ, Filters: chain(last, last)}, fault.Metadata},
		{"nothing but delta", Config{Format: XZ, Filters: chain(Filter{ID: Delta, Distance: 1})}, fault.Metadata},
		{"delta of nothing", Config{Format: XZ, Filters: chain(Filter{ID: Delta}, last)}, fault.Metadata},
		{"delta of 257", Config{Format: XZ, Filters: chain(Filter{ID: Delta, Distance: 257}, last)}, fault.Metadata},
		{"within an instruction", Config{Format: XZ, Filters: chain(Filter{ID: IA64, StartOffset: 8}, last)}, fault.Metadata},
		{"too many literal bits", Config{Format: XZ, Filters: chain(Filter{ID: LZMA2, Coder: Coder{Properties: Properties{LC: 4, LP: 4}}})}, fault.Metadata},
		{"unknown filter", Config{Format: XZ, Filters: chain(Filter{ID: 99}, last)}, errors.ErrUnsupported},
		{"good", Config{Format: XZ, Check: SHA256, Filters: chain(Filter{ID: IA64, StartOffset: 16}, last)}, nil},
	}
	for _, tt := range tests {
		if err := tt.c.Validate(); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}
