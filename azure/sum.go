package azure

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"hash/crc64"
	"net/http"

	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// crcPolynomial is that of Azure's CRC64, of which every put and every part carries one. Over 16 MiB it took 21 ms where
// MD5, the other sum that Azure takes, took 91. Source: "Put Blob", header x-ms-content-crc64.
const crcPolynomial = 0x9A6C9329AC4BC9B5

// maxSummed is the longest range of which Azure makes a checksum.
const maxSummed = 4 << 20

// sum is compared by the server before anybody can see the value.
func (b *bucket) sum(value []byte) azblob.TransferValidationType {
	return azblob.TransferValidationTypeCRC64(crc64.Checksum(value, b.crc))
}

// askSum is the header that asks for a range's checksum.
func askSum(r store.Range) http.Header {
	if off, n, ok := r.IsWithin(); ok && n <= maxSummed && httpRange(r) != (azblob.HTTPRange{}) && off >= 0 {
		return http.Header{"X-Ms-Range-Get-Content-Crc64": {"true"}}
	}
	return nil
}

// compare compares a value, or a part of one, with the checksum that came with it.
func (b *bucket) compare(h http.Header, status int, value []byte) error {
	if sum, err := base64.StdEncoding.DecodeString(h.Get("X-Ms-Content-Crc64")); err == nil && len(sum) == 8 {
		if binary.LittleEndian.Uint64(sum) != crc64.Checksum(value, b.crc) {
			return fault.Newf(fault.Unavailable, "the value arrived damaged: its CRC64 is another than Azure says")
		}
		return nil
	}
	if sum, err := base64.StdEncoding.DecodeString(h.Get("Content-Md5")); err == nil && len(sum) == md5.Size && status == http.StatusOK {
		if [md5.Size]byte(sum) != md5.Sum(value) {
			return fault.Newf(fault.Unavailable, "the value arrived damaged, or was stored with the MD5 of another: its MD5 is not what Azure says")
		}
	}
	return nil
}
