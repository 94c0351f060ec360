"""The last epoch's AUROC in percent, mean ± standard deviation over seeds: python read_results.py FOLDER, a folder of `plume-bench export`."""
import statistics
import sys

import h5py

with h5py.File(sys.argv[1] + "/results.h5") as file:
    names = zip(*(file["jobs/" + column].asstr()[:] for column in ("dataset", "class", "setting")))
    runs = {}
    for name, auc in zip(names, file["jobs/auc_last"][:]):
        runs.setdefault(name, []).extend([100 * auc] if auc == auc else [])  # NaN: it did not finish
for (dataset, normal_class, setting), aucs in runs.items():
    mean = f"{statistics.mean(aucs):.1f}" if aucs else "none"
    spread = f" ± {statistics.stdev(aucs):.1f}" if len(aucs) > 1 else ""
    print(f"{dataset}/{normal_class}, {setting}: {mean}{spread} (n = {len(aucs)})")
