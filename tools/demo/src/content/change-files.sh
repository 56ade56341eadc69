#!/bin/sh
# Runs in the demo's pod: changes 1 % of the files of the tree, adds one and removes one. $1 is the volume. Prints how many changed.
set -eu
cd "$1"
find tree -type f -print | sort | awk 'NR % 100 == 50' > /tmp/changed
while IFS= read -r file; do printf '\nchanged by the demo\n' >> "$file"; done < /tmp/changed
echo 'added between the uploads' > added
rm -f special/old
wc -l < /tmp/changed
