# SPDX-License-Identifier: Apache-2.0
"""Pack the module as a wheel: PEP 517, without setuptools, which pip would
download."""
import base64
import hashlib
import pathlib
import zipfile

VERSION = "0.1.0"
INFO = "timeline-%s.dist-info/" % VERSION


def build_wheel(directory, config_settings=None, metadata_directory=None):
    here = pathlib.Path(__file__).parent
    files = {"timeline/" + p.name: p.read_bytes()
             for p in sorted((here / "timeline").glob("*.py"))}
    files[INFO + "METADATA"] = (
        "Metadata-Version: 2.1\nName: timeline\nVersion: %s\n"
        "Summary: Read timelines and recorded traces, and log\n"
        "License: Apache-2.0\nRequires-Python: >=3.8\n" % VERSION).encode()
    files[INFO + "WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: build_wheel\n"
                             b"Root-Is-Purelib: true\nTag: py3-none-any\n")
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        record += "%s,sha256=%s,%d\n" % (
            name, digest.rstrip(b"=").decode(), len(data))
    files[INFO + "RECORD"] = (record + INFO + "RECORD,,\n").encode()
    wheel = "timeline-%s-py3-none-any.whl" % VERSION
    with zipfile.ZipFile(pathlib.Path(directory) / wheel, "w",
                         zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel
