import { chmod, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';

/** An address inside the network, its host names, and the unix socket to which it is forwarded. */
export interface Link {
  address: string;
  port: number;
  names: readonly string[];
  socket: string;
  /** The other direction: connections to the socket reach a server at the address inside. */
  from?: 'socket';
}

/** A separate network and hosts file, in which AWS's addresses are ours. */
export interface RoleNetwork extends AsyncDisposable {
  /** A program that runs the given one inside; it has the same process ID, so that signals reach it. */
  inside(program: string): Promise<string>;
}

/** Starts loopback with additional addresses, mounts our hosts file over the system's, and runs the given command. */
const setUp = `
ip link set lo up
for address in $2; do ip addr add "$address/32" dev lo; done
mount --bind "$1" /etc/hosts
shift 2
exec "$@"`;

/** Needs root. It is invisible outside, and removed when its process ends. */
export async function openRoleNetwork(directory: string, links: readonly Link[]): Promise<RoleNetwork> {
  const hosts = join(directory, 'hosts');
  const lines = links
    .filter(({ names }) => names.length > 0)
    .map(({ address, names }) => [address, ...names].join(' '));
  await writeFile(hosts, `${['127.0.0.1 localhost', ...lines].join('\n')}\n`);
  const extra = links.map(({ address }) => address).filter((address) => !address.startsWith('127.'));
  const forwarder = [process.execPath, join(import.meta.dirname, 'forwarder.ts'), JSON.stringify(links)];
  const child = execa('unshare', ['--net', '--mount', 'sh', '-ec', setUp, 'sh', hosts, extra.join(' '), ...forwarder], {
    stdin: 'pipe',
    reject: false,
    preferLocal: false,
    all: true,
  });
  const ended = child.then(({ all }) => Promise.reject(new Error(`the network ended: ${String(all)}`)));
  await Promise.race([new Promise<void>((ready) => child.stdout.once('data', () => ready())), ended]);
  ended.catch(() => {});
  return {
    inside: async (program) => {
      const script = join(directory, `${basename(program)}-inside`);
      // nsenter changes to the root directory, and restic works in the directory in which it is started.
      const enter = `exec nsenter --target=${child.pid} --net --mount sh -c 'cd "$0" && exec "$@"' "$PWD" '${program}' "$@"`;
      await writeFile(script, `#!/bin/sh\n${enter}\n`);
      await chmod(script, 0o700);
      return script;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await child;
    },
  };
}
