"""A copy of the program whose CUDA module is the stand-in (cuda_module.cpp), so that a refusal can be had anywhere."""

import os
import shutil


def install(program, folder, refused):
    """Returns the copy, below `folder`, and the environment variables for it. Calls are refused from `refused` on, "map 10".

    None when $STAND_IN_CUDA, which CTest sets, does not name the module.
    """
    if "STAND_IN_CUDA" not in os.environ:
        return None
    copy = folder / "install/bin/spindrift"
    module = folder / "install" / os.environ["CUDA_MODULE_FOLDER"] / "spindrift_cuda.so"
    stand_in = os.environ["STAND_IN_CUDA"]
    for source, target in ((program, copy), (stand_in, module), (stand_in, folder / "install/libcuda.so.1")):
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copy(source, target)
    return copy, {"LD_LIBRARY_PATH": str(folder / "install"), "STAND_IN_CUDA_REFUSES": refused}
