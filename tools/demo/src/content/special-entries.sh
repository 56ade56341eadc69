#!/bin/sh
# Runs in the demo's pod: creates every kind of entry that is easily lost. $1 is the volume.
set -eu
mkdir -p "$1/special/empty directory" "$1/special/deep/er"
cd "$1/special"

# One page of data in the middle of a hole of 64 MiB.
truncate -s 64M sparse.img
printf 'an island of data' | dd of=sparse.img bs=1 seek=33554432 conv=notrunc status=none

echo 'one file, three names' > hard-a
ln hard-a hard-b
ln hard-a deep/hard-c
ln -s hard-a link
ln -s ../special/deep link-to-directory
ln -s /nowhere/at/all dangling

echo 'with attributes' > attributes
setfattr -n user.lateen.origin -v demo attributes
setfattr -n user.lateen.binary -v 0x00ff10 attributes
setfacl -m u:12345:rw attributes
cp /bin/true capable
setcap cap_net_bind_service+ep capable

for mode in 0000 0400 0777 4755 2755 1644; do echo "$mode" > "mode-$mode"; chmod "$mode" "mode-$mode"; done
mkdir sticky setgid
chmod 1777 sticky
chmod 2775 setgid
echo owned > owned
chown 12345:54321 owned
echo nobody > nobody
chown 65534:65534 nobody

echo space > 'name with spaces'
echo newline > "$(printf 'name\nwith newline')"
echo unicode > 'naïve Ünïcode 日本語 🙂'
echo quotes > 'quo"te'"'"'s \ and $dollar'
echo dash > ./-dash
: > zero-bytes
echo old > old
touch -d '1999-12-31 23:59:59.123456789 UTC' old

mkfifo fifo
ln fifo fifo-again
mknod null-device c 1 3
mknod loop-device b 7 300

ln link link-again
touch -h -d '2001-02-03 04:05:06.789012345 UTC' link fifo
mkdir shared
setfattr -n user.lateen.folder -v yes shared
setfacl -m u:12345:rwx -d -m g:54321:rx shared
touch -d '1969-12-31 23:59:58.5 UTC' null-device
# Last, because every change inside a folder changes its time.
echo in > 'deep/in'
touch -d '2002-03-04 05:06:07.890123456 UTC' 'empty directory' deep shared .
