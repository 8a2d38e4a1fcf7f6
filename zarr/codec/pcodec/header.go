package pcodec

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

// header is the header of a standalone file.
type header struct {
	uniform      byte // code of the number type of all chunks; 0 if unspecified
	major, minor byte // version of the wrapped format
}

const (
	magic         = "pco!"
	maxStandalone = 3 // newest version of the standalone format
	maxMajor      = 4 // newest version of the wrapped format
	maxMinor      = 1
)

// isNewer reports whether the file is newer than the known versions. It may contain unknown modes
// and delta encodings.
func (h header) isNewer() bool { return h.major == maxMajor && h.minor > maxMinor }

// unknown returns the error of a value that is not in any known version of the format.
func (h header) unknown(what string, value uint64) error {
	if h.isNewer() {
		return fault.Newf(errors.ErrUnsupported, "%s %d of pco version %d.%d", what, value, h.major, h.minor)
	}
	return fault.Newf(fault.Corrupt, "pco file with %s %d", what, value)
}

func readHeader(r *reader) (h header, err error) {
	for i := range len(magic) {
		if r.bits(8) != uint64(magic[i]) {
			return h, fault.Newf(fault.Corrupt, "the stored bytes are not a pco file")
		}
	}
	standalone := byte(r.bits(8))
	if standalone > maxStandalone {
		return h, fault.Newf(errors.ErrUnsupported, "version %d of standalone pco files, newer than %d", standalone, maxStandalone)
	}
	if standalone >= 3 {
		h.uniform = byte(r.bits(8))
	}
	h.major = standalone // files older than 2 have one version for both formats
	if standalone >= 2 {
		// The count of numbers is a hint. The chunks have the actual count.
		r.bits(uint(r.bits(6)) + 1)
		if err := r.align("header"); err != nil {
			return h, err
		}
		h.major = byte(r.bits(8))
	}
	if h.major > maxMajor {
		return h, fault.Newf(errors.ErrUnsupported, "pco version %d, newer than %d", h.major, maxMajor)
	}
	if h.major >= 4 {
		h.minor = byte(r.bits(8))
	}
	return h, r.check("header")
}
