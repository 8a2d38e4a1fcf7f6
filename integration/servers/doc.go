// Package servers contains the program that starts the servers of the integration tests, and its
// tests. The program is written in Python (3.9 or later, standard library only), because it runs
// before this module is built:
//
//	integration/servers/servers.py run s3 peers -- go test ./...
//	integration/servers/servers.py up s3
//	eval "$(integration/servers/servers.py env)"
//
// servers.py implements the commands. s3.py, minio.py, gcs.py, azure.py, web.py, slurm.py, redis.py,
// mongodb.py, ferretdb.py, peers.py and tables.py each implement one server. A new server needs another such
// file, and a service in docker-compose.yml. The test compose_test.py compares the two. process.py
// starts and stops processes, debian.py unpacks Debian's packages, and common.py finds or builds
// programs. Versions are pinned in the file of the server and in
// requirements.txt of integration/peers and arrow/testdata.
package servers
