"""Writes the files of this folder with pickle and numpy, so that our reader is held against what Python writes.

Run it twice: with Python 2.7 and numpy 1.16, which wrote the files that people download, and with Python 3 and numpy 2. Made with Python 2.7.18
and numpy 1.16.6, Python 3.11.7 and numpy 2.4.6: python make.py FOLDER. They are small relatives of the batches of CIFAR: 3 records of 8 bytes.
"""
import os
import pickle
import sys
import numpy as np

folder = sys.argv[1]
if sys.version_info[0] == 2:
    import cPickle as pickle

data = np.array([[0, 1, 2, 3, 124, 125, 126, 127], [128, 129, 191, 192, 193, 253, 254, 255], [10, 13, 39, 92, 40, 46, 116, 98]], dtype="uint8")
names = ["airbus_s_000001.png", "bos_taurus_s_000002.png", "b"]
ten = {"batch_label": "training batch 1 of 5", "labels": [0, 9, 4], "data": data, "filenames": names}
# apple, worm, streetcar
hundred = {"batch_label": "training batch 1 of 1", "fine_labels": [0, 99, 81], "coarse_labels": [4, 13, 19], "data": data, "filenames": names}


def write(name, what, protocol):
    with open(os.path.join(folder, name), "wb") as out:
        pickle.dump(what, out, protocol)


class Hostile(object):
    def __reduce__(self):
        return os.system, ("touch was_here",)


if sys.version_info[0] == 2:
    write("cifar10_python2", ten, 2)
    write("cifar100_python2", hundred, 2)
    write("refused_protocol0", ten, 0)
else:
    for protocol in (2, 3, 4):
        write("cifar10_python3_protocol%d" % protocol, ten, protocol)
    write("cifar100_python3_protocol4", hundred, 4)
    as_bytes = {key.encode(): value.encode() if isinstance(value, str) else value for key, value in ten.items()}
    as_bytes["filenames"] = [name.encode() for name in names]
    write("cifar10_bytes_protocol2", as_bytes, 2)  # what pickle.load(..., encoding="bytes") gives, written again
    write("refused_protocol5", ten, 5)
    write("refused_fortran", dict(ten, data=np.asfortranarray(data)), 2)
    write("refused_int64", dict(ten, data=data.astype("int64")), 4)
    write("refused_scalar", dict(ten, labels=[np.int64(0)] * 3), 2)
    write("refused_os_system_protocol2", dict(ten, labels=Hostile()), 2)
    write("refused_os_system_protocol4", dict(ten, labels=Hostile()), 4)
