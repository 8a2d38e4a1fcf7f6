package hugepages

// Size is that of a huge page: 2 MiB on amd64 and on arm64 with base pages of 4 KiB. Where pages are larger the kernel rounds.
const Size = 2 << 20

// Least is the shortest memory that is advised about: 4 MiB, of which one whole page is left wherever they lie.
const Least = 4 << 20

// Advice is what was advised about. The zero Advice is about nothing.
type Advice struct{ pages []byte }

// Advise asks for huge pages in b, of which nothing has been written yet, as far as whole ones lie in it. It does nothing for less
// than [Least]. The caller must Undo it.
func Advise(b []byte) Advice {
	if len(b) < Least || !wanted() {
		return Advice{}
	}
	pages := interior(b)
	if !advise(pages) {
		return Advice{}
	}
	return Advice{pages}
}

// Undo asks for no more huge pages than there are. It changes no contents.
func (a Advice) Undo() {
	if a.pages != nil {
		undo(a.pages)
	}
}
