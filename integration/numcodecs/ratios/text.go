package ratios

import (
	"math/rand/v2"
	"sort"
	"strings"
)

// text returns n bytes that resemble prose: sentences of words whose frequencies follow Zipf's law.
// Every second word is one of a few words that often follow the previous word.
func text(n int) []byte {
	r := rand.New(rand.NewPCG(7, 1))
	words := vocabulary(r, 12_000)
	sums := make([]uint64, len(words))
	sum := uint64(0)
	for i := range words {
		sum += 1 << 32 / uint64(i+3)
		sums[i] = sum
	}
	frequent := func() int {
		at := r.Uint64() % sum
		return sort.Search(len(sums), func(i int) bool { return sums[i] > at })
	}
	const followers = 8
	after := make([][followers]int, len(words))
	for i := range after {
		for k := range after[i] {
			after[i][k] = frequent()
		}
	}
	out := make([]byte, 0, n+100)
	for word := 0; len(out) < n; {
		for left := 4 + r.Uint64()%20; left > 0; left-- {
			if r.Uint64()%2 == 0 {
				word = after[word][r.Uint64()%followers]
			} else {
				word = frequent()
			}
			out = append(out, words[word]...)
			switch {
			case left == 1 && r.Uint64()%5 == 0:
				out = append(out, ".\n"...)
			case left == 1:
				out = append(out, ". "...)
			case r.Uint64()%12 == 0:
				out = append(out, ", "...)
			default:
				out = append(out, ' ')
			}
		}
	}
	return out[:n]
}

// vocabulary returns n random words. Short words come first.
func vocabulary(r *rand.Rand, n int) []string {
	begin := strings.Fields("b c d f g h l m n p r s t w st tr pr th ch sh br gr pl")
	middle := strings.Fields("a e i o u a e i o ea ou ai ee")
	end := strings.Fields("n r s t d l m nd nt ng st rs ll ck")
	seen := map[string]bool{}
	words := make([]string, 0, n)
	for len(words) < n {
		word := ""
		for range 1 + len(words)*3/n + int(r.Uint64()%2) {
			word += begin[r.Uint64()%uint64(len(begin))] + middle[r.Uint64()%uint64(len(middle))]
		}
		if r.Uint64()%2 == 0 {
			word += end[r.Uint64()%uint64(len(end))]
		}
		if !seen[word] {
			seen[word] = true
			words = append(words, word)
		}
	}
	return words
}
