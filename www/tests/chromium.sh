#!/bin/sh
# Makes sure that there is a Chromium for the tests of the page.
set -eu
if [ -x "${CHROMIUM:-}" ]; then exit 0; fi
for place in /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome \
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'; do
  if [ -x "$place" ]; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -q
  exec apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core
fi
echo 'no Chromium: install it, or name one in the variable CHROMIUM' >&2
exit 1
