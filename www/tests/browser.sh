#!/bin/sh
# Makes sure that there is a browser for the tests of pages: browser.sh chromium|firefox.
set -eu
case $1 in
  chromium)
    named=${CHROMIUM:-} package=chromium
    set -- /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome \
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
    ;;
  firefox)
    named=${FIREFOX:-} package=firefox-esr
    set -- /usr/bin/firefox-esr /usr/bin/firefox /Applications/Firefox.app/Contents/MacOS/firefox
    ;;
esac
for place in "$named" "$@"; do
  if [ -x "$place" ]; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -q
  exec apt-get install -q -y --no-install-recommends "$package" fonts-dejavu-core
fi
echo "$package is missing: install it, or name one in the variable CHROMIUM or FIREFOX" >&2
exit 1
