// Command files serves the files of a directory over HTTP. It is the web server of the integration
// tests if nginx is not available.
//
//	files -listen 127.0.0.1:8088 -root /data
//
// It supports GET and HEAD with ranges, conditions and strong ETags. An ETag consists of the size
// and the modification time of the file in nanoseconds. All files have the type
// application/octet-stream. The response for a directory is 404. Files outside root are not served.
package main
