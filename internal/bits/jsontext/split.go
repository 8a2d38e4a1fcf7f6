package jsontext

import "iter"

// IsList reports whether a value in canonical form is a list.
func IsList(canon []byte) bool { return canon[0] == '[' }

// List yields the elements of a list in canonical form. They share the memory of canon.
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

// next returns the length of the value or name at the start of a text in canonical form.
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

// Object yields the names, with quotes, and the values of an object in canonical form. They share
// the memory of canon.
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
