#!/bin/sh
# Makes sure that there is a QEMU that plays a microcontroller.
set -eu
if command -v qemu-system-arm >/dev/null; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -q
  exec apt-get install -q -y --no-install-recommends qemu-system-arm
fi
echo 'no qemu-system-arm: install it, for example by apt-get install qemu-system-arm' >&2
exit 1
