// Command files serves the files of a folder over HTTP: the web server of the integration tests
// where nginx cannot be had.
//
//	files -listen 127.0.0.1:8088 -root /data
//
// It answers GET and HEAD, with ranges, conditions and strong ETags that are the file's size and
// modification time in nanoseconds. Everything is application/octet-stream. A folder is 404, and
// nothing outside of root is served.
package main
