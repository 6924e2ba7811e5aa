#!/usr/bin/env python3
"""Packs one folder of a release: scripts/release.sh calls it.

    pack_release.py [--name NAME] [--manifest CARGO.TOML] TARGET FOLDER OUT

Adds the licences of the crates in the program, or in what the manifest builds, to FOLDER, writes OUT/NAME.tar.xz (or
.zip for Windows; NAME is emilia-VERSION-TARGET), and all sums anew to OUT/SHA256SUMS. The archive depends on
nothing but the files and SOURCE_DATE_EPOCH.
"""

import argparse
import hashlib
import io
import json
import lzma
import os
import subprocess
import tarfile
import time
import zipfile
from pathlib import Path


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def licences(packages, used):
    """The licence texts of all crates that are part of the program."""
    parts = []
    for package in sorted(packages, key=lambda p: (p["name"], p["version"])):
        if package["name"] == "emilia" or f"{package['name']} v{package['version']}" not in used:
            continue
        parts.append(f"{'=' * 80}\n{package['name']} {package['version']}: {package['license']}\n")
        folder = Path(package["manifest_path"]).parent
        for file in sorted(folder.iterdir()):
            if file.is_file() and file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE")):
                parts.append(f"{'-' * 80}\n{file.name}\n\n{file.read_text(errors='replace').strip()}\n")
    return "The program contains these crates, under these licences.\n\n" + "\n".join(parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name")
    parser.add_argument("--manifest", default="Cargo.toml")
    parser.add_argument("target")
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    target, folder, out = arguments.target, arguments.folder, arguments.out
    manifest = f"--manifest-path={arguments.manifest}"
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    packages = json.loads(output("cargo", "metadata", manifest, "--format-version=1", "--locked"))["packages"]
    version = next(p["version"] for p in packages if p["name"] == "emilia")
    tree = output("cargo", "tree", manifest, "--locked", "--target", target, "--edges=normal,no-proc-macro", "--prefix=none", "--format={p}")
    used = {" ".join(line.split()[:2]) for line in tree.splitlines()}
    (folder / "LICENSES-CRATES").write_text(licences(packages, used))

    name = arguments.name or f"emilia-{version}-{target}"
    members = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        inside = f"{name}/{path.relative_to(folder).as_posix()}"
        is_program = path.name.startswith(("emilia", "libemilia.so")) and path.suffix not in (".html", ".h", ".pc", ".wasm")
        link = os.readlink(path) if path.is_symlink() else None
        members.append((inside, b"" if link else path.read_bytes(), 0o755 if is_program else 0o644, link))
    if "windows" in target:
        archive = out / f"{name}.zip"
        with zipfile.ZipFile(archive, "w") as packed:
            for inside, content, mode, link in members:
                info = zipfile.ZipInfo(inside, time.gmtime(epoch)[:6])
                info.create_system, info.external_attr = 3, (0o100000 | mode) << 16
                packed.writestr(info, content, zipfile.ZIP_DEFLATED, compresslevel=9)
    else:
        archive = out / f"{name}.tar.xz"
        with lzma.open(archive, "wb", preset=9 | lzma.PRESET_EXTREME) as stream:
            with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as packed:
                for inside, content, mode, link in members:
                    info = tarfile.TarInfo(inside)
                    info.size, info.mode, info.mtime = len(content), mode, epoch
                    if link:
                        info.type, info.linkname = tarfile.SYMTYPE, link
                    packed.addfile(info, io.BytesIO(content))
    archives = sorted([*out.glob("emilia-*.tar.xz"), *out.glob("emilia-*.zip")])
    sums = [f"{hashlib.sha256(a.read_bytes()).hexdigest()}  {a.name}\n" for a in archives]
    (out / "SHA256SUMS").write_text("".join(sums))
    print(f"{archive.stat().st_size:>10} {archive}")


main()
