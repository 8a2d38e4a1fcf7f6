package store

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// PartPutter writes one value as parts, for values too large to send again whole, or to hold in
// memory.
type PartPutter interface {
	// PutParts begins a value, or goes on with one that o.Resume names. Nothing is visible before
	// Commit.
	PutParts(ctx context.Context, key string, o PartsOptions) (Parts, error)
}

// PartsOptions say how a value in parts begins. The zero value begins a new one.
type PartsOptions struct {
	// Resume is the Token of a value under way, of the same key, which another process may have
	// begun. Whether it is still there shows at the first request. A store whose Tokens are empty
	// says errors.ErrUnsupported.
	Resume string
}

// Parts is a value under way. Part may be called concurrently; the other methods when no Part is
// under way.
//
// Of a value that was committed or aborted, here or in another process, Sent and Commit are
// fault.Conflict, and so is Part where the provider knows. Azure does not know of an Abort in
// another process, and lets a process that has sent all parts commit them again: the value is then
// whole.
type Parts interface {
	// Part sends part n, counted from 0, in any order; sending n again replaces it. b is not kept.
	// After a Resume the first Part may list the parts before. fault.Limit: n or the length of b is
	// beyond Limits.
	Part(ctx context.Context, n int, b []byte) error

	// Sent lists the parts that have arrived, from any process, in order of N.
	Sent(ctx context.Context) ([]PartInfo, error)

	// Limits are what the provider takes. It makes no request.
	Limits() PartLimits

	// Token names the value for PartsOptions.Resume; empty where another process cannot go on with
	// it. It makes no request.
	Token() string

	// Commit makes the parts, in order of N and without gaps (fault.Selection), the value of the
	// key, by the condition. After a Resume these are the parts that have arrived, from any
	// process. Number and size of all parts that were sent here or that Sent has listed are
	// compared with what is stored, so a value is never shortened.
	//
	// fault.Conflict: a part is gone, or was sent again by another process with another size; or
	// the parts that are left show that there were more. fault.Corrupt: a part is stored with
	// another size than it was sent with. Parts can be sent again after both, unless the value is
	// over.
	Commit(ctx context.Context, o PutOptions) (Version, error)

	// Abort drops the parts. It may be called after a failed Commit, and does nothing after a
	// successful one.
	Abort(ctx context.Context) error
}

// PartInfo is a part that has arrived.
type PartInfo struct {
	N    int
	Size int64
	// Sum is the provider's checksum of its bytes: "crc32:" or "crc32c:" and 8 hexadecimal digits;
	// "md5:" and 32 of what looks like one, as with encryption it is another number; empty where
	// there is none.
	Sum string
}

// Holds reports whether b are the bytes of the part, by length and checksum. It is not known where
// there is no checksum, or one that looks like an MD5 is another.
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
		same := p.Sum == fmt.Sprintf("md5:%x", md5.Sum(b)) //nolint:gosec // it is the provider's; what forges it could as well send other bytes
		return same, same
	}
	return false, false
}

// PartLimits are what a provider takes of a value in parts.
type PartLimits struct {
	Min   int64 // bytes of each part but the last
	Max   int64 // bytes of a part
	Parts int   // how many
	Equal bool  // all parts but the last must have one length
}

// PutParts begins a value in parts, or goes on with one; errors.ErrUnsupported when s cannot, and
// then Put is the way.
func PutParts(ctx context.Context, s Store, key string, o PartsOptions) (Parts, error) {
	if pp, ok := s.(PartPutter); ok {
		return pp.PutParts(ctx, key, o)
	}
	return nil, errors.ErrUnsupported
}
