"""Results, one line of JSON each, each under a key that says what was measured."""

import hashlib
import json
import os


def key(train_sha256, test_sha256, system, version, options, binary=None, threads=1):
    """The sha256 of all that a result depends on; `binary` is the sha256 of the command, where there is one."""
    parts = [train_sha256, test_sha256, system, version, options, binary, threads]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def read(path):
    """Results by their keys; a line that a kill cut short is passed over."""
    found = {}
    if os.path.isfile(path):
        with open(path) as lines:
            for line in lines:
                try:
                    result = json.loads(line)
                except json.JSONDecodeError:
                    continue
                found[result["key"]] = result
    return found


def append(path, result):
    """Adds a line, after the end of a line that was cut short."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "ab+") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(json.dumps(result).encode() + b"\n")
