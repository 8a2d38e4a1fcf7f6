// Package reading implements the commands that print elements or what follows from them: cat,
// stats, hist and dump. It also implements plan, which prints the requests of a read or a write.
package reading
