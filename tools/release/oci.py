"""Builds an OCI image that only contains the program, for both Linux machines, as one tar with an image layout.
`skopeo copy oci-archive:FILE docker-daemon:ptxray` or `podman load` read it. No daemon is needed."""

import datetime
import json

import archive


def _blob(blobs, data, media, **more):
    digest = archive.sha256(data)
    blobs[f"blobs/sha256/{digest}"] = (0o644, data)
    return {"mediaType": f"application/vnd.oci.image.{media}", "digest": f"sha256:{digest}", "size": len(data), **more}


def _json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def build(programs, version, revision, epoch):
    """Returns the name and the bytes. `programs` contains (target, bytes)."""
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {
        "org.opencontainers.image.title": "ptxray",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.revision": revision,
        "org.opencontainers.image.licenses": "Apache-2.0",
    }
    blobs, manifests = {}, []
    for target, files in programs:
        layer = archive.tar(files, epoch)
        packed = _blob(blobs, archive.gz(layer), "layer.v1.tar+gzip")
        config = {
            "architecture": target.oci,
            "os": "linux",
            "created": created,
            "config": {"Entrypoint": ["/bin/ptxray"], "WorkingDir": "/work", "Labels": labels},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{archive.sha256(layer)}"]},
            "history": [{"created": created, "created_by": "tools/dev release"}],
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": _blob(blobs, _json(config), "config.v1+json"),
            "layers": [packed],
            "annotations": labels,
        }
        platform = {"architecture": target.oci, "os": "linux"}
        manifests.append(_blob(blobs, _json(manifest), "manifest.v1+json", platform=platform))
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": manifests,
    }
    # Tools find the name at the index entry; `podman load` uses it as the name of the image.
    name = {"org.opencontainers.image.ref.name": f"ptxray:{version}"}
    named = _blob(blobs, _json(index), "index.v1+json", annotations=name)
    blobs["index.json"] = (0o644, _json({**index, "manifests": [named]}))
    blobs["oci-layout"] = (0o644, _json({"imageLayoutVersion": "1.0.0"}))
    return f"ptxray-{version}-oci.tar", archive.tar(blobs, epoch)
