package blosc

import "fmt"

// bloscLZ decodes a blosclz stream to dst and returns the number of bytes written.
//
// A stream is a list of runs. Each run begins with a control byte c. If c < 32, the next c+1 bytes
// are literals. Otherwise the run is a match of length c>>5 plus 2. If c>>5 is 7, further bytes are
// added to the length, up to and including the first that is not 255. The distance minus one is
// (c&31)<<8 plus the next byte. If all thirteen of these bits are set, the distance minus one is
// 8191 plus the next two bytes, big-endian. The highest three bits of the first control byte are
// ignored.
func bloscLZ(dst, src []byte) (int, error) {
	o, i := 0, 0
	for first := true; i < len(src); first = false {
		c := int(src[i])
		i++
		if first {
			c &= 31
		}
		if c < 32 {
			n := c + 1
			if n > len(src)-i || n > len(dst)-o {
				return o, errorf("run of %d literals exceeds the remaining %d bytes of input or %d bytes of output", n, len(src)-i, len(dst)-o)
			}
			copy(dst[o:o+n], src[i:i+n])
			o, i = o+n, i+n
			continue
		}
		n := c>>5 - 1
		if n == 6 {
			for {
				if i >= len(src) {
					return o, errorf("truncated in the length of a match")
				}
				more := int(src[i])
				i++
				if n += more; n > len(dst) {
					return o, errorf("match of at least %d bytes exceeds the output", n)
				}
				if more != 255 {
					break
				}
			}
		}
		n += lzMinMatch
		if i >= len(src) {
			return o, errorf("truncated in the distance of a match")
		}
		back := (c&31)<<8 | int(src[i])
		i++
		if back == lzNear {
			if len(src)-i < 2 {
				return o, errorf("truncated in the distance of a match")
			}
			back += int(src[i])<<8 | int(src[i+1])
			i += 2
		}
		back++
		if back > o || n > len(dst)-o {
			return o, errorf("match of %d bytes at distance %d does not fit at byte %d of %d", n, back, o, len(dst))
		}
		repeat(dst, o, back, n)
		o += n
	}
	return o, nil
}

// lzNear is the maximum distance of a near match minus one. lzMinMatch is the minimum length of a
// match in a blosclz stream.
const (
	lzNear     = 8191
	lzMinMatch = 3
)

// repeat copies n bytes from dst[o-back:] to dst[o:]. If the two ranges overlap, the copied bytes
// are repeated.
func repeat(dst []byte, o, back, n int) {
	from := o - back
	for end := o + n; o < end; {
		o += copy(dst[o:end], dst[from:o])
	}
}

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }
