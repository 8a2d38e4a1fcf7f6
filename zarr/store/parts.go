package store

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// PartPutter writes one value in parts. It is for values that are too large to be held in memory or
// sent again after a failure.
type PartPutter interface {
	// PutParts starts an upload or continues the upload named by o.Resume. The value is not visible
	// before Commit.
	PutParts(ctx context.Context, key string, o PartsOptions) (Parts, error)
}

// PartsOptions selects a new upload or an existing one. The zero value starts a new upload.
type PartsOptions struct {
	// Resume is the Token of an unfinished upload of the same key. Another process may have started
	// it. If the upload no longer exists, the first request fails. If the store does not support
	// Tokens, PutParts returns errors.ErrUnsupported.
	Resume string
}

// Parts is an upload in parts. Part may be called concurrently. The other methods must not run
// concurrently with Part.
//
// After an upload was committed or aborted in any process, Sent and Commit return fault.Conflict.
// Part also returns fault.Conflict if the provider detects the end of the upload. Azure does not
// detect an Abort in another process. A process that has sent all parts can then still commit them
// as a complete value.
type Parts interface {
	// Part sends part n, counted from 0. Parts may be sent in any order. Sending part n again
	// replaces it. Part keeps no reference to b. After a Resume the first call of Part may make a
	// request that lists the earlier parts. Part returns fault.Limit if n or the length of b
	// exceeds Limits.
	Part(ctx context.Context, n int, b []byte) error

	// Sent lists the parts that have arrived, from all processes, ordered by N.
	Sent(ctx context.Context) ([]PartInfo, error)

	// Limits returns the provider's limits. It makes no request.
	Limits() PartLimits

	// Token identifies the upload for PartsOptions.Resume. The token is empty if another process
	// cannot continue the upload. Token makes no request.
	Token() string

	// Commit concatenates the parts in order of N and makes them the value of the key, subject to
	// the conditions in o. After a Resume it uses the parts of all processes. It compares the
	// stored parts with the numbers and sizes of the parts that this process sent or that Sent
	// listed, so that it never stores a truncated value. Commit fails with:
	//
	//   - fault.Selection if there is a gap between parts
	//   - fault.Conflict if a part is missing, if another process has replaced a part by one of
	//     another size, or if fewer parts are stored than the upload had
	//   - fault.Corrupt if the stored size of a part differs from the sent size
	//
	// After fault.Conflict or fault.Corrupt, parts can be sent again, unless the upload was
	// committed or aborted.
	Commit(ctx context.Context, o PutOptions) (Version, error)

	// Abort removes the parts. It may be called after a failed Commit, and does nothing after a
	// successful one.
	Abort(ctx context.Context) error
}

// PartInfo is a part that has arrived.
type PartInfo struct {
	N    int
	Size int64
	// Sum is the provider's checksum of the part: "crc32:" or "crc32c:" and 8 hexadecimal digits,
	// or "md5:" and 32 hexadecimal digits. If the provider encrypts the value, the digits after
	// "md5:" are not the MD5 of the part. Sum is empty if the provider lacks a checksum.
	Sum string
}

// Holds reports whether b has the length and checksum of the part. The result known is false if
// this cannot be decided: the part lacks a checksum, or it has an MD5 that differs from that of b
// and may be the result of encryption.
func (p PartInfo) Holds(b []byte) (holds, known bool) {
	if int64(len(b)) != p.Size {
		return false, true
	}
	name, _, _ := strings.Cut(p.Sum, ":")
	switch name {
	case "crc32":
		return p.Sum == fmt.Sprintf("crc32:%08x", crc32.ChecksumIEEE(b)), true
	case "crc32c":
		return p.Sum == fmt.Sprintf("crc32c:%08x", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))), true
	case "md5":
		// MD5 suffices: an attacker who can forge an MD5 could send other bytes as well.
		same := p.Sum == fmt.Sprintf("md5:%x", md5.Sum(b)) //nolint:gosec // chosen by the provider
		return same, same
	}
	return false, false
}

// PartLimits are a provider's limits on uploads in parts.
type PartLimits struct {
	Min   int64 // minimum bytes of each part except the last
	Max   int64 // maximum bytes of a part
	Parts int   // maximum number of parts
	Equal bool  // all parts except the last must have the same length
}

// PutParts starts or continues an upload in parts; see [PartPutter]. It returns
// errors.ErrUnsupported if s lacks the verb. The caller can then use Put.
func PutParts(ctx context.Context, s Store, key string, o PartsOptions) (Parts, error) {
	if pp, ok := s.(PartPutter); ok {
		return pp.PutParts(ctx, key, o)
	}
	return nil, errors.ErrUnsupported
}
