import { type RootContents, withoutScripts } from './debian-root.ts';

/**
 * What runs replicas and creates devices of volumes, with the kernel's NBD client where it exists and else with nbdfuse; mount and losetup
 * for those devices; tini as process 1, which becomes the parent of processes whose instance manager has ended; certificates for backup
 * stores, and the C++ library for Node.
 */
const storagePackages: readonly string[] = [
  'ca-certificates',
  'fuse3',
  'libnbd-bin',
  'libstdc++6',
  'mount',
  'nbd-client',
  'qemu-utils',
  'tini',
  'util-linux',
];

/**
 * Version 7.2 of Debian 12 answers 500 requests a second over TCP, however many are sent in parallel; 10.0 of its backports answers as many
 * over TCP as over a unix socket. A release without backports uses its own version.
 */
export const storageBackports: readonly string[] = ['qemu-*'];

/**
 * Up to Debian 12 the daemon is in qemu-system-common, whose other programs need spice, GStreamer and a catalogue of languages: 35 MB. The
 * daemon itself needs only the libraries of qemu-utils.
 */
const storageDaemon =
  'test -x "$1"/usr/bin/qemu-storage-daemon || { cd "$1"/tmp && APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get download qemu-system-common' +
  ' && dpkg-deb --fsys-tarfile qemu-system-common_*.deb | tar -C "$1" -x ./usr/bin/qemu-storage-daemon && rm qemu-system-common_*.deb; }';

/** libnbd needs only two libraries of ICU, through libxml2; the larger of the two has 31 MB. */
const unused =
  'rm -f "$1"/usr/bin/qemu-io "$1"/usr/bin/qemu-nbd "$1"/usr/lib/x86_64-linux-gnu/libicui18n.so* "$1"/usr/lib/x86_64-linux-gnu/libicuio.so*' +
  ' "$1"/usr/lib/x86_64-linux-gnu/libicutu.so* "$1"/usr/lib/x86_64-linux-gnu/libicutest.so*';

/** Each program is run once, so that a missing library is noticed here and not on a node. */
const check =
  'for it in qemu-storage-daemon qemu-img nbdfuse fusermount3 losetup mount perl tini; do chroot "$1" "$it" --version || exit 1; done';

/** The root of the image of replicated volumes. Everything in it is owned by root, because it uses the devices of its node. */
export const storageRoot: RootContents = {
  packages: storagePackages,
  backports: storageBackports,
  customize: [...withoutScripts, storageDaemon, unused, check],
};
