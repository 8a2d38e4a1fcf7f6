package mainjob

import "fmt"

// value returns the value at a position: a base that varies by row, a slope along the row, and
// three bits of noise, in eighths so that float32 represents it exactly. The values compress about
// as well as a temperature field, and all chunks differ.
func value(seed uint32, row, col int) float32 {
	base := (uint32(row)*2654435761 ^ seed*0x9e3779b9) >> 16
	noise := (uint32(row)*31 + uint32(col)) * 2654435761 >> 29
	return float32(base+uint32(col)>>2+noise) / 8
}

// fill computes the values of whole rows, starting at row.
func fill(buf []float32, seed uint32, row int) {
	for i := range buf {
		buf[i] = value(seed, row+i/cols, i%cols)
	}
}

// check checks the values of whole rows, starting at row.
func check(buf []float32, seed uint32, row int) error {
	for i, have := range buf {
		if want := value(seed, row+i/cols, i%cols); have != want {
			return fmt.Errorf("wrong value at [%d, %d]: %v, not %v", row+i/cols, i%cols, have, want)
		}
	}
	return nil
}
