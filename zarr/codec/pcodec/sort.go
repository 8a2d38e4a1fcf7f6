package pcodec

// radixSort sorts latents of width bits. The result is in a or b, which have the same length.
func radixSort(a, b []uint64, width uint) []uint64 {
	for shift := uint(0); shift < width; shift += 8 {
		var starts [256]int
		for _, l := range a {
			starts[l>>shift&255]++
		}
		if len(a) == 0 || starts[a[0]>>shift&255] == len(a) {
			continue // all have the same digit
		}
		at := 0
		for i, n := range starts {
			starts[i] = at
			at += n
		}
		for _, l := range a {
			d := l >> shift & 255
			b[starts[d]] = l
			starts[d]++
		}
		a, b = b, a
	}
	return a
}
