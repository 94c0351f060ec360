"""What a build needs besides LibTorch and the compilers, and where Debian keeps it. cmake/packed_dependencies.cmake reads it."""
import pathlib
import re
import shutil

INCLUDE = pathlib.Path("/usr/include")
ARCHITECTURE = pathlib.Path("/usr/include/x86_64-linux-gnu")
ARCHIVES = pathlib.Path("/usr/lib/x86_64-linux-gnu")
GOOGLETEST = pathlib.Path("/usr/src/googletest")

BOOST_MACROS = ["boost/math/tools", "boost/mpl"]  # folders whose headers make names of others of the folder by macros
BOOST_HEADERS = ["boost/math/distributions/normal.hpp", "boost/math/distributions/students_t.hpp"]  # those that results/ includes

# library: (Debian package, [(folder that the names are relative to, files or folders in it)], static archives)
LIBRARIES = {
    "aec": ("libaec-dev", [], ["libsz.a", "libaec.a"]),  # HDF5 links it
    "boost": ("libboost-dev", [(INCLUDE, BOOST_HEADERS)], []),  # and what they include: boost_headers()
    "cli11": ("libcli11-dev", [(INCLUDE, ["CLI"])], []),
    "fmt": ("libfmt-dev", [(INCLUDE, ["fmt"])], []),
    "gmock": ("libgmock-dev", [(INCLUDE, ["gmock"])], []),
    "gtest": ("libgtest-dev", [(INCLUDE, ["gtest"])], []),
    "hdf5": ("libhdf5-dev", [(INCLUDE / "hdf5/serial", ["."])], ["libhdf5_serial.a"]),
    "jpeg": ("libjpeg62-turbo-dev", [(INCLUDE, ["jpeglib.h", "jmorecfg.h", "jerror.h"]), (ARCHITECTURE, ["jconfig.h"])], ["libjpeg.a"]),
    "nlohmann_json": ("nlohmann-json3-dev", [(INCLUDE, ["nlohmann"])], []),
    "openssl": ("libssl-dev", [(INCLUDE, ["openssl"]), (ARCHITECTURE, ["openssl"])], ["libcrypto.a"]),
    "png": ("libpng-dev", [(INCLUDE / "libpng16", ["."])], ["libpng16.a"]),
    "random123": ("librandom123-dev", [(INCLUDE, ["Random123"])], []),
    "spdlog": ("libspdlog-dev", [(INCLUDE, ["spdlog"])], []),
    "zlib": ("zlib1g-dev", [(INCLUDE, ["zlib.h", "zconf.h"])], ["libz.a"]),
}
SOURCES = {"gtest": GOOGLETEST / "googletest/src", "gmock": GOOGLETEST / "googlemock/src"}  # of C++ libraries that are no headers alone
BOOST_NAME = re.compile(r'["<](boost/[\w/.+-]+)[">]')


class Missing(Exception):
    """A file of a library is not on this machine."""


def boost_headers():
    """The headers that BOOST_HEADERS name, directly or not, whatever the compiler: also those between #if; of BOOST_MACROS all."""
    found = {str(file.relative_to(INCLUDE)) for folder in BOOST_MACROS for file in (INCLUDE / folder).rglob("*.hpp")}.union(BOOST_HEADERS)
    unread = sorted(found)
    while unread:
        header = INCLUDE / unread.pop()
        if not header.is_file():
            raise Missing(header)
        named = set(BOOST_NAME.findall(header.read_text(errors="replace"))) - found
        present = {name for name in named if (INCLUDE / name).is_file()}  # others are of platforms and versions that are not this one
        found |= present
        unread += present
    return sorted(found)


def copy(source, target):
    """A file or a folder, merged into what is there; links become what they point to."""
    if not source.exists():
        raise Missing(source)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def collect(folder):
    """Copies every library into folder/<library>/{include,lib,src} with its licence. Throws Missing with a sentence for the user."""
    for library, (package, headers, archives) in LIBRARIES.items():
        place = folder / library
        try:
            for root, names in headers:
                for name in boost_headers() if library == "boost" else names:
                    copy(root / name, place / "include" / name)
            for name in archives:
                copy(ARCHIVES / name, place / "lib" / name)
            if library in SOURCES:
                copy(SOURCES[library], place / "src")
            copy(pathlib.Path("/usr/share/doc") / package / "copyright", place / "copyright")
        except Missing as missing:
            raise Missing(f"{missing} is missing: tools/setup installs it (Debian: {package})") from None
