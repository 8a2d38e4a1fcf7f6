// Command files serves the files of a directory over HTTP. It is the web server of the integration
// tests where nginx is not available.
//
//	files -listen 127.0.0.1:8088 -root /data
//
// It supports GET and HEAD with ranges, conditions and strong ETags, which consist of the file's
// size and modification time in nanoseconds. All files are application/octet-stream. A directory is
// a 404. Files outside of root are not served.
package main
