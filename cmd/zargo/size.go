package main

import (
	"math"
	"strconv"
	"strings"
)

// parseSize parses a number of bytes, such as 4000000, 512KiB, 4MiB or 1GiB.
func parseSize(flag, text string) (int, error) {
	digits, shift := text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if d, ok := strings.CutSuffix(text, unit); ok {
			digits, shift = strings.TrimSpace(d), 10*(i+1)
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > math.MaxInt>>shift {
		return 0, usagef("%s must be a number of bytes such as 4000000 or 4MiB, is %q", flag, text)
	}
	return n << shift, nil
}
