"""Writes the files of this folder with numpy and h5py, so that our readers are held against what users' tools write.

Made with numpy 2.4.6 and h5py 3.16.0: python make.py FOLDER. Row i of a split is [i, i + 0.5, -i]; train has rows 0 to 5, test 10 to 13.
"""
import sys
import h5py
import numpy as np

folder = sys.argv[1] + "/"
rows = lambda first, count: np.array([[i, i + 0.5, -i] for i in range(first, first + count)])
train, test = rows(0, 6), rows(10, 4)
names = ["owl", "wren", "Möwe"]
train_labels, test_labels = np.array([0, 1, 2, 0, 1, 2]), np.array([2, 2, 0, 1])
as_texts = lambda labels: np.array([names[k] for k in labels])

np.save(folder + "train.npy", train.astype("float32"))
np.save(folder + "test.npy", test.astype("float16"))
np.save(folder + "train_labels.npy", as_texts(train_labels))
np.save(folder + "test_labels.npy", as_texts(test_labels))
np.save(folder + "float64.npy", train)
np.save(folder + "fortran.npy", np.asfortranarray(train.astype("float32")))
np.save(folder + "big_endian.npy", train.astype(">f4"))
np.save(folder + "objects.npy", np.array(["owl", None], dtype=object), allow_pickle=True)
np.save(folder + "numbers.npy", train_labels)
np.save(folder + "bytes.npy", train_labels.astype("uint8"))
np.save(folder + "ascii.npy", np.array([b"owl", b"wren", b"ibis", b"owl", b"wren", b"ibis"]))
np.save(folder + "records.npy", np.zeros(2, dtype=[("a", "f4"), ("b", "i4")]))
with open(folder + "version_2.npy", "wb") as out:
    np.lib.format.write_array(out, train.astype("float32"), version=(2, 0))

with h5py.File(folder + "texts.h5", "w") as out:
    out["train/features"] = train.astype("float32")
    out["train/labels"] = [names[k] for k in train_labels]
    out.create_dataset("test/features", data=test, chunks=(3, 2), compression="gzip", shuffle=True, fletcher32=True)
    out["test/labels"] = [names[k] for k in test_labels]
with h5py.File(folder + "numbers.h5", "w", libver="latest") as out:
    out["train/features"] = train.astype("float16")
    out["train/labels"] = train_labels
    out["test/features"] = test.astype(">f8")
    out["test/labels"] = test_labels.astype("uint8")
    out["classes"] = np.array([n.encode() for n in names])
