#!/bin/sh
# Lays out what a server's /plugins gets: the program, and beside it a Node of its own.
#   sh pack.sh NODE PROGRAM TARGET
# A server takes every file with an executable bit for a plugin, in folders too, and Velero's image has neither Node nor a shell. So Node comes
# without that bit, and the first line of the program has the loader of the system start it. "$ORIGIN" lets it find its two libraries.
set -eu
node=$1
program=$2
target=$3
name=$(basename "$program")
beside="$target/$name.d"
mkdir -p "$beside"
cp "$node" "$beside/node"
for library in libstdc++.so.6 libgcc_s.so.1; do
  cp -L "$(ldconfig -p | awk -v name="$library" '$1 == name { print $NF; exit }')" "$beside/$library"
done
patchelf --set-rpath '$ORIGIN' "$beside/node"
chmod 0644 "$beside"/*
{
  printf '#!%s /plugins/%s.d/node\n' "$(patchelf --print-interpreter "$node")" "$name"
  sed '1{/^#!/d;}' "$program"
} >"$target/$name"
chmod 0755 "$target/$name"
