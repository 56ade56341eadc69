import { type Host, runQuick } from '@lateen/volume';

/**
 * Sets the length of a loop device while it is in use: LOOP_GET_STATUS64, another lo_sizelimit, LOOP_SET_STATUS64 (linux/loop.h). losetup
 * cannot do this for a device that is attached, and Node has no ioctl; perl-base is part of Debian. The kernel says EAGAIN while
 * pages of the device itself are in its cache.
 */
const script = `
use strict; use warnings;
my ($path, $bytes) = @ARGV;
open(my $device, '+<', $path) or die "cannot open $path: $!\\n";
my $info = "\\0" x 232;
ioctl($device, 0x4C05, $info) or die "LOOP_GET_STATUS64 of $path: $!\\n";
substr($info, 32, 8) = pack('Q', $bytes);
for my $attempt (1 .. 40) {
  exit 0 if ioctl($device, 0x4C04, $info);
  die "LOOP_SET_STATUS64 of $path: $!\\n" unless $!{EAGAIN};
  select(undef, undef, undef, 0.05);
}
die "LOOP_SET_STATUS64 of $path: it stays busy\\n";
`;

export async function setSizeLimit(host: Host, device: string, bytes: number, signal: AbortSignal): Promise<void> {
  await runQuick(host, signal, 'perl', ['-e', script, device, `${bytes}`]);
}
