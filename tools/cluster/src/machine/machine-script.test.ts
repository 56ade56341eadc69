import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { machineScript, quote } from './machine-script.ts';

it('prepares a node: separate /run, /var/lib and /var/log, mounted disks, separate links to devices, and then process 1', () => {
  const script = machineScript({
    hostName: 'node-1',
    mark: 'lateen-12345678-node-1',
    runDir: "/c/it's here/run",
    binds: [{ from: '/c/bin', to: '/run/lateen/bin' }],
    varLibDir: '/c/var-lib',
    varLogDir: '/c/var-log',
    clusterDir: "/c/it's here",
    disks: [{ image: '/c/csi.img', mountedAt: '/var/lib/lateen-csi' }],
    ownDevices: true,
  });
  expect(script).toMatchInlineSnapshot(`
    "set -eu
    mount -n --make-rprivate /
    set -f
    for point in $(cut -d ' ' -f 5 /proc/self/mountinfo); do
      point=$(printf %b "$point")
      case $point in / | /proc | /proc/* | /sys | /sys/* | /dev | /dev/* | /usr | /usr/* | /bin | /bin/* | /sbin | /sbin/* | /lib | /lib/* | /lib32 | /lib32/* | /lib64 | /lib64/* | /etc | /etc/* | /opt | /opt/*) continue ;; esac
      case '/c/it'\\''s here/' in "$point"/*) continue ;; esac
      umount -n -l "$point" 2>/dev/null || :
    done
    echo node-1 > /proc/sys/kernel/hostname
    ip link set lo up
    echo 1 > /proc/sys/net/ipv4/ip_forward
    bridged=/proc/sys/net/bridge/bridge-nf-call-iptables; [ ! -e $bridged ] || echo 1 > $bridged
    mount -n -t tmpfs -o mode=755 lateen '/c/it'\\''s here/run'
    mkdir -p '/c/it'\\''s here/run/lateen/bin'
    mount -n --bind /c/bin '/c/it'\\''s here/run/lateen/bin'
    mkdir -p /c/var-lib/lateen-csi
    mount -n -t xfs -o loop /c/csi.img /c/var-lib/lateen-csi
    mkdir -p /dev/longhorn
    mount -n -t tmpfs -o mode=755 lateen /dev/longhorn
    mount -n --rbind /c/var-lib /var/lib
    mount -n --bind /c/var-log /var/log
    mount -n --move '/c/it'\\''s here/run' /run
    mount -n --make-rshared /
    exec /run/lateen/bin/pause lateen-12345678-node-1
    "
  `);
});

it('mounts no disk when none is given, and does not change /dev', () => {
  const none = {
    hostName: 'a',
    mark: 'm',
    runDir: '/r',
    binds: [],
    varLibDir: '/l',
    varLogDir: '/g',
    clusterDir: '/c',
    disks: [],
    ownDevices: false,
  };
  expect(machineScript(none)).not.toMatch(/xfs|longhorn/);
});

it('quotes any word so that the shell reads it back unchanged', () => {
  const word = fc.string({ unit: 'binary-ascii', maxLength: 30 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), (words) => {
      const script = `printf '%s\\0' ${words.map(quote).join(' ')}`;
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: 20 },
  );
});
