"""write.py ROWS PLACE: every peer writes every row below PLACE/<peer>/<row's name>. One line of JSON for each."""

import sys
from concurrent.futures import ThreadPoolExecutor

import peers
import rows


def write(job):
    peer, row = job
    try:
        peer.write(row, f"{peer.name}/{row['name']}")
    except Exception as e:
        return dict(peer=peer.name, name=row["name"], error=rows.reason(e))
    return dict(peer=peer.name, name=row["name"], sha256=rows.digest(rows.raw(rows.expected(row))))


def main(path, url):
    place = peers.Place(url)
    jobs = [(p, r) for p in peers.all_peers(place) for r in rows.load(path)]
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(write, jobs):
            rows.say(**result)


main(*sys.argv[1:])
