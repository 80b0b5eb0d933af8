"""Writes the SBOM of the programs of a release: SPDX 2.3."""

import datetime
import json

import sources


def _package(identity, name, version, licence, home, **more):
    return {
        "SPDXID": f"SPDXRef-{identity}",
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "homepage": home,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        **more,
    }


def build(version, revision, epoch, zig, artefacts):
    """Returns the name and the bytes. `artefacts` are {name: bytes}."""
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    own = _package("ptxray", "ptxray", version, "Apache-2.0", "NOASSERTION", sourceInfo=f"commit {revision}")
    packages, relations = [own], [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-ptxray")]
    for source in sources.SOURCES:
        number = source.version if source.archive else f"as in zig {zig}"
        more = {}
        if source.sha256:
            more["checksums"] = [{"algorithm": "SHA256", "checksumValue": source.sha256}]
            more["packageFileName"] = source.archive.rsplit("/", 1)[-1]
        if source.only:
            more["comment"] = f"in the programs for {source.only} only"
        packages.append(_package(source.name, source.title, number, source.licence, source.home, **more))
        relations.append(("SPDXRef-ptxray", "STATIC_LINK", f"SPDXRef-{source.name}"))
    files = []
    for number, name in enumerate(sorted(artefacts), 1):
        identity = f"SPDXRef-File-{number}"
        sums = [
            {"algorithm": "SHA1", "checksumValue": artefacts[name][0]},
            {"algorithm": "SHA256", "checksumValue": artefacts[name][1]},
        ]
        texts = {"licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}
        files.append({"SPDXID": identity, "fileName": f"./{name}", "checksums": sums, **texts})
        relations.append((identity, "GENERATED_FROM", "SPDXRef-ptxray"))
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"ptxray-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/ptxray-{version}-{revision}",
        "creationInfo": {"created": created, "creators": ["Tool: tools/dev release"]},
        "packages": packages,
        "files": files,
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations
        ],
    }
    return f"ptxray-{version}.spdx.json", (json.dumps(document, indent=2) + "\n").encode()
