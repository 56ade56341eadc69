import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { frontendLimits } from '@lateen/block-frontend';
import { childRunner } from '@lateen/child-process';
import type { BlockTools } from '@lateen/cluster';
import { systemClock as clock } from '@lateen/kernel';

/** Mounts an NBD export as a file with nbdfuse, with as many connections as a front end has. Disposing unmounts it. */
export interface MountedFront extends AsyncDisposable {
  path: string;
}

export async function mountFront(tools: BlockTools, directory: string, uri: string): Promise<MountedFront> {
  const stop = new AbortController();
  // The socket is beside the mount and not in it: otherwise nbdfuse would wait for itself.
  const pidPath = `${directory}.pid`;
  const path = join(directory, 'volume');
  const env = { PATH: `${process.env.PATH}` };
  const nbdfuse = childRunner({ program: tools.nbdfuse, clock, graceMs: 5_000 });
  const run = nbdfuse.run({
    args: ['-C', `${frontendLimits.nbdfuseConnections}`, '-P', pidPath, path, uri],
    env,
    signal: stop.signal,
  });
  const ended = run.then((exit) => new Error(`nbdfuse has ended: ${exit.stderr}`));
  const unmount = childRunner({ program: tools.fusermount3, clock, graceMs: 5_000 });
  for (;;) {
    const early = await Promise.race([ended, clock.sleep(20)]);
    if (early instanceof Error) throw early;
    const isReady = await access(pidPath).then(
      () => true,
      () => false,
    );
    if (isReady) break;
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      await unmount.run({ args: ['-u', directory], env });
      stop.abort();
      await ended;
    },
  };
}
