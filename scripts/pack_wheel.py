#!/usr/bin/env python3
"""Completes a wheel: adds the libraries of other tiers, and the licences of all crates that are linked in.

    pack_wheel.py OUT WHEEL [TIER=WHEEL..]

Writes the wheel of the same name to the folder OUT, and prints its path. Of each TIER=WHEEL the library is added under the
name that emilia_othello/_load.py looks for. The same inputs give the same bytes. scripts/wheels.sh calls it.
"""

import base64
import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

PACKAGE = "emilia_othello"
CRATE = Path(__file__).resolve().parents[1] / "bindings/python"


def read(path):
    """The files of a wheel, by name."""
    with zipfile.ZipFile(path) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}


def library(files):
    """The name of the native library of a wheel."""
    (name,) = [name for name in files if name.startswith(f"{PACKAGE}/_native.") and not name.endswith(".pyi")]
    return name


def licences():
    """The licence files of the crates that the package is made of, by name within the wheel."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", CRATE / "Cargo.toml"]
    metadata = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    tree = ["cargo", "tree", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}"]
    listed = subprocess.run(tree, cwd=CRATE, capture_output=True, text=True, check=True).stdout
    linked = {tuple(line.split()[:2]) for line in listed.splitlines() if line}
    found, table = {}, []
    for package in metadata["packages"]:
        if (package["name"], f"v{package['version']}") not in linked:
            continue
        table.append(f"{package['name']} {package['version']}: {package['license']}")
        folder = Path(package["manifest_path"]).parent
        for file in sorted(folder.iterdir()):
            if file.is_file() and file.name.upper().startswith(("LICEN", "COPYING", "NOTICE", "UNLICENSE")):
                found[f"crates/{package['name']}-{package['version']}/{file.name}"] = file.read_bytes()
    found["crates/CRATES.txt"] = "\n".join(sorted(table)).encode() + b"\n"
    return found


def record(files, name):
    """The text of RECORD."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for file in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[file]).digest()).rstrip(b"=").decode()
        rows.writerow([file, f"sha256={digest}", len(files[file])])
    rows.writerow([name, "", ""])
    return text.getvalue().encode()


def write(path, files):
    """Writes a wheel as whole as it will be."""
    when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))[:6]
    partial = path.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        # RECORD is last, as the specification wants it.
        for name in sorted(files, key=lambda name: (name.endswith("RECORD"), name)):
            info = zipfile.ZipInfo(name, when)
            info.external_attr = 0o100755 << 16 if ".so" in name or ".pyd" in name else 0o100644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(info, files[name])
    os.replace(partial, path)


def main():
    out, path, *tiers = sys.argv[1:]
    files = read(path)
    own = library(files)
    for tier, other in (tier.split("=", 1) for tier in tiers):
        built = read(other)
        files[own.replace("_native", f"_native_{tier}")] = built[library(built)]
    (record_name,) = [name for name in files if name.endswith(".dist-info/RECORD")]
    folder = record_name.rsplit("/", 1)[0]
    for name, contents in licences().items():
        files[f"{folder}/licenses/{name}"] = contents
    del files[record_name]
    files[record_name] = record(files, record_name)
    made = Path(out) / Path(path).name
    write(made, files)
    print(made)


if __name__ == "__main__":
    main()
