// Package servers holds the program that starts what the integration tests need, and its tests. The
// program is Python (3.9 or later, standard library only), because it has to run before anything of
// this module is built:
//
//	integration/servers/servers.py run s3 peers -- go test ./...
//	integration/servers/servers.py up s3
//	eval "$(integration/servers/servers.py env)"
//
// servers.py is the commands; s3.py, minio.py, gcs.py, azure.py, web.py and peers.py are what can
// be started, a new server is one more file of that kind, and a service of docker-compose.yml,
// which compose_test.py compares with them; process.py starts and stops processes; common.py finds
// or builds programs. Versions are pinned in the file of the server, and in
// integration/peers/requirements.txt.
package servers
