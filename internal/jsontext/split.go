package jsontext

import "iter"

// next is the length of the value, or the name, at the start of text in canonical spelling.
func next(canon []byte) int {
	depth := 0
	for i := 0; i < len(canon); i++ {
		switch canon[i] {
		case '"':
			for i++; canon[i] != '"'; i++ {
				if canon[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ':':
			if depth == 0 {
				return i
			}
		}
	}
	return len(canon)
}

// IsList tells whether a value in canonical spelling is a list.
func IsList(canon []byte) bool { return canon[0] == '[' }

// List yields the elements of a list in canonical spelling; they lie in it.
func List(canon []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := canon[1:]; len(rest) > 1; {
			n := next(rest)
			if !yield(rest[:n:n]) {
				return
			}
			rest = rest[min(n+1, len(rest)):]
		}
	}
}

// Object yields the names, in their quotes, and the values of an object in canonical spelling; they
// lie in it.
func Object(canon []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for rest := canon[1:]; len(rest) > 1; {
			k := next(rest)
			name := rest[:k:k]
			rest = rest[k+1:]
			n := next(rest)
			if !yield(name, rest[:n:n]) {
				return
			}
			rest = rest[min(n+1, len(rest)):]
		}
	}
}
