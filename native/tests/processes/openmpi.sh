#!/bin/sh
# Makes sure that there are an MPI and the libclang that its bindings are built with.
set -eu
if command -v mpirun >/dev/null && command -v mpicc >/dev/null; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -q
  exec apt-get install -q -y --no-install-recommends \
    libopenmpi-dev openmpi-bin 'libclang1-1[0-9]' 'libclang-common-1[0-9]-dev'
fi
echo 'no MPI: install OpenMPI or MPICH with its headers, and libclang' >&2
exit 1
