import { type RootContents, withoutScripts } from './debian-root.ts';

/**
 * What runs replicas and makes devices of volumes, with the kernel's client of NBD where there is one and else with nbdfuse; mount and
 * losetup for those devices; tini as process 1, to whom processes come that outlive their instance manager; certificates for the
 * stores of backups, and the C++ library for Node.
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
 * 7.2 of Debian 12 answers 500 requests a second over TCP, however many are under way; 10.0 of its backports answers as many as over
 * a socket file. A release whose backports have none takes its own.
 */
export const storageBackports: readonly string[] = ['qemu-*'];

/**
 * Up to Debian 12 the daemon is in qemu-system-common, which needs spice, GStreamer and a catalogue of languages for what is
 * beside it: 35 MB. Its own libraries are those of qemu-utils.
 */
const storageDaemon =
  'test -x "$1"/usr/bin/qemu-storage-daemon || { cd "$1"/tmp && APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get download qemu-system-common' +
  ' && dpkg-deb --fsys-tarfile qemu-system-common_*.deb | tar -C "$1" -x ./usr/bin/qemu-storage-daemon && rm qemu-system-common_*.deb; }';

/** Of ICU libnbd needs two libraries, by way of libxml2; the larger is 31 MB. */
const unused =
  'rm -f "$1"/usr/bin/qemu-io "$1"/usr/bin/qemu-nbd "$1"/usr/lib/x86_64-linux-gnu/libicui18n.so* "$1"/usr/lib/x86_64-linux-gnu/libicuio.so*' +
  ' "$1"/usr/lib/x86_64-linux-gnu/libicutu.so* "$1"/usr/lib/x86_64-linux-gnu/libicutest.so*';

/** Each is run once: a library that was taken away shows here and not on a node. */
const check =
  'for it in qemu-storage-daemon qemu-img nbdfuse fusermount3 losetup mount perl tini; do chroot "$1" "$it" --version || exit 1; done';

/** The root of the image of replicated volumes. All in it is root's: it has the devices of its node. */
export const storageRoot: RootContents = {
  packages: storagePackages,
  backports: storageBackports,
  customize: [...withoutScripts, storageDaemon, unused, check],
};
