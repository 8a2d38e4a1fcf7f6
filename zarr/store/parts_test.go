package store_test

import (
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

func TestPartHolds(t *testing.T) {
	for _, c := range []struct {
		name, sum    string
		size         int64
		holds, known bool
	}{
		{"CRC-32", "crc32:cbf43926", 9, true, true},
		{"another CRC-32", "crc32:cbf43927", 9, false, true},
		{"CRC-32C", "crc32c:e3069283", 9, true, true},
		{"another CRC-32C", "crc32c:cbf43926", 9, false, true},
		{"MD5", "md5:25f9e794323b453885f5181f1b624d0b", 9, true, true},
		{"no MD5, or of other bytes", "md5:25f9e794323b453885f5181f1b624d0c", 9, false, false},
		{"another length", "crc32:cbf43926", 8, false, true},
		{"none", "", 9, false, false},
		{"none, and another length", "", 8, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			holds, known := store.PartInfo{Size: c.size, Sum: c.sum}.Holds([]byte("123456789"))
			if holds != c.holds || known != c.known {
				t.Errorf("holds %t, known %t", holds, known)
			}
		})
	}
}
