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

// sum returns the checksum of a value. The server verifies it before the value becomes visible.
func (b *bucket) sum(value []byte) azblob.TransferValidationType {
	if b.crc == nil {
		sum := md5.Sum(value)
		return azblob.TransferValidationTypeMD5(sum[:])
	}
	return azblob.TransferValidationTypeCRC64(crc64.Checksum(value, b.crc))
}

// crcPolynomial is the polynomial of Azure's CRC64, which is sent with every put and every part.
// Azure also accepts MD5, which took 91 ms for 16 MiB while CRC64 took 21 ms. Hosts outside Azure
// are sent an MD5, because Azurite accepts nothing else. Source: "Put Blob", headers
// x-ms-content-crc64 and Content-MD5.
const crcPolynomial = 0x9A6C9329AC4BC9B5

// maxSummed is the maximum length of a range whose checksum Azure computes.
const maxSummed = 4 << 20

// sumHeader returns the header that requests a range's checksum, or nil if Azure computes no
// checksum for the range.
func (b *bucket) sumHeader(r store.Range) http.Header {
	_, n, ok := r.IsWithin()
	switch {
	case !b.verify || !ok || n > maxSummed:
		return nil
	case b.crc == nil:
		return http.Header{"X-Ms-Range-Get-Content-Md5": {"true"}}
	}
	return http.Header{"X-Ms-Range-Get-Content-Crc64": {"true"}}
}

// compare verifies a value or a range with the checksum in the header of the response, if there is
// one.
func (b *bucket) compare(h http.Header, value []byte) error {
	if sum, err := base64.StdEncoding.DecodeString(h.Get("X-Ms-Content-Crc64")); err == nil && len(sum) == 8 && b.crc != nil {
		if binary.LittleEndian.Uint64(sum) != crc64.Checksum(value, b.crc) {
			return fault.Newf(fault.Unavailable, "the received value is damaged: its CRC64 differs from Azure's")
		}
		return nil
	}
	if sum, err := base64.StdEncoding.DecodeString(h.Get("Content-Md5")); err == nil && len(sum) == md5.Size {
		if [md5.Size]byte(sum) != md5.Sum(value) {
			return fault.Newf(fault.Unavailable, "the received value is damaged, or was stored with a wrong MD5: its MD5 differs from Azure's")
		}
	}
	return nil
}
