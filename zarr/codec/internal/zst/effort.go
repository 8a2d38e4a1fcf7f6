package zst

import "github.com/klauspost/compress/zstd"

// Effort selects how an encoder searches for matches.
type Effort int

// The efforts, from the fastest to the one with the shortest frames.
const (
	Quick   Effort = iota // the library's fastest level
	Fastest               // the same, and compresses literals in blocks without matches
	Default
	Better
	Best // takes 34 MB for each encoder
	numEfforts
)

// EffortOf maps a level of libzstd, where 0 is the same as 3. At the levels 1 to 12, frames are at
// most 6 % longer than libzstd's for most data. At higher levels they are up to 40 % longer (ADR
// 034). Better is not used: its frames of int16 numbers are 20 to 26 % longer than libzstd's at the
// levels 5 to 12.
func EffortOf(level int) Effort {
	switch {
	case level < 0:
		return Quick
	case level == 1:
		return Fastest
	case level < 5:
		return Default
	}
	return Best
}

// settings returns the library's level, and whether literals are also compressed in blocks without
// matches. This reduces the speed by a third and the size of noisy numbers by a fifth.
func (e Effort) settings() (level zstd.EncoderLevel, literals bool) {
	levels := [numEfforts]zstd.EncoderLevel{
		Quick:   zstd.SpeedFastest,
		Fastest: zstd.SpeedFastest,
		Default: zstd.SpeedDefault,
		Better:  zstd.SpeedBetterCompression,
		Best:    zstd.SpeedBestCompression,
	}
	return levels[e], e != Quick
}

// kept returns the number of idle encoders that the garbage collector does not free.
func (e Effort) kept() int {
	if e == Best {
		return 0
	}
	return maxKept
}
